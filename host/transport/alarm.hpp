// A deadline that can be moved and cancelled.
#pragma once
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <utility>

namespace gdalmcp::transport {

// REQUIRES: the callback keeps the owner of the alarm alive. A moved or stopped alarm never fires, even if Asio has
// queued its handler already.
class alarm {
public:
    explicit alarm(boost::asio::io_context& io) : timer_{io} {}

    template <class Ring>
    void set(std::chrono::milliseconds after, Ring ring) {
        runs_ = true;
        timer_.expires_after(after);
        timer_.async_wait([this, round = ++round_, ring = std::move(ring)](boost::system::error_code ec) {
            if (ec || round != round_) return;
            runs_ = false;
            ring();
        });
    }
    void stop() {
        if (!std::exchange(runs_, false)) return;
        ++round_;
        timer_.cancel();
    }
    bool runs() const { return runs_; }

private:
    boost::asio::steady_timer timer_;
    std::uint64_t round_ = 0;
    bool runs_ = false;
};

}  // namespace gdalmcp::transport
