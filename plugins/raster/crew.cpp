#include "crew.hpp"

#include <utility>

namespace gdalmcp_raster {

crew::crew(std::size_t workers) {
    for (std::size_t i = 0; i < workers; ++i) threads_.emplace_back([this, i] { work(i); });
}

crew::~crew() {
    {
        const std::scoped_lock held{guard_};
        ending_ = true;
        waiting_.clear();
    }
    changed_.notify_all();
    for (auto& t : threads_) t.join();
}

void crew::run(task t) {
    if (threads_.empty()) return t(0);
    std::unique_lock held{guard_};
    changed_.wait(held, [&] { return failed_ || waiting_.size() < 2 * threads_.size(); });
    if (!failed_) waiting_.push_back(std::move(t));
    held.unlock();
    changed_.notify_all();
}

void crew::wait() {
    std::unique_lock held{guard_};
    changed_.wait(held, [&] { return running_ == 0 && (failed_ || waiting_.empty()); });
    waiting_.clear();
    if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
}

void crew::work(std::size_t worker) {
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

}  // namespace gdalmcp_raster
