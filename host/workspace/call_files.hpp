// The files one call may read and write.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "workspace/results.hpp"
#include "workspace/role.hpp"
#include "workspace/roots.hpp"

namespace gdalmcp::workspace {

namespace json = boost::json;

struct input {
    std::string pointer;         // JSON Pointer of the argument
    std::string given;           // as the caller spelled it
    std::filesystem::path path;  // the file, canonical
    std::string dataset;         // the name for GDAL: the path, or a subdataset name around it
    workspace::role role = role::input_any;
    bool as_geometry = false;               // given for a geometry: its features together form the area
    std::shared_ptr<const managed> result;  // set for query://result/{id}: kept alive while this call runs
};

struct output {
    std::string pointer;
    workspace::role role = role::output_any;
    std::optional<std::filesystem::path> target;  // none: a managed result
    std::string file_name;                        // last part of target, or result.tif, .gpkg, .csv
    bool overwrite = false;
};

// A file beside the first input that the call is asked to drop, such as an index.
struct removal {
    std::string pointer;  // of the output it would have been
    std::filesystem::path target;
};

struct call_files {
    json::object arguments;  // inputs and named outputs rewritten to absolute paths
    std::vector<input> inputs;
    std::vector<output> outputs;
    std::vector<removal> removals;  // after the tool succeeded
};

// Follows the x-gdalmcp roles of `schema` through `arguments` (checked, defaults filled in), at any depth: each input
// string becomes the path of a file in a root or of a managed result, each output string the path of a file that may be
// written. GeoJSON objects given for vector inputs stay as they are. Text given for a geometry is GeoJSON or a box if
// it is JSON, else a vector dataset and thus an input. An output argument left out is a managed result, or, with
// x-gdalmcp-beside, the file of that name beside the first input; with `drop` that file is to be removed, and the tool
// gets no output. Errors carry `at` = the pointer of the argument.
base::result<call_files> plan(const json::value& schema, json::object arguments, const roots& where, results& kept);

}  // namespace gdalmcp::workspace
