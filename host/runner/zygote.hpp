// The zygote: one gdal-mcp-worker process with GDAL registered and no plugin code, which forks a fresh child per
// request.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/problem.hpp"
#include "runner/cancellation.hpp"
#include "runner/descriptor.hpp"
#include "runner/exit_report.hpp"

namespace gdalmcp::runner {

// A forked child, waiting for its call frame.
struct child {
    descriptor call;  // stream socket: frames both ways
    descriptor
        watch;  // datagram socket of the zygote: one exit_report when the child is gone; end of stream = zygote died
    descriptor pidfd;    // for killing
    descriptor printed;  // a pipe that does not block: what the child writes to its stdout and stderr
};

// Thread-safe. The process is spawned on the first fork() or before, and again when it has died.
class zygote {
public:
    // worker: path of gdal-mcp-worker. environment: the whole environment of the worker, "NAME=value".
    zygote(std::filesystem::path worker, std::vector<std::string> environment);
    ~zygote();  // closes the control socket: the zygote kills its children and exits
    zygote(const zygote&) = delete;
    zygote& operator=(const zygote&) = delete;

    // Starts the process ahead of the next fork(), which would otherwise wait for it. That fork() reports errors.
    void start_ahead();

    // Waits for `limit` at most. Errors: cancelled; deadline, when the worker does not answer; crashed, when it cannot
    // be started or exits. A worker that has been silent for 30 s is killed and replaced.
    base::result<child> fork(const cancellation& cancel, std::chrono::milliseconds limit);
    // Data in this CRS was read and more is expected: when idle, the worker prepares the PROJ objects such calls need.
    // AUTHORITY:CODE; only the first 64 of each worker process are used.
    void expect_crs(std::string_view code);
    pid_t pid() const;  // 0: not running

private:
    using clock = std::chrono::steady_clock;
    base::result<void> spawn();  // on starter_
    base::result<child> ask(const cancellation& cancel, clock::time_point until);
    base::result<void> start();
    int end();  // the wait status
    void start_when_asked();

    const std::filesystem::path worker_;
    const std::vector<std::string> environment_;
    mutable std::timed_mutex mutex_;
    descriptor control_;
    pid_t pid_ = 0;
    std::optional<clock::time_point> silent_since_;
    std::set<std::string, std::less<>> expected_crs_;

    // The worker asks to be killed when its parent dies, which for the kernel is the *thread* that started it. So one
    // thread does nothing but start workers, and lives as long as this object.
    std::mutex starting_;
    std::condition_variable asked_;
    std::optional<std::promise<base::result<void>>> start_;
    bool leaving_ = false;
    std::thread starter_;
};

}  // namespace gdalmcp::runner
