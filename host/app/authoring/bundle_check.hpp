// `gdal-mcp bundle check`: the host's lint and contract suite for bundle authors. Reports every finding of the
// catalogue at once, then calls the tools, confined as in production, and checks their behaviour.
#pragma once
#include <chrono>
#include <filesystem>

#include "app/authoring/check_report.hpp"
#include "app/call/installation.hpp"
#include "app/configuration.hpp"

namespace gdalmcp::app {

struct check_settings {
    std::chrono::seconds limit{20};  // wall time of one call
    std::filesystem::path samples;   // the author's own; tools are called with copies of them first. Empty: none
    std::filesystem::path kept;      // folder that keeps the sample datasets; empty: a temporary folder
};

// Deterministic: the same bundle gives the same calls in the same order. Uses the sandbox, scratch folder, trust and
// network grants of `c`. Errors: the check itself cannot run; defects of the bundle are findings. `bundle`: its folder,
// or a bare library.
base::result<check_report> check_bundle(const std::filesystem::path& bundle, const configuration& c,
                                        const installation& parts, const check_settings& s = {});

}  // namespace gdalmcp::app
