#include "app/server/serve_http.hpp"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/signal_set.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include "app/server/file_download.hpp"
#include "app/server/http_address.hpp"
#include "app/server/http_endpoint.hpp"
#include "app/server/serve.hpp"
#include "app/server/service.hpp"
#include "app/server/tenants.hpp"
#include "base/log.hpp"
#include "transport/host_names.hpp"

namespace gdalmcp::app {

namespace {

using transport::http_reply;
using transport::http_request;

constexpr auto farewell = std::chrono::seconds{10};  // for work in progress after a signal

double resident_bytes() {
    std::ifstream statm{"/proc/self/statm"};
    double pages = 0, resident = 0;
    statm >> pages >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// Connections and calls need more descriptors than the usual default of 1024.
void raise_descriptor_limit() {
    constexpr rlim_t enough = 65536;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= enough) return;
    limit.rlim_cur = std::min(limit.rlim_max, enough);
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0)
        base::log(base::log_level::warning,
                  "the limit of open files is unchanged: " + std::string{std::strerror(errno)});
}

double open_descriptors() {
    double n = -1;  // the folder itself
    if (auto* folder = ::opendir("/proc/self/fd")) {
        while (const auto* e = ::readdir(folder))
            if (e->d_name[0] != '.') ++n;
        ::closedir(folder);
    }
    return n;
}

std::string authority(const std::string& host, std::uint16_t port) {
    return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(port);
}

std::vector<std::string> answered_hosts(const configuration& c, const http_address& a) {
    auto hosts = transport::default_hosts(a.host);
    hosts.insert(hosts.end(), c.allow_host.begin(), c.allow_host.end());
    return hosts;
}

// The response to each path.
class http_front {
public:
    http_front(const configuration& c, http_address a, tenants& all)
        : address_{std::move(a)},
          tenants_{all},
          hosts_{answered_hosts(c, address_)},
          service_{c.slots()},
          endpoint_{service_},
          server_{service_.io(),
                  {},
                  {[this](const http_request& r, std::shared_ptr<http_reply> reply) { serve(r, std::move(reply)); },
                   [this](const http_request& head) { return is_message(head) && admit(head).has_value(); }}},
          signals_{service_.io(), SIGTERM, SIGINT},
          grace_{service_.io()} {
        all.begin(service_, [this](const tenant& t) { endpoint_.drop_tenant(t); });
    }
    ~http_front() {
        endpoint_.kill();
        tenants_.end();
    }

    int run() {
        const auto port = server_.listen(address_.host, address_.port);
        if (!port) {
            base::log(base::log_level::error, port.error().message + "; " + port.error().hint);
            return 2;
        }
        bool told = false;  // all tenants share the bundles
        tenants_.each([&](tenant& t) {
            if (!std::exchange(told, true)) report_start(t.own());
        });
        base::log(base::log_level::info, "listening on http://" + authority(address_.host, *port) + "/mcp");
        await_signal();
        service_.io().run();
        return 0;
    }

private:
    struct refusal {
        int status = 0;
        std::string why;
        transport::http_fields fields;
    };

    // The tenant of this request; null for public paths. Refusals do not depend on the body, which is then not read.
    tl::expected<tenant*, refusal> admit(const http_request& r) {
        const auto no = [](int status, std::string why, transport::http_fields fields = {}) {
            return tl::unexpected{refusal{status, std::move(why), std::move(fields)}};
        };
        if (r.count("host") != 1 || !hosts_.has_host(*r.field("host")))
            return no(403, "this server does not accept the host '" + std::string{r.field("host").value_or("")} +
                               "'; see --allow-host");
        if (const auto origin = r.field("origin"); origin && (r.count("origin") > 1 || !hosts_.has_origin(*origin)))
            return no(403, "requests from '" + std::string{*origin} + "' are not served; see --allow-host");
        if (r.path == "/healthz") return nullptr;
        const transport::http_fields challenge{{"WWW-Authenticate", "Bearer realm=\"gdal-mcp\""}};
        if (r.path == "/metrics") {
            if (tenants_.may_read_metrics(r.field("authorization"))) return nullptr;
            return no(401, "a token with metrics: true is needed", challenge);
        }
        auto* t = tenants_.find(r.field("authorization"));
        if (!t) return no(401, "a valid token is needed: Authorization: Bearer …", challenge);
        if (r.path != "/mcp" && !is_file(r)) return no(404, "there is nothing at this path; MCP is at /mcp");
        return t;
    }

    static bool is_message(const http_request& r) { return r.path == "/mcp" && r.method == "POST"; }
    static constexpr std::string_view files = "/files/";
    static bool is_file(const http_request& r) { return r.path.starts_with(files); }

    void serve(const http_request& r, std::shared_ptr<http_reply> reply) {
        const auto t = admit(r);
        if (!t) return refuse(*reply, t.error().status, t.error().why, t.error().fields);
        const bool told = r.path == "/healthz" || r.path == "/metrics";
        if (told && r.method != "GET" && r.method != "HEAD")
            return refuse(*reply, 405, r.path + " is read with GET", {{"Allow", "GET, HEAD"}});
        if (r.path == "/healthz") return tell_health(*reply);
        if (r.path == "/metrics") return tell_metrics(*reply);
        if (!is_file(r)) return endpoint_.serve(**t, r, std::move(reply));
        if (draining_) return refuse_draining(*reply);
        serve_file((*t)->own().results(), r.path.substr(files.size()), r, *reply);
    }

