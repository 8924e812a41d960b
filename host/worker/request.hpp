// What the host asks of one confined process, and how it is answered.
#pragma once
#include "base/json.hpp"
#include "worker/sandbox.hpp"

namespace gdalmcp::worker {

// {gdal, proj}: asked once before the first fork, since PROJ looks for its files when asked.
const base::json::object& library_versions();

// Reads the request frame from `socket`, confines this process, does the work, writes the "done" frame.
// Operations: run (a tool), probe (facts about inputs), crs (normal forms of spellings), verify (an output).
// Returns the exit code. Runs in a forked child of the zygote.
int serve_request(int socket, const syscall_filter& filter);

}  // namespace gdalmcp::worker
