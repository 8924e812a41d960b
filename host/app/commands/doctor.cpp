#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <set>
#include <sstream>

#include "app/commands/child_program.hpp"
#include "app/commands/commands.hpp"
#include "app/server/http_address.hpp"
#include "app/server/tenants.hpp"
#include "app/server/tokens.hpp"
#include "base/hidden_characters.hpp"
#include "base/near_names.hpp"
#include "catalog/search_path.hpp"
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

constexpr std::chrono::seconds worker_limit{20};

// A line "name: value" of the worker.
void report_worker_line(findings& f, const std::string& line) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) return;
    const auto name = line.substr(0, colon), value = line.substr(colon + 2);
    const bool good = value.compare(0, 2, "no") != 0;
    const auto limit = std::to_string(runner::max_threads) + " a call, ";
    f.report(good, name, good && name == "threads" ? limit + value : value);
}

// The worker's report on its libraries and this kernel. False: it gave none.
bool report_worker(findings& f, const installation& i) {
    const auto report = output_of({i.worker.string(), "--version"}, worker_limit);
    if (!report || report->find(": ") == std::string::npos) {
        const auto why = report ? i.worker.string() + " reports nothing" : told(report.error());
        f.report(false, "worker", why + "; run it with --version to see why, or install gdal-mcp again");
        return false;
    }
    std::istringstream lines{*report};
    for (std::string line; std::getline(lines, line);) report_worker_line(f, line);
    return true;
}

// A folder that is created on demand.
base::result<void> can_be_made(const char* flag, const fs::path& folder) {
    std::error_code ec;
    for (auto at = fs::absolute(folder, ec);; at = at.parent_path()) {
        const auto there = fs::status(at, ec);
        if (there.type() == fs::file_type::not_found && at.has_relative_path()) continue;
        const auto refuse = [&](const std::string& why) {
            return base::fail(base::code::denied, folder.string() + " is not writable: " + at.string() + why,
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

// Settings that a server accepts at start although they fail later or never take effect.
void report_settings(findings& f, const configuration& c) {
    const auto scratch = workspace::default_scratch(c.scratch, environment_variable).disk;
    const auto made = workspace::make_scratch(scratch);
    f.report(made.map([](const auto&) {}), "scratch", scratch.string());
    f.report(can_be_made("--state-dir", c.state_dir), "state", c.state_dir.string());
    for (const auto& folder : c.bundles) f.report(catalog::check_given(folder), "folder of bundles", folder.string());
    for (const auto& folder : c.justifications)
        f.report(is_folder("--justifications", folder), "library of reasons", folder.string());
    if (!c.tokens.empty()) {
        const auto tokens = read_tokens(c.tokens);
        f.report(tokens.map([](const auto&) {}), "tokens",
                 c.tokens.string() + ": " + std::to_string(tokens ? tokens->size() : 0));
    }
    if (!c.http.empty()) f.report(can_listen(c), "http", c.http);
}

// Names in the settings that match no bundle.
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
                         "'" + name + "' is unknown; known are " +
                             base::joined(std::vector<std::string>(known.begin(), known.end())));
    };
    report("--toolsets", c.toolsets, toolsets);
    report("--allow-network", c.allow_network, ids);
}

void report_workspaces(findings& f, const std::string& token, const host& h) {
    const auto of_token = token.empty() ? "" : "of the token '" + token + "': ";
    if (h.workspaces().list().empty())
        f.note("workspaces", of_token + "none: start in a data folder, or add --workspace DIR");
    for (const auto& r : h.workspaces().list())
        if (r.writable && ::access(r.folder.c_str(), W_OK | X_OK) != 0)
            f.report(false, "workspace",
                     of_token + r.folder.string() + " cannot be written: " + std::strerror(errno) +
                         "; make it writable, or give it as " + r.folder.string() + ":ro");
        else
            f.note("workspace", of_token + r.folder.string() + (r.writable ? " (read, write)" : " (read only)"));
}

void report_bundles(findings& f, const catalog::snapshot& now) {
    f.report(!now.bundles().empty(), "bundles",
             std::to_string(now.bundles().size()) + " in use with " + std::to_string(now.tools().size()) + " tools");
    for (const auto& b : now.bundles())
        if (const auto ok = catalog::verify_library(*b); !ok) f.report(false, "bundle " + b->id, told(ok.error()));
    for (const auto& q : now.quarantine()) f.report(false, "quarantined", q.path.string() + ": " + q.reason);
    for (const auto& i : now.unfinished()) f.note("incomplete", i.path.string() + ": " + i.reason);
}

void report_confined_process(findings& f, host& h) {
    const runner::cancellation never;
    const auto crs = h.identify_crs("EPSG:32633", never);
    f.report(crs && crs->normal == "EPSG:32633", "confined process",
             crs ? "starts, and PROJ's database answers" : crs.error().message);
}

// What the hosts of all tokens share.
void report_host(findings& f, host& h, bool worker_answers) {
    const auto now = h.offered();
    report_bundles(f, now->tools());
    report_names(f, h.settings(), *now);
    for (const auto& remark : h.policy_remarks()) f.report(false, "policy", remark);
    f.report(true, "reflection", std::to_string(now->specs().all().size()) + " domains");
    if (worker_answers) report_confined_process(f, h);
}

// A server over stdin and stdout has one host, one over HTTP a host for each token.
void report_hosts(findings& f, const configuration& c, bool worker_answers) {
    if (c.http.empty()) {
        const auto only = host::open(c);
        if (!only) return f.report(false, "host", told(only.error()));
        report_workspaces(f, "", **only);
        return report_host(f, **only, worker_answers);
    }
    if (!c.tokens.empty() && !read_tokens(c.tokens)) return;  // reported with the settings
    const auto all = tenants::open(c);
    if (!all) return f.report(false, "host", told(all.error()));
    host* first = nullptr;
    (*all)->each_host([&](const std::string& token, host& h) {
        report_workspaces(f, token, h);
        if (!first) first = &h;
    });
    if (first) report_host(f, *first, worker_answers);
}

}  // namespace

int run_doctor(const configuration& c) {
    findings f;
    f.report(true, "gdal-mcp", version);
    const auto parts = find_installation();
    f.report(parts.has_value(), "installation", parts ? parts->worker.parent_path().string() : parts.error().message);
    if (parts) {
        const bool worker_answers = report_worker(f, *parts);
        report_settings(f, c);
        report_hosts(f, c, worker_answers);
    }
    if (f.bad())
        std::printf("%d problem(s)\n", f.bad());
    else
        std::printf("no problems found\n");
    return f.bad() ? 3 : 0;
}

}  // namespace gdalmcp::app
