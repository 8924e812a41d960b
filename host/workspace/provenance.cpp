#include "workspace/provenance.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/file_identity.hpp"
#include "workspace/file_system.hpp"
#include "workspace/sidecars.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;

// The provenance record of an input: the chain of reasons behind it. Links are not followed: one could lead to any file
// of the host's.
std::optional<fs::path> own_record(const source& in) {
    std::error_code ec;
    auto own = provenance_path(in.path);
    if (!fs::is_regular_file(fs::symlink_status(own, ec))) return std::nullopt;
    return own;
}

// Of a file that is there, else empty.
std::string state_of(const fs::path& file) {
    struct stat s {};
    return ::stat(file.c_str(), &s) == 0 ? base::to_string(base::identity_of(s)) : std::string{};
}

constexpr const char* by_state[] = {"sidecars", "files"};  // lists of files beside an input's own

// Every file of a step, {path, state}.
template <class Do>
void for_each_file(json::object& step, const Do& act) {
    auto* inputs = step.if_contains("inputs");
    if (!inputs) return;
    for (auto& in : inputs->as_array()) {
        auto& o = in.as_object();
        if (o.contains("state")) act(o);
        for (const char* list : by_state)
            if (auto* beside = o.if_contains(list))
                for (auto& one : beside->as_array()) act(one.as_object());
    }
}

// The steps behind managed results among the inputs, and behind those in turn, by URI.
json::object results_behind(const std::vector<source>& inputs) {
    json::object all;
    for (const auto& in : inputs) {
        if (in.made_by.empty()) continue;
        auto step = in.made_by;
        if (const auto* earlier = step.if_contains("results"))
            for (const auto& one : earlier->as_object()) all[one.key()] = one.value();
        step.erase("results");
        all[in.uri] = std::move(step);
    }
    return all;
}

bool is_unchanged(const json::object& file) {
    return state_of(std::string{base::string_member(file, "path")}) == base::string_member(file, "state");
}

// Adds size and digest to every file of a step that is unchanged since, `changed` to others.
void complete(json::object& step, const digests& known) {
    for_each_file(step, [&](json::object& file) {
        const auto digest = known.find(std::string{base::string_member(file, "path")});
        if (digest != known.end() && is_unchanged(file)) {
            file["size"] = digest->second.size;
            file[digest->second.name()] = digest->second.hex;
        } else {
            file["changed"] = true;
        }
        file.erase("state");
    });
}

base::result<json::object> file_record(const fs::path& file, const digests& known) {
    const auto digest = known.find(file);
    if (digest == known.end())
        return base::fail(base::code::io, file.string() + " appeared while the call ran, and was not hashed",
                          "run the call again when nothing writes there");
    const auto& f = digest->second;
    return json::object{{"path", file.string()}, {"size", f.size}, {f.name(), f.hex}};
}

// Of a dataset that is a folder: its size, and the digest of `sha256  path` lines of its files, as sha256sum writes
// them, in the order of their paths. It is partial if one of the files' is.
void sum_up(json::object& folder, const json::array& files) {
    std::uintmax_t size = 0;
    std::string lines;
    bool partial = false;
    for (const auto& f : files) {
        const auto part = base::string_member(f, "partial_sha256");
        partial = partial || !part.empty();
        size += f.at("size").to_number<std::uintmax_t>();
        lines += std::string{part.empty() ? base::string_member(f, "sha256") : part} + "  " +
                 std::string{base::string_member(f, "path")} + "\n";
    }
    folder["size"] = size;
    folder[partial ? "partial_sha256" : "sha256"] = base::sha256_hex(lines);
}

base::result<json::array> input_records(const std::vector<source>& inputs, const digests& known) {
    json::array records;
    for (const auto& in : inputs) {
        std::error_code ec;
        const bool folder = fs::is_directory(in.path, ec);
        auto record =
            folder ? base::result<json::object>{json::object{{"path", in.path.string()}}} : file_record(in.path, known);
        if (!record) return tl::unexpected{std::move(record.error())};
        record->emplace("argument", in.argument);
        record->emplace("uri", in.uri);
        record->emplace("crs", in.crs);
        record->emplace("known_by", in.known_by);
        if (!in.history.empty()) record->emplace("made_by", in.history);
        json::array sidecars;
        for (const auto& s : in.sidecars) {
            auto beside = file_record(s, known);
            if (!beside) return tl::unexpected{std::move(beside.error())};
            sidecars.push_back(std::move(*beside));
        }
        if (folder) sum_up(*record, sidecars);
        if (!sidecars.empty()) record->emplace(folder ? "files" : "sidecars", std::move(sidecars));
        if (const auto own = own_record(in)) {
            auto parent = file_record(*own, known);
            if (!parent) return tl::unexpected{std::move(parent.error())};
            record->emplace("provenance", std::move(*parent));
        }
        records.push_back(std::move(*record));
    }
    return records;
}