    void tell_health(http_reply& reply) {
        const json::object body{{"status", draining_ ? "draining" : "ok"}};
        reply.respond(draining_ ? 503 : 200, {{"Content-Type", "application/json"}}, base::write_json(body));
    }

    void tell_metrics(http_reply& reply) {
        reply.respond(200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}},
                      service_.metrics().text(gauges()));
    }

    std::vector<metric_family> gauges() {
        const auto& n = server_.counters();
        const auto d = [](auto v) { return static_cast<double>(v); };
        metric_family tasks{"gdal_mcp_tasks", "gauge", "Known tasks, by status.", {}};
        std::size_t results = 0;
        tenants_.each([&](tenant& t) {
            for (const auto& [status, count] : t.tasks().by_status())
                tasks.samples[label("status", status)] += d(count);
            results += t.own().results().list().size();
        });
        return {
            {"gdal_mcp_calls_waiting", "gauge", "Calls waiting for a slot.", {{"", d(service_.waiting())}}},
            {"gdal_mcp_requests_open", "gauge", "MCP requests not answered yet.", {{"", d(endpoint_.in_flight())}}},
            {"gdal_mcp_sessions", "gauge", "Sessions of clients with a handshake.", {{"", d(endpoint_.sessions())}}},
            tasks,
            {"gdal_mcp_results", "gauge", "Managed results held.", {{"", d(results)}}},
            {"gdal_mcp_http_connections", "gauge", "Open connections.", {{"", d(server_.connections())}}},
            {"gdal_mcp_http_connections_total", "counter", "Accepted connections.", {{"", d(n.accepted)}}},
            {"gdal_mcp_http_requests_total", "counter", "Requests read.", {{"", d(n.requests)}}},
            {"gdal_mcp_http_refused_total",
             "counter",
             "Connections and requests the HTTP server refused or cut, by reason.",
             {{label("why", "connections"), d(n.refused_for_limit)},
              {label("why", "request"), d(n.refused_requests)},
              {label("why", "slow_reader"), d(n.slow_readers)}}},
            {"gdal_mcp_http_bytes_total",
             "counter",
             "Bytes read and written.",
             {{label("way", "in"), d(n.bytes_in)}, {label("way", "out"), d(n.bytes_out)}}},
            {"process_resident_memory_bytes", "gauge", "Memory of this process.", {{"", resident_bytes()}}},
            {"process_open_fds", "gauge", "Descriptors of this process.", {{"", open_descriptors()}}},
        };
    }

    void await_signal() {
        signals_.async_wait([this](const auto& ec, int) {
            if (ec) return;
            if (draining_) return service_.io().stop();  // second signal
            leave();
            await_signal();
        });
    }

    // Gives work in progress time to end.
    void leave() {
        draining_ = true;
        endpoint_.drain();
        server_.stop_accepting();
        base::log(base::log_level::info,
                  "shutting down; running calls have " + std::to_string(farewell.count()) + " s");
        wait_for_quiet(std::chrono::steady_clock::now() + farewell);
    }
    void wait_for_quiet(std::chrono::steady_clock::time_point deadline) {
        endpoint_.close_quiet();
        const auto now = std::chrono::steady_clock::now();
        std::size_t at_work = 0;
        tenants_.each([&](tenant& t) { at_work += t.at_work(); });
        if (at_work > 0) fetched_by_ = now + 2 * tasks::poll_interval;
        const bool quiet = endpoint_.in_flight() + at_work == 0 && now >= fetched_by_;
        if (quiet || now >= deadline) {
            endpoint_.kill();
            tenants_.each([](tenant& t) { t.kill(); });
            return server_.drain(std::chrono::seconds{1}, [this] { service_.io().stop(); });
        }
        grace_.expires_after(std::chrono::milliseconds{50});
        grace_.async_wait([this, deadline](const auto& ec) {
            if (!ec) wait_for_quiet(deadline);
        });
    }

    const http_address address_;
    tenants& tenants_;
    const transport::hosts_allowed hosts_;
    service service_;
    http_endpoint endpoint_;
    transport::http_server server_;
    boost::asio::signal_set signals_;
    boost::asio::steady_timer grace_;
    bool draining_ = false;
    std::chrono::steady_clock::time_point
        fetched_by_;  // when draining: by then polling clients have the last task's result
};

}  // namespace

int serve_http(const configuration& c) {
    const auto stop = [](const base::problem& p) {
        base::log(base::log_level::error, p.message + (p.hint.empty() ? "" : "; " + p.hint));
        return 2;
    };
    auto a = http_address::of(c);
    if (!a) return stop(a.error());
    if (!transport::is_loopback(a->host))
        base::log(base::log_level::warning,
                  "tokens and data cross the network unencrypted; put a TLS proxy in front of " + c.http);
    auto all = tenants::open(c);
    if (!all) return stop(all.error());
    std::signal(SIGPIPE, SIG_IGN);
    raise_descriptor_limit();
    catch_signals_for_good();
    return http_front{c, std::move(*a), **all}.run();
}

}  // namespace gdalmcp::app
