// Ctrl-C and SIGTERM while a command works: they cancel its calls.
#pragma once
#include "runner/cancellation.hpp"

namespace gdalmcp::app {

// One at a time. After it, both signals are ignored: the rest of a command is short and must finish.
class interruption {
public:
    interruption();
    ~interruption();
    interruption(const interruption&) = delete;
    interruption& operator=(const interruption&) = delete;

    const runner::cancellation& cancel() const { return cancel_; }

private:
    runner::cancellation cancel_;
};

}  // namespace gdalmcp::app
