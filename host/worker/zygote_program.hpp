// The common main of this room's programs: started by the host as `PROGRAM zygote HOST_PID`, with the control socket as
// descriptor 3.
#pragma once
#include <functional>

#include "worker/dataset_library.hpp"

namespace gdalmcp::worker {

// Returns the exit code. `warm_up` preloads what every child needs.
int run_zygote_program(int argc, char** argv, const std::function<std::unique_ptr<const dataset_library>()>& warm_up);

}  // namespace gdalmcp::worker
