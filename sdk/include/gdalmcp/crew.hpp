// gdalmcp/crew.hpp — threads that work while the caller reads: tasks in, no results out. Header-only, standard library
// only; link Threads::Threads.
//
//   crew workers{2};
//   workers.run([&](std::size_t worker) { … });  // waits while twice as many tasks wait as there are workers
//   workers.wait();                              // all done; throws what a task threw
#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace gdalmcp {

// Without workers tasks run at once in the caller's thread, as worker 0. There may be fewer than asked for: size().
class crew {
public:
    using task = std::function<void(std::size_t worker)>;

    explicit crew(std::size_t workers) {
        try {
            for (std::size_t i = 0; i < workers; ++i) threads_.emplace_back([this, i] { work(i); });
        } catch (const std::system_error&) {
            // There is no memory for more of them.
        }
    }
    // Tasks that have not begun are dropped.
    ~crew() {
        {
            const std::scoped_lock held{guard_};
            ending_ = true;
            waiting_.clear();
        }
        changed_.notify_all();
        for (auto& t : threads_) t.join();
    }
    crew(const crew&) = delete;
    crew& operator=(const crew&) = delete;

    std::size_t size() const { return threads_.empty() ? 1 : threads_.size(); }

    void run(task t) {
        if (threads_.empty()) return t(0);
        std::unique_lock held{guard_};
        changed_.wait(held, [&] { return failed_ || waiting_.size() < 2 * threads_.size(); });
        if (!failed_) waiting_.push_back(std::move(t));
        held.unlock();
        changed_.notify_all();
    }

    void wait() {
        std::unique_lock held{guard_};
        changed_.wait(held, [&] { return running_ == 0 && (failed_ || waiting_.empty()); });
        waiting_.clear();
        if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
    }

private:
    void work(std::size_t worker) {
        std::unique_lock held{guard_};
        for (;;) {
            changed_.wait(held, [&] { return ending_ || !waiting_.empty(); });
            if (ending_) return;
            auto t = std::move(waiting_.front());
            waiting_.pop_front();
            ++running_;
            held.unlock();
            changed_.notify_all();
            std::exception_ptr failure;
            try {
                t(worker);
            } catch (...) {
                failure = std::current_exception();
            }
            t = nullptr;  // the task is destroyed before its completion is signalled
            held.lock();
            --running_;
            if (failure && !failed_) failed_ = failure;
            changed_.notify_all();
        }
    }

    std::mutex guard_;
    std::condition_variable changed_;
    std::deque<task> waiting_;
    std::size_t running_ = 0;
    bool ending_ = false;
    std::exception_ptr failed_;
    std::vector<std::thread> threads_;
};

}  // namespace gdalmcp
