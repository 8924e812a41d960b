#include "app/server/serve.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <set>

#include "app/server/connection.hpp"
#include "app/server/service.hpp"
#include "app/server/tenant.hpp"
#include "base/log.hpp"
#include "transport/stdio.hpp"

namespace gdalmcp::app {

namespace {

// Calls inherit our hard limits: reports those below the configured ones.
void report_limits(const configuration& c) {
    const auto report = [](auto which, const char* flag, std::uint64_t wanted, std::uint64_t unit, const char* what) {
        rlimit r{};
        if (::getrlimit(which, &r) != 0 || r.rlim_max >= wanted) return;
        base::log(base::log_level::warning, "calls have " + std::to_string(r.rlim_max / unit) + " " + what +
                                                " instead of " + std::to_string(wanted / unit) +
                                                ", because of ulimit " + flag + "; raise it if calls fail");
    };
    constexpr std::uint64_t kib = 1u << 10;
    report(RLIMIT_NOFILE, "-n", configuration::descriptors, 1, "open files");
    report(RLIMIT_AS, "-v", c.address_space(), kib, "KiB of address space");
    report(RLIMIT_FSIZE, "-f", static_cast<std::uint64_t>(c.file_size_mib) << 20, kib, "KiB for the largest file");
}

// One client over a pair of descriptors.
class stdio_server {
public:
    stdio_server(host& h, int out)
        : service_{h.settings().slots()},
          tenant_{service_, h, "stdio"},
          transport_{service_.io(),
                     STDIN_FILENO,
                     out,
                     {[this](std::string_view line) { client_->receive(line); },
                      [this] { client_->line_too_long(transport::max_line); }, [this] { leave(); }}},
          client_{connection::open(
              service_, tenant_, [this](mcp::send s) { transport_.write(std::move(s.line)); }, tenant_.toolsets())},
          signals_{service_.io(), SIGTERM, SIGINT} {}

    int run() {
        service_.every_beat([this] { tenant_.beat(); });
        signals_.async_wait([this](const auto& ec, int) {
            if (!ec) leave();
        });
        service_.io().run();
        return 0;
    }

private:
    // The client is gone, or a signal arrived: running calls are killed, and their threads remove their stages.
    void leave() {
        if (std::exchange(draining_, true)) return;
        client_->kill();
        tenant_.kill();
        transport_.flush(std::chrono::seconds{2});
        service_.io().stop();
    }

    service service_;
    tenant tenant_;
    transport::stdio_transport transport_;
    std::shared_ptr<connection> client_;
    boost::asio::signal_set signals_;
    bool draining_ = false;
};

}  // namespace

// asio restores the default action when the last signal set is destroyed, so this one never is.
void catch_signals_for_good() {
    static auto* const never_run = new boost::asio::io_context;
    static const auto* const caught = new boost::asio::signal_set{*never_run, SIGTERM, SIGINT};
    static_cast<void>(caught);
}

// An unknown name is a typing error, or belongs to a bundle not installed yet.
void report_toolsets(const host& h) {
    const auto now = h.offered();
    std::set<std::string> known{"all"};
    for (const auto& b : now->tools().bundles()) known.insert(b->toolset);
    for (const auto& name : h.settings().toolsets)
        if (!known.count(name)) base::log(base::log_level::warning, "no bundle belongs to the toolset '" + name + "'");
}

void report_start(const host& h) {
    if (::getuid() == 0) base::log(base::log_level::warning, "running as root; a normal user is enough and safer");
    report_limits(h.settings());
    report_quarantine(h);
    report_toolsets(h);
}

int serve_stdio(host& h) {
    const auto out = transport::keep_stdout_private();
    if (!out) {
        base::log(base::log_level::error, out.error().message);
        return 1;
    }
    report_start(h);
    catch_signals_for_good();
    return stdio_server{h, *out}.run();
}

}  // namespace gdalmcp::app
