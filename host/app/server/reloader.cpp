#include "app/server/reloader.hpp"

#include <boost/asio/post.hpp>

#include "app/call/host.hpp"
#include "app/server/service.hpp"
#include "base/log.hpp"

namespace gdalmcp::app {

namespace {

constexpr auto settling_time = std::chrono::milliseconds{200};  // copying a bundle makes many changes
constexpr auto max_settling = std::chrono::seconds{2};          // limit for a folder that keeps changing

}  // namespace

void report_quarantine(const host& h) {
    const auto now = h.offered();
    for (const auto& q : now->tools().quarantine())
        base::log(base::log_level::warning, "bundle " + q.path.string() + " is quarantined: " + q.reason);
}

reloader::reloader(service& s, host& h, std::function<void()> changed)
    : service_{s}, host_{h}, changed_{std::move(changed)}, changes_{s.io()}, settled_{s.io()} {
    if (const int fd = host_.bundle_changes().fd(); fd >= 0) {
        changes_.assign(fd);
        await_changes();
    }
}

reloader::~reloader() { stop(); }

void reloader::stop() {
    if (changes_.is_open()) changes_.release();  // the host closes it
    settled_.cancel();
}

void reloader::await_changes() {
    changes_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](const auto& ec) {
        if (ec) return;
        if (host_.bundle_changes().drain()) await_quiet();
        await_changes();
    });
}

// Each change delays it again, up to a limit.
void reloader::await_quiet() {
    const auto now = std::chrono::steady_clock::now();
    if (!unrest_since_) unrest_since_ = now;
    settled_.expires_at(std::min(now + settling_time, *unrest_since_ + max_settling));
    settled_.async_wait([this](const auto& ec) {
        if (ec) return;
        unrest_since_.reset();
        look();
    });
}

void reloader::look() {
    const auto accepted = service_.submit(host_, [&h = host_, &io = service_.io(), changed = changed_] {
        if (const auto ok = h.reload(); !ok)
            return base::log(base::log_level::error, "the bundles are unchanged: " + ok.error().message);
        boost::asio::post(io, changed);
    });
    if (!accepted) await_quiet();
}

}  // namespace gdalmcp::app
