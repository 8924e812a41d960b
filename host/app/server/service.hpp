// Shared by all clients of a running server: the one thread on which everything here runs, the slots for work, and the
// heartbeat of running calls.
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

// REQUIRES: the host of a tenant outlives it, or is destroyed when nothing of it is connected, waits or runs
// (is_done_with); only the thread that runs io() calls.
class service {
public:
    explicit service(unsigned slot_count);

    boost::asio::io_context& io() { return io_; }
    app::metrics& metrics() { return metrics_; }
    std::size_t waiting() const { return slots_.waiting(); }  // calls without a slot

    // Runs a job in a slot. Errors: busy, when too many of its party wait.
    base::result<void> submit(slots::job j) { return slots_.submit(std::move(j)); }

    // Runs `work` in a slot, unless it is cancelled before, and delivers its reply on this thread. `whose`: the party
    // the slot is charged to.
    void submit(const host& whose, std::shared_ptr<runner::cancellation> cancel,
                std::function<mcp::reply(const runner::cancellation&)> work, std::function<void(mcp::reply)> done);

    // The same for work without a waiter. False when too many wait.
    bool submit(const host& whose, std::function<void()> work);

    // After a cancellation: removes cancelled jobs from the queue and reports them as cancelled.
    void end_cancelled() { slots_.end_cancelled(); }

    // Whether no job or connection of this host remains.
    bool is_done_with(const host& h, const tenant& t);

    void enter(subscriber& s) { subscribers_.insert(&s); }
    void leave(subscriber& s) { subscribers_.erase(&s); }
    // A copy: a notification may end connections.
    std::vector<std::shared_ptr<subscriber>> subscribers() const;

    void every_beat(std::function<void()> step) { steps_.push_back(std::move(step)); }

private:
    void arm_heartbeat();

    std::set<subscriber*> subscribers_;  // before io_: jobs left in its queue may hold connections, which unsubscribe
    boost::asio::io_context io_;
    boost::asio::steady_timer beat_;
    app::metrics metrics_;
    std::vector<std::function<void()>> steps_;
    slots slots_;  // last member: its threads end before the objects they use
};

}  // namespace gdalmcp::app
