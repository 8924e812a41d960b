// One request to one confined process, from its fork to its end.
#pragma once
#include <chrono>
#include <functional>
#include <string_view>

#include "base/json.hpp"
#include "runner/cancellation.hpp"
#include "runner/zygote.hpp"

namespace gdalmcp::runner {

// Called from the calling thread as the process tells how far it is; may be empty.
using progress_hook = std::function<void(double fraction, std::string_view message)>;

struct ending {
    base::json::object prepared;  // the first frame of its kind, sent before plugin code ran; empty where none does
    base::json::object done;  // the last word: a plugin shares the socket, so it may have spoken in the worker's place
    long max_rss_kib = 0;
};

// Sends `request`, waits for the answer and for the process to be gone. Blocking; one thread per call.
// Errors: cancelled (when `cancel` was raised, whatever the process answered), deadline, crashed (with the signal or
// exit code and what that usually means), or the problem the process itself reported.
base::result<ending> run_confined(zygote& z, const base::json::object& request, std::chrono::milliseconds limit,
                                  const cancellation& cancel, const progress_hook& progress);

}  // namespace gdalmcp::runner
