#include <signal.h>

#include <csignal>

#include "app/commands/command_line.hpp"

int main(int argc, char** argv) {
    std::signal(SIGXFSZ, SIG_IGN);  // exceeding RLIMIT_FSIZE must fail one write, not kill us
    return gdalmcp::app::run_command_line(argc, argv);
}
