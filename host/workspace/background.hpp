// Background work of a host: sweeping leftovers of other hosts, removing trees too large for the call that left them.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace gdalmcp::workspace {

// One thread, started by the first piece of work. Thread-safe.
class background {
public:
    using go_on = std::function<bool()>;  // false: stop as soon as you can
    using work = std::function<void(const go_on&)>;

    background() = default;
    ~background();  // remaining work has 2 s
    background(const background&) = delete;
    background& operator=(const background&) = delete;

    // In the order of posting, and not before `delay` is over; the destructor starts delayed work at once.
    void post(work w, std::chrono::milliseconds delay = {});

private:
    struct piece {
        work job;
        std::chrono::steady_clock::time_point not_before;
    };
    void run();

    std::mutex guard_;
    std::condition_variable posted_;
    std::deque<piece> waiting_;
    bool leaving_ = false;
    std::chrono::steady_clock::time_point until_;  // when leaving
    std::thread thread_;
};

}  // namespace gdalmcp::workspace
