#include <signal.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "app/commands/command_line.hpp"
#include "app/complain.hpp"

int main(int argc, char** argv) {
    std::signal(SIGXFSZ, SIG_IGN);  // exceeding RLIMIT_FSIZE must fail one write, not kill us
    const int code = gdalmcp::app::run_command_line(argc, argv);
    errno = 0;
    const bool printed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    return printed ? code : gdalmcp::app::complain_of_output(errno, code);
}
