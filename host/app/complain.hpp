// A problem on the terminal, as every command reports it.
#pragma once
#include <cstdio>

#include "base/hidden_characters.hpp"
#include "base/problem.hpp"

namespace gdalmcp::app {

// Exit codes of every command: of a wrong command line, and of work that failed.
inline constexpr int exit_usage = 2, exit_failed = 3;

// Prints to stderr; returns the exit code, for a command to end with.
inline int complain(const base::problem& p, int exit_code) {
    std::fprintf(stderr, "gdal-mcp: %s%s%s\n", base::with_hidden_shown(p.message).c_str(), p.hint.empty() ? "" : "\n  ",
                 base::with_hidden_shown(p.hint).c_str());
    return exit_code;
}

}  // namespace gdalmcp::app
