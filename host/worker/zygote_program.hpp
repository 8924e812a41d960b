// What the programs of this room have in common: started by the host as `PROGRAM zygote HOST_PID`, with the control
// socket as descriptor 3.
#pragma once
#include <functional>

#include "worker/dataset_library.hpp"

namespace gdalmcp::worker {

// Returns the exit code. `warm_up` loads what every child is to find loaded.
int run_zygote_program(int argc, char** argv, const std::function<std::unique_ptr<const dataset_library>()>& warm_up);

}  // namespace gdalmcp::worker
