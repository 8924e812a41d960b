// How often a call may report progress.
#pragma once
#include <algorithm>
#include <chrono>

namespace gdalmcp::app {

// A few reports at once, then ten a second; further reports are dropped.
class progress_pace {
public:
    using clock = std::chrono::steady_clock;
    static constexpr int at_once = 20, a_second = 10;

    explicit progress_pace(clock::time_point now) : last_{now} {}

    bool allows(clock::time_point now) {
        saved_ = std::min<double>(at_once, saved_ + std::chrono::duration<double>(now - last_).count() * a_second);
        last_ = now;
        if (saved_ < 1) return false;
        --saved_;
        return true;
    }

private:
    double saved_ = at_once;
    clock::time_point last_;
};

}  // namespace gdalmcp::app
