// How every command reports a problem on the terminal.
#pragma once
#include <cstdio>

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

}  // namespace gdalmcp::app
