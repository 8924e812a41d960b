// Carries out one request of the host in a confined process.
#pragma once
#include "base/json.hpp"
#include "runner/descriptor.hpp"
#include "worker/dataset_library.hpp"
#include "worker/sandbox.hpp"
#include "worker/syscall_filter.hpp"

namespace gdalmcp::worker {

// Reads the request frame from `socket`, confines this process, does the work, writes the "done" frame.
// Operations: run (a tool), describe (a library without a manifest), hash (files), and those of `datasets`: inspect
// (what belongs to inputs), probe (facts about inputs), crs (normal forms of spellings), verify (an output), identify
// (which files are datasets), formats (drivers, resampling), crs_registry and crs_entry (PROJ's database). Returns the
// exit code. Runs in a forked child of the zygote.
// `filter`: the one without network. `common`: what common_to_all_calls() names, opened. On `watch` it sends the
// descriptor for counting threads (runner/thread_limit.hpp).
int serve_request(int socket, runner::descriptor watch, const syscall_filter& filter, common_paths& common,
                  const dataset_library& datasets);

// Files every dataset operation reads besides its data: libraries, databases of PROJ and GDAL, fonts.
std::vector<std::filesystem::path> common_to_all_calls();

}  // namespace gdalmcp::worker
