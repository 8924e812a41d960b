#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>

#include "app/commands/commands.hpp"
#include "app/server/http_address.hpp"
#include "app/server/tokens.hpp"
#include "base/hidden_characters.hpp"
#include "base/near_names.hpp"
#include "runner/thread_limit.hpp"
#include "transport/http.hpp"

namespace gdalmcp::app {

namespace {

namespace fs = std::filesystem;

std::string told(const base::problem& p) { return p.hint.empty() ? p.message : p.message + "; " + p.hint; }

// Lines of findings, and how many of them are bad.
class findings {
public:
    void report(bool good, const std::string& what, const std::string& detail) {
        std::printf("%-4s %-22s %s\n", good ? "ok" : "BAD", what.c_str(), base::with_hidden_shown(detail).c_str());
        if (!good) ++bad_;
    }
    void report(const base::result<void>& checked, const std::string& what, const std::string& detail) {
        report(checked.has_value(), what, checked ? detail : told(checked.error()));
    }
    void note(const std::string& what, const std::string& detail) {
        std::printf("     %-22s %s\n", what.c_str(), base::with_hidden_shown(detail).c_str());
    }
    int bad() const { return bad_; }

private:
    int bad_ = 0;
};

// What the worker says about its libraries and this kernel: lines "name: value".
void report_worker(findings& f, const installation& i) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe{
        ::popen(("'" + i.worker.string() + "' --version").c_str(), "r"), &::pclose};
    std::array<char, 512> line{};
    bool any = false;
    while (pipe && std::fgets(line.data(), static_cast<int>(line.size()), pipe.get())) {
        std::string text{line.data()};
        if (!text.empty() && text.back() == '\n') text.pop_back();
        const auto colon = text.find(": ");
        if (colon == std::string::npos) continue;
        any = true;
        const auto name = text.substr(0, colon), value = text.substr(colon + 2);
        const bool good = value.compare(0, 2, "no") != 0;
        const auto limit = std::to_string(runner::max_threads) + " a call, ";
        f.report(good, name, good && name == "threads" ? limit + value : value);
    }
    if (!any) f.report(false, "worker", i.worker.string() + " does not start");
}

// A folder that is made when it is needed.
base::result<void> can_be_made(const char* flag, const fs::path& folder) {
    std::error_code ec;
    for (auto at = fs::absolute(folder, ec);; at = at.parent_path()) {
        const auto there = fs::status(at, ec);
        if (there.type() == fs::file_type::not_found && at.has_relative_path()) continue;
        const auto refuse = [&](const std::string& why) {
            return base::fail(base::code::denied, folder.string() + " cannot be written to: " + at.string() + why,
                              std::string{"name another folder with "} + flag + " DIR");
        };
        if (!fs::is_directory(there)) return refuse(" is not a folder");
        if (::access(at.c_str(), W_OK | X_OK) != 0) return refuse(std::string{": "} + std::strerror(errno));
        return {};
    }
}

base::result<void> is_folder(const char* flag, const fs::path& folder) {
    std::error_code ec;
    if (fs::is_directory(folder, ec)) return {};
    return base::fail(base::code::not_found, std::string{flag} + " " + folder.string() + ": there is no such folder",
                      std::string{"correct it, or leave out "} + flag);
}

// By listening there for a moment.
base::result<void> can_listen(const configuration& c) {
    const auto address = http_address::of(c);
    if (!address) return tl::unexpected{address.error()};
    boost::asio::io_context io;
    transport::http_server server{io, {}, {}};
    return server.listen(address->host, address->port).map([](std::uint16_t) {});
}

// Settings that stop no start, and of which a server notices too late or never that they do not hold.
void report_settings(findings& f, const configuration& c) {
    const auto scratch = workspace::default_scratch(c.scratch, environment_variable).disk;
    const auto made = workspace::make_scratch(scratch);
    f.report(made.map([](const auto&) {}), "scratch", scratch.string());
    f.report(can_be_made("--state-dir", c.state_dir), "state", c.state_dir.string());
    for (const auto& folder : c.bundles) f.report(is_folder("--bundles", folder), "folder of bundles", folder.string());
    for (const auto& folder : c.justifications)
        f.report(is_folder("--justifications", folder), "library of reasons", folder.string());
    if (!c.tokens.empty()) {
        const auto tokens = read_tokens(c.tokens);
        f.report(tokens.map([](const auto&) {}), "tokens",
                 c.tokens.string() + ": " + std::to_string(tokens ? tokens->size() : 0));
    }
    if (!c.http.empty()) f.report(can_listen(c), "http", c.http);
}

// Names of the settings that no bundle has.
void report_names(findings& f, const configuration& c, const tool_set& now) {
    std::set<std::string> toolsets{"all"}, ids;
    for (const auto& b : now.tools().bundles()) {
        toolsets.insert(b->toolset);
        ids.insert(b->id);
    }
    for (const auto& q : now.tools().quarantine()) ids.insert(q.id);
    const auto report = [&](const char* flag, const std::vector<std::string>& names,
                            const std::set<std::string>& known) {
        for (const auto& name : names)
            if (!known.count(name))
                f.report(false, flag,
                         "'" + name + "' is not known; there are " +
                             base::joined(std::vector<std::string>(known.begin(), known.end())));
    };
    report("--toolsets", c.toolsets, toolsets);
    report("--allow-network", c.allow_network, ids);
}

void report_host(findings& f, host& h) {
    if (h.workspaces().list().empty()) f.note("workspaces", "none: start in a data folder, or add --workspace DIR");
    for (const auto& r : h.workspaces().list())
        f.note("workspace", r.folder.string() + (r.writable ? " (read, write)" : " (read only)"));
    const auto now = h.offered();
    f.report(!now->tools().bundles().empty(), "bundles",
             std::to_string(now->tools().bundles().size()) + " in use with " +
                 std::to_string(now->tools().tools().size()) + " tools");
    for (const auto& q : now->tools().quarantine()) f.report(false, "quarantined", q.path.string() + ": " + q.reason);
    for (const auto& i : now->tools().unfinished()) f.note("incomplete", i.path.string() + ": " + i.reason);
    report_names(f, h.settings(), *now);
    for (const auto& remark : h.policy_remarks()) f.report(false, "policy", remark);
    f.report(true, "reflection", std::to_string(now->specs().all().size()) + " domains");
    const runner::cancellation never;
    const auto crs = h.identify_crs("EPSG:32633", never);
    f.report(crs && crs->normal == "EPSG:32633", "confined process",
             crs ? "starts, and PROJ's database answers" : crs.error().message);
}

}  // namespace

int run_doctor(const configuration& c) {
    findings f;
    f.report(true, "gdal-mcp", version);
    const auto parts = find_installation();
    f.report(parts.has_value(), "installation", parts ? parts->worker.parent_path().string() : parts.error().message);
    if (parts) {
        report_worker(f, *parts);
        report_settings(f, c);
        auto h = host::open(c);
        if (h)
            report_host(f, **h);
        else
            f.report(false, "host", told(h.error()));
    }
    if (f.bad())
        std::printf("%d problem(s)\n", f.bad());
    else
        std::printf("all is well\n");
    return f.bad() ? 3 : 0;
}

}  // namespace gdalmcp::app
