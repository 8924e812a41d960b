// One call's cancellation: set by the protocol side, watched by the thread that runs the call.
#pragma once
#include <atomic>

#include "runner/descriptor.hpp"

namespace gdalmcp::runner {

class cancellation {
public:
    enum class level { none, stop, kill };

    cancellation();
    void stop();  // ask the tool to stop, with 2 s of grace
    void kill();  // end the process at once (the host is shutting down)
    level now() const { return level_.load(); }
    bool requested() const { return now() != level::none; }
    int fd() const { return event_.get(); }  // becomes readable at each change; for poll
    void clear_event() const;                // so that the next poll blocks

private:
    void raise_to(level l);
    descriptor event_;
    std::atomic<level> level_{level::none};
};

}  // namespace gdalmcp::runner
