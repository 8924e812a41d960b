// What all clients of a running server share: one thread, on which everything here happens, the slots in which work is
// done, and the clock that tells clients that their calls are alive.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <set>

#include "app/server/metrics.hpp"
#include "app/server/slots.hpp"
#include "app/server/subscriber.hpp"
#include "mcp/reply.hpp"

namespace gdalmcp::app {

class host;

inline constexpr auto heartbeat_every = std::chrono::seconds{15};  // clients give up after 60 s of silence by default

// REQUIRES: the host of a tenant outlives it, or goes when nothing of it is connected, waits or runs (is_done_with);
// the thread that runs io() is the only one that calls.
class service {
public:
    explicit service(unsigned slot_count);

    boost::asio::io_context& io() { return io_; }
    app::metrics& metrics() { return metrics_; }
    std::size_t waiting() const { return slots_.waiting(); }  // calls without a slot yet

    // Runs a job in a slot. Errors: busy, when too many of its party wait.
    base::result<void> submit(slots::job j) { return slots_.submit(std::move(j)); }

    // Runs `work` in a slot, unless it is cancelled before, and hands its reply over on this thread. `whose`: whom the
    // slot is taken from.
    void submit(const host& whose, std::shared_ptr<runner::cancellation> cancel,
                std::function<mcp::reply(const runner::cancellation&)> work, std::function<void(mcp::reply)> done);

    // The same for work nobody waits for. False when too many wait.
    bool submit(const host& whose, std::function<void()> work);

    // After a cancellation: what waits for a slot in vain leaves the queue, as cancelled.
    void end_cancelled() { slots_.end_cancelled(); }

    // Whether nothing of this host runs, waits, or is connected any more.
    bool is_done_with(const host& h, const tenant& t);

    void enter(subscriber& s) { subscribers_.insert(&s); }
    void leave(subscriber& s) { subscribers_.erase(&s); }
    // A copy: a notification may end connections.
    std::vector<std::shared_ptr<subscriber>> subscribers() const;

    void every_beat(std::function<void()> step) { steps_.push_back(std::move(step)); }

private:
    void arm_heartbeat();

    std::set<subscriber*> subscribers_;  // before io_: what is left in its queue may hold connections, which leave
    boost::asio::io_context io_;
    boost::asio::steady_timer beat_;
    app::metrics metrics_;
    std::vector<std::function<void()>> steps_;
    slots slots_;  // last: its threads end before what they use
};

}  // namespace gdalmcp::app
