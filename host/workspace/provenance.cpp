#include "workspace/provenance.hpp"

#include <algorithm>
#include <optional>

#include "base/digest.hpp"
#include "base/file.hpp"
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
        record->emplace("uri", in.uri);
        record->emplace("crs", in.crs);
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

}  // namespace

std::vector<fs::path> recorded_files(const std::vector<source>& inputs) {
    std::vector<fs::path> files;
    std::error_code ec;
    for (const auto& in : inputs) {
        if (!fs::is_directory(in.path, ec)) files.push_back(in.path);
        files.insert(files.end(), in.sidecars.begin(), in.sidecars.end());
        if (auto own = own_record(in)) files.push_back(std::move(*own));
    }
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

base::result<json::object> provenance_record(const provenance& p, const digests& known) {
    auto inputs = input_records(p.inputs, known);
    if (!inputs) return tl::unexpected{std::move(inputs.error())};
    return json::object{{"schema_version", 1},
                        {"tool", p.tool},
                        {"bundle", p.bundle},
                        {"arguments", p.arguments},
                        {"inputs", std::move(*inputs)},
                        {"decisions", p.decisions},
                        {"versions", p.versions},
                        {"equivalent_command", p.equivalent_command},
                        {"checks", p.checks},
                        {"times_ms", p.times_ms},
                        {"started", rfc3339(p.started)},
                        {"finished", rfc3339(p.finished)}};
}

base::result<void> write_provenance(const fs::path& file, const json::object& record) {
    const auto path = provenance_path(file);
    auto written = base::write_file_atomically(path, base::write_json(record) + "\n");
    if (!written)
        if (auto full = no_space_left(path.parent_path())) return tl::unexpected{std::move(*full)};
    return written;
}

}  // namespace gdalmcp::workspace
