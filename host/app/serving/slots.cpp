#include "app/serving/slots.hpp"

#include <algorithm>

namespace gdalmcp::app {

slots::slots(unsigned count, std::size_t queue) : count_{std::max(2u, count)}, queue_limit_{queue} {
    for (unsigned i = 0; i < count_; ++i) threads_.emplace_back([this] { serve(); });
}

slots::~slots() {
    {
        const std::lock_guard lock{guard_};
        leaving_ = true;
        waiting_.clear();
    }
    ready_.notify_all();
    for (auto& t : threads_) t.join();
}

base::result<void> slots::submit(bool read_only, std::function<void()> work) {
    {
        const std::lock_guard lock{guard_};
        if (waiting_.size() >= queue_limit_)
            return base::fail(base::code::busy,
                              std::to_string(waiting_.size()) + " calls are waiting already; the limit is " +
                                  std::to_string(queue_limit_),
                              "wait for some of them to finish, then call again");
        waiting_.push_back({read_only, std::move(work)});
    }
    ready_.notify_one();
    return {};
}

std::size_t slots::waiting() const {
    const std::lock_guard lock{guard_};
    return waiting_.size();
}

// The oldest that may start: a writer only while another slot stays free of writers.
std::deque<slots::job>::iterator slots::next() {
    return std::find_if(waiting_.begin(), waiting_.end(),
                        [&](const job& j) { return j.read_only || writers_ + 1 < count_; });
}

void slots::serve() {
    std::unique_lock lock{guard_};
    for (;;) {
        ready_.wait(lock, [&] { return leaving_ || next() != waiting_.end(); });
        if (leaving_) return;
        const auto chosen = next();
        auto j = std::move(*chosen);
        waiting_.erase(chosen);
        if (!j.read_only) ++writers_;
        lock.unlock();
        j.work();
        j.work = nullptr;
        lock.lock();
        if (!j.read_only) {
            --writers_;
            ready_.notify_one();  // a writer may have waited for this
        }
    }
}

}  // namespace gdalmcp::app
