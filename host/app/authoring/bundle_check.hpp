// `gdal-mcp bundle check`: the host's own lint and contract suite, for authors of bundles. What the catalogue would say
// of the bundle, all of it at once, and what its tools really do when they are called, confined as ever.
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
    std::filesystem::path kept;      // the sample datasets go there and stay; empty: a temporary folder that goes
};

// Deterministic: the same bundle gives the same calls in the same order. Of `c` the sandbox, the scratch folder, trust
// and network grants count. Errors: what keeps the check itself from working; whatever is wrong with the bundle is a
// finding. `bundle`: its folder, or a bare library.
base::result<check_report> check_bundle(const std::filesystem::path& bundle, const configuration& c,
                                        const installation& parts, const check_settings& s = {});

}  // namespace gdalmcp::app
