// Limits parallel calls: a few threads and, in front of them, a queue for each calling party.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/problem.hpp"
#include "runner/cancellation.hpp"

namespace gdalmcp::app {

// Each call blocks one thread from its gate to its answer. Every party has a slot of its own, which no other can hold;
// the others, one less than `count`, are shared. Alone, a party so has `count` slots. Of these one is kept for tools
// that only read, so that these remain possible while long writers run. A party's calls start in order of arrival;
// among parties that wait for a shared slot, the one with the fewest running calls is next, and among equals the one
// with the oldest last start. Thread-safe.
class slots {
public:
    using party = const void*;  // only compared

    explicit slots(unsigned count, std::size_t queue = 64);  // count >= 2; so many of one party may wait
    ~slots();                                                // waits for running jobs; drops queued ones

    struct job {
        party whose = nullptr;
        bool read_only = false;
        std::function<void()> work;
        std::shared_ptr<const runner::cancellation> cancel = nullptr;  // null: not cancellable
        bool over_limit = false;                                       // accepted even when the queue is full
    };

    // Errors: busy, when the queue of `whose` is full.
    base::result<void> submit(job j);

    // Runs cancelled jobs of the queue on this thread: they end at once and need no slot.
    void end_cancelled();

    std::size_t waiting() const;  // for a slot, of all parties
    bool forget(party whose);     // true: none of its jobs waits or runs

private:
    struct share {
        std::size_t waiting = 0, running = 0, writing = 0;
        std::uint64_t last_start = 0;  // counted in starts
    };
    void serve();
    bool may_start(const job& j);      // with guard_ held
    std::deque<job>::iterator next();  // with guard_ held

    const unsigned count_;
    const std::size_t queue_limit_;
    mutable std::mutex guard_;
    std::condition_variable ready_;
    std::deque<job> waiting_;
    std::map<party, share> shares_;  // of all parties that called and were not forgotten
    std::uint64_t starts_ = 0;
    std::size_t shared_in_use_ = 0;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace gdalmcp::app
