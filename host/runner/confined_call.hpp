// One request to one confined process, from its fork to its end.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "runner/call_events.hpp"
#include "runner/cancellation.hpp"
#include "runner/messages.hpp"
#include "runner/zygote.hpp"

namespace gdalmcp::runner {

inline constexpr std::chrono::seconds grace{2};        // between "stop" and SIGKILL
inline constexpr std::chrono::seconds report_time{5};  // for the zygote to report that a killed process is gone

// A process that has answered and is exiting. The destructor waits for its end and kills a process that lingers.
class exiting_child {
public:
    explicit exiting_child(child c);
    ~exiting_child();
    exiting_child(const exiting_child&) = delete;
    exiting_child& operator=(const exiting_child&) = delete;

private:
    child child_;
};

struct ending {
    std::optional<prepared_run> prepared;    // nothing where no plugin code runs
    base::json::object done;                 // the final frame: a plugin shares the socket, so it may be forged
    long max_rss_kib = 0;                    // known once the process has exited
    std::unique_ptr<exiting_child> process;  // only when the answer was wanted at once
};

// `gone`: the process has exited before the answer is used, as readers of its files require. `told`: only the answer is
// needed; the exit of a process takes a fifth of a short call, and need not be awaited.
enum class answer_when { gone, told };

// The operation of a request, "run" of a tool, "verify", …, for messages
struct call_name {
    std::string operation, tool;
};

// A request sent, with its answer pending. The destructor kills the process.
class pending_call {
public:
    // Errors: those of zygote::fork, and exhausted (the request is too large).
    static base::result<pending_call> begin(zygote& z, const request& r, const cancellation& cancel,
                                            std::chrono::milliseconds limit);
    pending_call(pending_call&&) noexcept = default;
    pending_call& operator=(pending_call&& other) noexcept;
    ~pending_call();

    // As run_confined. `limit` counts from begin().
    base::result<ending> finish(std::chrono::milliseconds limit, const cancellation& cancel, const call_events& events,
                                answer_when when) &&;

private:
    pending_call(child c, call_name name) : child_{std::move(c)}, name_{std::move(name)} {}
    child child_;  // without descriptors once finished
    call_name name_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Sends `r`, waits for the answer and, depending on `when`, for the process to exit. Blocking; one thread per call.
// Errors: cancelled (when `cancel` was raised, whatever the process answered), deadline, crashed (with the signal or
// exit code and its usual meaning), or the problem the process itself reported.
base::result<ending> run_confined(zygote& z, const request& r, std::chrono::milliseconds limit,
                                  const cancellation& cancel, const call_events& events, answer_when when);

}  // namespace gdalmcp::runner
