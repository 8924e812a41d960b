// What is known about a replay before anything runs: whether the data are what they were, and what else has changed.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/call/host.hpp"
#include "app/call/replay_plan.hpp"

namespace gdalmcp::app {

struct checked_step {
    std::vector<std::filesystem::path> data;  // of each input where it is now; empty: another step makes it
    std::vector<std::string> obstacles;       // why the step cannot make the same; it is not run
    std::vector<std::string> remarks;         // versions that differ
    std::vector<std::string> originals;       // outputs that are gone or no longer the recorded ones; none is read
};

checked_step check_step(host& h, const replayed_step& step, const runner::cancellation& cancel);

// "org.gdal-mcp.raster 0.1.0 then, … 0.2.0 now" for each program whose version is known to differ.
std::vector<std::string> other_versions(const json::object& then, const json::object& now);

// The references of the step's receipts to reasons that are not stored here.
std::vector<std::string> missing_reasons(const host& h, const json::object& step);

}  // namespace gdalmcp::app
