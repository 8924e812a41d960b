// The zygote: one gdal-mcp-worker process with GDAL registered and no plugin code, which forks a fresh child per
// request.
#pragma once
#include <sys/types.h>

#include <condition_variable>
#include <filesystem>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/problem.hpp"
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

// Thread-safe. The process is spawned on the first fork() and again when it has died.
class zygote {
public:
    // worker: path of gdal-mcp-worker. environment: the whole environment of the worker, "NAME=value".
    zygote(std::filesystem::path worker, std::vector<std::string> environment);
    ~zygote();  // closes the control socket: the zygote kills its children and leaves
    zygote(const zygote&) = delete;
    zygote& operator=(const zygote&) = delete;

    // Errors: crashed, when the worker cannot be started or answers nothing.
    base::result<child> fork();
    pid_t pid() const;  // 0: not running

private:
    base::result<void> spawn();  // on starter_
    base::result<child> ask();
    base::result<void> start();
    void start_when_asked();

    const std::filesystem::path worker_;
    const std::vector<std::string> environment_;
    mutable std::mutex mutex_;
    descriptor control_;
    pid_t pid_ = 0;

    // The worker asks to be killed when its parent dies, which for the kernel is the *thread* that started it. So one
    // thread does nothing but start workers, and lives as long as this object.
    std::mutex starting_;
    std::condition_variable asked_;
    std::optional<std::promise<base::result<void>>> start_;
    bool leaving_ = false;
    std::thread starter_;
};

}  // namespace gdalmcp::runner
