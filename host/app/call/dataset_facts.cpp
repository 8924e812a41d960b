#include "app/call/dataset_facts.hpp"

#include "base/file_identity.hpp"
#include "base/log.hpp"
#include "base/schema.hpp"
#include "workspace/read_files.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::result;

namespace {

constexpr std::size_t max_record = 1u << 16;
constexpr int schema_version = 1;

const base::schema& shape() {
    static const auto s = base::schema::constant(R"({
        "type": "object", "required": ["schema_version", "size", "facts"], "properties": {
            "schema_version": {"type": "integer", "enum": [1]},
            "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "partial_sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "size": {"type": "integer", "minimum": 0},
            "facts": {"type": "object", "additionalProperties": {"type": "string"}}}})");
    return s;
}

std::string name_of(const workspace::fingerprint& f) { return std::string{f.name()} + ":" + f.hex + ".json"; }

// The name that matches the content.
std::string name_of(const json::value& record) {
    const auto whole = base::string_member(record, "sha256");
    return name_of(whole.empty()
                       ? workspace::fingerprint{std::string{base::string_member(record, "partial_sha256")}, true}
                       : workspace::fingerprint{std::string{whole}});
}

// As that of a digest: of all files of the dataset.
std::uintmax_t size_of(const fs::path& file) {
    std::uintmax_t size = 0;
    std::error_code ec;
    for (const auto& one : workspace::read_files(file))
        if (const auto bytes = fs::file_size(one, ec); !ec) size += bytes;
    return size;
}

}  // namespace

void dataset_facts::read_folder() {
    struct stat s {};
    if (!folder_.look(s)) return;
    const auto changed = base::nanoseconds(s.st_mtim);
    if (changed == read_at_) return;
    facts_.clear();
    sizes_.clear();
    for (const auto& file : folder_.names()) {
        if (fs::path{file}.extension() != ".json" || file.find("sha256:") == std::string::npos) continue;
        const auto text =
            folder_.read(file, max_record).and_then([](const std::string& t) { return base::parse_json(t); });
        if (!text || !shape().check(*text) || name_of(*text) != file) {
            base::log(base::log_level::warning,
                      (folder_.path() / file).string() + " is ignored: its content does not match its name");
            continue;
        }
        facts_[file] = text->at("facts").get_object();
        sizes_.insert(text->at("size").to_number<std::uintmax_t>());
    }
    read_at_ = changed;
}

json::object dataset_facts::of(const fs::path& file, const digest_of& digest) {
    {
        const std::lock_guard lock{guard_};
        read_folder();
        if (sizes_.empty() || !sizes_.count(size_of(file))) return {};
    }
    const auto known = digest(file);
    const std::lock_guard lock{guard_};
    const auto found = known ? facts_.find(name_of(*known)) : facts_.end();
    return found == facts_.end() ? json::object{} : found->second;
}

result<void> dataset_facts::keep(const fs::path& file, const std::string& fact, const std::string& value,
                                 const digest_of& digest) {
    const auto known = digest(file);
    if (!known) return tl::unexpected{known.error()};
    const auto name = name_of(*known);
    const std::lock_guard lock{guard_};
    read_folder();
    auto facts = facts_[name];
    if (base::string_member(facts, fact) == value) return {};
    facts[fact] = value;
    const json::object record{{"schema_version", schema_version},
                              {known->name(), known->hex},
                              {"size", known->size},
                              {"path", file.string()},
                              {"facts", facts}};
    if (auto ok = folder_.write(name, base::canonical_json(json::value(record)) + "\n"); !ok) return ok;
    facts_[name] = std::move(facts);
    sizes_.insert(known->size);
    return {};
}

}  // namespace gdalmcp::app
