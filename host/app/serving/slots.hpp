// How many calls run at once: a few threads and a first-in-first-out queue in front of them.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::app {

// Each call blocks one thread from its gate to its answer. One slot is kept for tools that only read, so that looking
// stays possible while long writers run. Thread-safe.
class slots {
public:
    explicit slots(unsigned count, std::size_t queue = 64);  // count >= 2
    ~slots();                                                // waits for what runs; drops what waits

    // Errors: busy, when the queue is full.
    base::result<void> submit(bool read_only, std::function<void()> work);

    std::size_t waiting() const;  // for a slot

private:
    struct job {
        bool read_only;
        std::function<void()> work;
    };
    void serve();
    std::deque<job>::iterator next();  // with guard_ held

    const unsigned count_;
    const std::size_t queue_limit_;
    mutable std::mutex guard_;
    std::condition_variable ready_;
    std::deque<job> waiting_;
    unsigned writers_ = 0;
    bool leaving_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace gdalmcp::app
