// The calls behind a file, from its provenance record and those it leads to, in an order in which they can be repeated.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

struct replayed_input {
    json::object record;              // as recorded: argument, uri, path, size, sha256, sidecars, …
    std::optional<std::size_t> step;  // the step that makes it; none: data
    std::size_t output = 0;           // which output of that step
};

struct replayed_output {
    json::object record;         // as recorded: argument, driver, size_bytes, sha256, …
    std::filesystem::path file;  // written by the recorded call; empty: a managed result
    std::string uri;             // of a managed result
};

struct replayed_step {
    json::object record;
    std::vector<replayed_input> inputs;
    std::vector<replayed_output> outputs;  // those that the file goes back to, and the file itself
};

// The step behind an input, from the record beside its file. uri: as the call named it, for data that were moved.
// Nothing: there is none, or it may not be read.
using step_reader =
    std::function<std::optional<json::object>(const std::filesystem::path& file, const std::string& uri)>;

// The steps behind `file`, each call once and after those it reads from; the last one made the file. An input is the
// output of another step if it had the content that this step recorded for it. `record`: of the file. Errors: a record
// lacks what a call needs to be repeated; the records form a circle; more than 1000 steps.
base::result<std::vector<replayed_step>> plan_replay(const std::filesystem::path& file, const json::object& record,
                                                     const step_reader& step_behind);

}  // namespace gdalmcp::app
