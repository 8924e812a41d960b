#include <array>
#include <cstdio>
#include <memory>

#include "app/commands/commands.hpp"
#include "base/hidden_characters.hpp"
#include "runner/thread_limit.hpp"

namespace gdalmcp::app {

namespace {

// Lines of findings, and how many of them are bad.
class findings {
public:
    void report(bool good, const std::string& what, const std::string& detail) {
        std::printf("%-4s %-22s %s\n", good ? "ok" : "BAD", what.c_str(), base::with_hidden_shown(detail).c_str());
        if (!good) ++bad_;
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
        auto h = host::open(c);
        if (h)
            report_host(f, **h);
        else
            f.report(false, "host", h.error().message);
    }
    if (f.bad())
        std::printf("%d problem(s)\n", f.bad());
    else
        std::printf("all is well\n");
    return f.bad() ? 3 : 0;
}

}  // namespace gdalmcp::app
