// The provenance record of an output: `<output>.provenance.json`, beside it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "workspace/fingerprints.hpp"
#include "workspace/results.hpp"

namespace gdalmcp::workspace {

// A dataset that was read: its file and the sidecars that were read with it.
struct source {
    std::string uri;  // as the caller gave it
    std::filesystem::path path;
    std::vector<std::filesystem::path> sidecars;
    std::string crs;            // "" = unknown
    json::object made_by = {};  // of a managed result: the outline of the step that made it
};

struct provenance {
    std::string tool;
    std::string bundle;      // "org.gdal-mcp.raster 0.1.0"
    json::object arguments;  // as the caller gave them
    std::vector<source> inputs;
    json::array decisions;  // receipts
    json::object versions;  // {"gdal-mcp": "0.1.0", "gdal": "3.6.2", …}
    std::string equivalent_command;
    json::array checks;     // checks after writing
    json::object times_ms;  // how long each step took
    time_point started;
    time_point finished;
};

// The files of inputs whose content the record names: each itself, its sidecars, its provenance record, and the
// unchanged files that the outlines of managed results name.
std::vector<std::filesystem::path> recorded_files(const std::vector<source>& inputs);

// The record as JSON. Errors: a recorded file without a digest.
base::result<json::object> provenance_record(const provenance& p, const digests& known);

// The same for a managed result: a file has its `state` (file identity) in place of size and digest, which the record
// of a later step fills in while the file is unchanged. Outlines of earlier results are left out beyond 256 KiB.
json::object provenance_outline(const provenance& p);

// Writes it to provenance_path(file). In a stage, it appears and vanishes with the output.
base::result<void> write_provenance(const std::filesystem::path& file, const json::object& record);

}  // namespace gdalmcp::workspace
