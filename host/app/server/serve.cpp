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

// A name nobody answers to is a typing error, or a bundle that is still to come.
void report_toolsets(const std::vector<std::string>& wanted, const catalog::snapshot& s) {
    std::set<std::string> known{"all"};
    for (const auto& b : s.bundles()) known.insert(b->toolset);
    for (const auto& name : wanted)
        if (!known.count(name)) base::log(base::log_level::warning, "no bundle belongs to the toolset '" + name + "'");
}

// A hard limit we were started with that is lower than what calls are to have: they have that.
void report_limits(const configuration& c) {
    const auto report = [](auto which, const char* flag, std::uint64_t wanted, std::uint64_t unit, const char* what) {
        rlimit r{};
        if (::getrlimit(which, &r) != 0 || r.rlim_max >= wanted) return;
        base::log(base::log_level::warning, "calls have " + std::to_string(r.rlim_max / unit) + " " + what +
                                                " instead of " + std::to_string(wanted / unit) + ", as ulimit " + flag +
                                                " says; raise it if calls fail");
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
    // The client is gone, or we are told to go: what runs is killed, its stages vanish with its threads.
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

// asio puts the default action back with the last signal set there is: this one is never destroyed.
void catch_signals_for_good() {
    static auto* const never_run = new boost::asio::io_context;
    static const auto* const caught = new boost::asio::signal_set{*never_run, SIGTERM, SIGINT};
    static_cast<void>(caught);
}

void report_start(const host& h) {
    if (::getuid() == 0) base::log(base::log_level::warning, "running as root; a normal user is enough and safer");
    report_limits(h.settings());
    report_quarantine(h);
    report_toolsets(h.settings().toolsets, h.offered()->tools());
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
