#include "workspace/background.hpp"

namespace gdalmcp::workspace {

namespace {
constexpr std::chrono::seconds farewell{2};
}

background::~background() {
    {
        const std::lock_guard lock{guard_};
        if (!thread_.joinable()) return;
        leaving_ = true;
        until_ = std::chrono::steady_clock::now() + farewell;
    }
    posted_.notify_one();
    thread_.join();
}

void background::post(work w, std::chrono::milliseconds delay) {
    const std::lock_guard lock{guard_};
    waiting_.push_back({std::move(w), std::chrono::steady_clock::now() + delay});
    if (!thread_.joinable()) thread_ = std::thread{[this] { run(); }};
    posted_.notify_one();
}

void background::run() {
    const go_on in_time = [this] {
        const std::lock_guard lock{guard_};
        return !leaving_ || std::chrono::steady_clock::now() < until_;
    };
    std::unique_lock lock{guard_};
    for (;;) {
        posted_.wait(lock, [&] { return leaving_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        if (const auto when = waiting_.front().not_before; when > std::chrono::steady_clock::now()) {
            posted_.wait_until(lock, when, [&] { return leaving_; });
            if (!leaving_) continue;
        }
        const auto next = std::move(waiting_.front().job);
        waiting_.pop_front();
        lock.unlock();
        next(in_time);
        lock.lock();
    }
}

}  // namespace gdalmcp::workspace
