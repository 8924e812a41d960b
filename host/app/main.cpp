#include <signal.h>

#include <csignal>

#include "app/commands/command_line.hpp"

int main(int argc, char** argv) {
    std::signal(SIGXFSZ, SIG_IGN);  // a low limit of file sizes is an error of one write, not our end
    return gdalmcp::app::run_command_line(argc, argv);
}