json::object step_record(const provenance& p, json::array inputs) {
    json::array outputs;
    for (const auto& pointer : p.outputs) outputs.emplace_back(pointer);
    json::object record{{"schema_version", 1},
                        {"tool", p.tool},
                        {"bundle", p.bundle},
                        {"arguments", p.arguments},
                        {"inputs", std::move(inputs)},
                        {"outputs", std::move(outputs)},
                        {"decisions", p.decisions},
                        {"versions", p.versions},
                        {"equivalent_command", p.equivalent_command},
                        {"checks", p.checks},
                        {"times_ms", p.times_ms},
                        {"started", rfc3339(p.started)},
                        {"finished", rfc3339(p.finished)}};
    if (!p.warnings.empty()) record["warnings"] = p.warnings;
    if (!p.first_started.empty()) record["first_started"] = p.first_started;
    return record;
}

}  // namespace

std::vector<fs::path> recorded_files(const std::vector<source>& inputs) {
    std::vector<fs::path> files;
    std::error_code ec;
    for (const auto& in : inputs) {
        if (!fs::is_directory(in.path, ec)) files.push_back(in.path);
        files.insert(files.end(), in.sidecars.begin(), in.sidecars.end());
        if (auto own = own_record(in)) files.push_back(std::move(*own));
    }
    auto results = results_behind(inputs);
    for (auto& step : results)
        for_each_file(step.value().as_object(), [&](const json::object& file) {
            if (is_unchanged(file)) files.emplace_back(std::string{base::string_member(file, "path")});
        });
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

base::result<json::object> provenance_record(const provenance& p, const digests& known) {
    auto inputs = input_records(p.inputs, known);
    if (!inputs) return tl::unexpected{std::move(inputs.error())};
    auto record = step_record(p, std::move(*inputs));
    auto results = results_behind(p.inputs);
    for (auto& step : results) complete(step.value().as_object(), known);
    if (!results.empty()) record["results"] = std::move(results);
    return record;
}

json::object provenance_outline(const provenance& p) {
    constexpr std::size_t max_outline = 256u << 10;
    json::array inputs;
    std::error_code ec;
    const auto by_state_of = [](const fs::path& file) {
        return json::object{{"path", file.string()}, {"state", state_of(file)}};
    };
    for (const auto& in : p.inputs) {
        const bool folder = fs::is_directory(in.path, ec), result = !in.made_by.empty();
        auto record = folder || result ? json::object{{"path", in.path.string()}} : by_state_of(in.path);
        record["argument"] = in.argument;
        record["uri"] = in.uri;
        record["crs"] = in.crs;
        record["known_by"] = in.known_by;
        if (!in.history.empty()) record["made_by"] = in.history;
        json::array beside;
        if (!result)  // that step's record has the digests of its output
            for (const auto& s : in.sidecars) beside.push_back(by_state_of(s));
        if (!beside.empty()) record[folder ? "files" : "sidecars"] = std::move(beside);
        inputs.push_back(std::move(record));
    }
    auto outline = step_record(p, std::move(inputs));
    auto results = results_behind(p.inputs);
    if (!results.empty() && base::write_json(json::value(results)).size() <= max_outline)
        outline["results"] = std::move(results);
    return outline;
}

std::optional<json::object> step_behind_result(const json::object& step, std::string_view uri) {
    const auto* results = step.if_contains("results");
    const auto* behind = results ? base::find_member(*results, uri) : nullptr;
    if (!behind || !behind->is_object()) return std::nullopt;
    auto earlier = behind->get_object();
    earlier["results"] = *results;
    return earlier;
}

base::result<void> write_provenance(const fs::path& file, const json::object& record) {
    const auto path = provenance_path(file);
    auto written = base::write_file_atomically(path, base::write_json(record) + "\n");
    if (!written)
        if (auto full = no_space_left(path.parent_path())) return tl::unexpected{std::move(*full)};
    return written;
}

}  // namespace gdalmcp::workspace
