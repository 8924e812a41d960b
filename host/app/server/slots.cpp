#include "app/server/slots.hpp"

#include <algorithm>

namespace gdalmcp::app {

slots::slots(unsigned count, std::size_t queue) : count_{std::max(2u, count)}, queue_limit_{queue} {
    for (unsigned i = 0; i < count_; ++i) threads_.emplace_back([this] { serve(); });
}

slots::~slots() {
    {
        const std::lock_guard lock{guard_};
        stopping_ = true;
        waiting_.clear();
    }
    ready_.notify_all();
    for (auto& t : threads_) t.join();
}

base::result<void> slots::submit(job j) {
    {
        const std::lock_guard lock{guard_};
        auto& mine = shares_[j.whose];
        if (mine.waiting >= queue_limit_ && !j.over_limit)
            return base::fail(base::code::busy,
                              std::to_string(mine.waiting) + " calls are waiting already; the limit is " +
                                  std::to_string(queue_limit_),
                              "wait for some of them to finish, then call again");
        ++mine.waiting;
        waiting_.push_back(std::move(j));
        const auto at_work = std::count_if(shares_.begin(), shares_.end(),
                                           [](const auto& s) { return s.second.waiting + s.second.running > 0; });
        while (threads_.size() + 1 < count_ + static_cast<std::size_t>(at_work))
            threads_.emplace_back([this] { serve(); });
    }
    ready_.notify_one();
    return {};
}

void slots::end_cancelled() {
    std::deque<job> cancelled, kept;
    {
        const std::lock_guard lock{guard_};
        for (auto& j : waiting_) {
            const bool ends = j.cancel && j.cancel->requested();
            if (ends) --shares_[j.whose].waiting;
            (ends ? cancelled : kept).push_back(std::move(j));
        }
        waiting_.swap(kept);
    }
    for (const auto& j : cancelled) j.work();
}

bool slots::forget(party whose) {
    const std::lock_guard lock{guard_};
    const auto found = shares_.find(whose);
    if (found == shares_.end()) return true;
    if (found->second.waiting > 0 || found->second.running > 0) return false;
    shares_.erase(found);
    return true;
}

std::size_t slots::waiting() const {
    const std::lock_guard lock{guard_};
    return waiting_.size();
}

bool slots::may_start(const job& j) {
    const auto& s = shares_[j.whose];
    if (s.running == 0) return true;
    return shared_in_use_ + 1 < count_ && (j.read_only || s.writing + 1 < count_);
}

std::deque<slots::job>::iterator slots::next() {
    auto chosen = waiting_.end();
    const auto rank = [&](const job& j) {
        const auto& s = shares_[j.whose];
        return std::pair{s.running, s.last_start};
    };
    for (auto j = waiting_.begin(); j != waiting_.end(); ++j)
        if (may_start(*j) && (chosen == waiting_.end() || rank(*j) < rank(*chosen))) chosen = j;
    return chosen;
}

void slots::serve() {
    std::unique_lock lock{guard_};
    for (;;) {
        ready_.wait(lock, [&] { return stopping_ || next() != waiting_.end(); });
        if (stopping_) return;
        const auto chosen = next();
        auto j = std::move(*chosen);
        waiting_.erase(chosen);
        auto& mine = shares_[j.whose];  // the reference stays valid
        --mine.waiting;
        if (mine.running++ > 0) ++shared_in_use_;
        mine.last_start = ++starts_;
        if (!j.read_only) ++mine.writing;
        lock.unlock();
        j.work();
        j.work = nullptr;
        lock.lock();
        if (--mine.running > 0) --shared_in_use_;
        if (!j.read_only) --mine.writing;
        ready_.notify_one();  // several jobs may be ready now
    }
}

}  // namespace gdalmcp::app
