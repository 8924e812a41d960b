// How every command reports a problem on the terminal.
#pragma once
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/hidden_characters.hpp"
#include "base/problem.hpp"

namespace gdalmcp::app {

// Exit codes of every command: wrong command line, failed work.
inline constexpr int exit_usage = 2, exit_failed = 3;

// Prints to stderr and returns `exit_code`.
inline int complain(const base::problem& p, int exit_code) {
    std::fprintf(stderr, "gdal-mcp: %s%s%s\n", base::with_hidden_shown(p.message).c_str(), p.hint.empty() ? "" : "\n  ",
                 base::with_hidden_shown(p.hint).c_str());
    return exit_code;
}

// Of what a command prints, at errno `error`; 0: not known. A reader that is gone wants no more, which is no failure.
inline int complain_of_output(int error, int exit_code) {
    if (error == EPIPE) return exit_code;
    return complain(
        {base::code::io,
         "standard output could not be written" + (error ? std::string{": "} + std::strerror(error) : std::string{}),
         "what was printed is incomplete", ""},
        exit_code == 0 ? exit_failed : exit_code);
}

}  // namespace gdalmcp::app
