// Maintenance and exchange of stored reasons: `gdal-mcp reflect prune|revoke|export|import`. Each command returns the
// exit code.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/call/host.hpp"

namespace gdalmcp::app {

// Reasons that match every criterion given; of the workspace's own store only.
struct prune_choices {
    std::optional<double> older_than_days;
    std::string domain;  // empty: any
    bool stale = false;
    bool dry_run = false;
};
int prune_reasons(host& h, const prune_choices& which);

int revoke_reasons(host& h, const std::vector<std::string>& names);

struct export_choices {
    std::string format = "json";               // json, capsule, markdown
    std::string domain;                        // empty: any
    std::filesystem::path output;              // empty: stdout
    bool overwrite = false;                    // `output` may exist
    std::vector<std::filesystem::path> files;  // markdown: the outputs to document
};
int export_reasons(host& h, const export_choices& what);

// Replaces a newer local reason only with `force`.
int import_reasons(host& h, const std::filesystem::path& file, bool dry_run, bool force);

}  // namespace gdalmcp::app
