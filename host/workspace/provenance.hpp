// The provenance record of an output: `<output>.provenance.json`, beside it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "workspace/fingerprints.hpp"
#include "workspace/results.hpp"

namespace gdalmcp::workspace {

// A dataset that was read: its file and the sidecars that were read with it.
struct source {
    std::string argument;  // JSON Pointer into the arguments, in which patterns are the files they stand for
    std::string uri;       // as the caller gave it
    std::filesystem::path path;
    std::vector<std::filesystem::path> sidecars;
    std::string crs;            // "" = unknown
    json::object made_by = {};  // of a managed result: the outline of the step that made it
    std::string known_by = {};  // the state that the gate knows it by
    json::object history = {};  // how it came about, which holds when the files before it are gone; empty: not known
};

struct provenance {
    std::string tool;
    std::string bundle;                // "org.gdal-mcp.raster 0.1.0"
    json::object arguments;            // as the caller gave them
    std::vector<std::string> outputs;  // JSON Pointers of the arguments that name outputs
    std::vector<source> inputs;
    json::array decisions;  // receipts
    json::object versions;  // {"gdal-mcp": "0.1.0", "gdal": "3.6.2", …}
    std::string equivalent_command;
    json::array checks;     // checks after writing
    json::array warnings;   // that the caller was given
    json::object times_ms;  // how long each step took
    time_point started;
    std::string first_started{};  // of a replayed call: when it first began, which its outputs state; RFC 3339
    time_point finished;
};

// The files of inputs whose content the record names: each itself, its sidecars, its provenance record, and the
// unchanged files that the outlines of managed results name.
std::vector<std::filesystem::path> recorded_files(const std::vector<source>& inputs);

// The record as JSON. `results` has the steps behind the managed results it goes back to, by URI, each once. Errors: a
// recorded file without a digest.
base::result<json::object> provenance_record(const provenance& p, const digests& known);

// The same for a managed result: a file has its `state` (file identity) in place of size and digest, which the record
// of a later step fills in while the file is unchanged. `results` is left out beyond 256 KiB.
json::object provenance_outline(const provenance& p);

// The step behind the managed result `uri` that `step` read, itself with its `results`. Nothing if it is not recorded.
std::optional<json::object> step_behind_result(const json::object& step, std::string_view uri);

// Writes it to provenance_path(file). In a stage, it appears and vanishes with the output.
base::result<void> write_provenance(const std::filesystem::path& file, const json::object& record);

}  // namespace gdalmcp::workspace
