#include <array>
#include <cstdio>
#include <memory>

#include "app/commands.hpp"

namespace gdalmcp::app {

namespace {

int failures = 0;

void report(bool good, const std::string& what, const std::string& detail) {
    std::printf("%-4s %-22s %s\n", good ? "ok" : "BAD", what.c_str(), detail.c_str());
    if (!good) ++failures;
}

void note(const std::string& what, const std::string& detail) {
    std::printf("     %-22s %s\n", what.c_str(), detail.c_str());
}

// What the worker says about its libraries and this kernel: lines "name: value".
void report_worker(const installation& i) {
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
        const auto value = text.substr(colon + 2);
        report(value.compare(0, 2, "no") != 0, text.substr(0, colon), value);
    }
    if (!any) report(false, "worker", i.worker.string() + " does not start");
}

void report_host(host& h) {
    if (h.workspaces().list().empty()) note("workspaces", "none: start in a data folder, or add --workspace DIR");
    for (const auto& r : h.workspaces().list())
        note("workspace", r.folder.string() + (r.writable ? " (read, write)" : " (read only)"));
    report(!h.tools().bundles().empty(), "bundles",
           std::to_string(h.tools().bundles().size()) + " in use with " + std::to_string(h.tools().tools().size()) +
               " tools");
    for (const auto& q : h.tools().quarantine()) report(false, "quarantined", q.path.string() + ": " + q.reason);
    report(true, "reflection", std::to_string(h.specs().all().size()) + " domains");
    const runner::cancellation never;
    const auto crs = h.identify_crs("EPSG:32633", never);
    report(crs && crs->normal == "EPSG:32633", "confined process",
           crs ? "starts, and PROJ's database answers" : crs.error().message);
}

}  // namespace

int run_doctor(const configuration& c) {
    report(true, "gdal-mcp", version);
    const auto parts = find_installation();
    report(parts.has_value(), "installation", parts ? parts->worker.parent_path().string() : parts.error().message);
    if (parts) {
        report_worker(*parts);
        auto h = host::open(c);
        if (h)
            report_host(**h);
        else
            report(false, "host", h.error().message);
    }
    if (failures)
        std::printf("%d problem(s)\n", failures);
    else
        std::printf("all is well\n");
    return failures ? 3 : 0;
}

}  // namespace gdalmcp::app
