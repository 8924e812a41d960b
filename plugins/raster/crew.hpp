// crew.hpp — threads that work while the caller reads: tasks in, no results out.
#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gdalmcp_raster {

//   crew workers{2};
//   workers.run([&](std::size_t worker) { … });  // waits while twice as many tasks wait as there are workers
//   workers.wait();                              // all done; throws what a task threw
// Without workers tasks run at once in the caller's thread, as worker 0.
class crew {
public:
    using task = std::function<void(std::size_t worker)>;

    explicit crew(std::size_t workers);
    ~crew();  // tasks that have not begun are dropped
    crew(const crew&) = delete;
    crew& operator=(const crew&) = delete;

    std::size_t size() const { return threads_.empty() ? 1 : threads_.size(); }
    void run(task t);
    void wait();

private:
    void work(std::size_t worker);

    std::mutex guard_;
    std::condition_variable changed_;
    std::deque<task> waiting_;
    std::size_t running_ = 0;
    bool ending_ = false;
    std::exception_ptr failed_;
    std::vector<std::thread> threads_;
};

}  // namespace gdalmcp_raster
