// The command line: parsed, checked, handed to one command.
#pragma once

namespace gdalmcp::app {

// Returns the exit code: 0 ok, 2 usage, and for `call` 3 tool error, 4 needs a justification, 5 refused by policy, 124
// deadline.
int run_command_line(int argc, char** argv);

}  // namespace gdalmcp::app
