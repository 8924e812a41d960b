#include "app/calls/dataset_facts.hpp"

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/schema.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::result;

namespace {

constexpr std::size_t largest_record = 1u << 16;
constexpr int schema_version = 1;

const base::schema& shape() {
    static const auto s = base::schema::compile(base::parse_json(R"({
        "type": "object", "required": ["schema_version", "sha256", "size", "facts"], "properties": {
            "schema_version": {"type": "integer", "enum": [1]},
            "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "size": {"type": "integer", "minimum": 0},
            "facts": {"type": "object", "additionalProperties": {"type": "string"}}}})")
                                                    .value())
                              .value();
    return s;
}

}  // namespace

dataset_facts::dataset_facts(fs::path folder, workspace::fingerprints& known)
    : folder_{std::move(folder)}, fingerprints_{known} {}

void dataset_facts::read_folder() {
    std::error_code ec;
    const auto changed = fs::last_write_time(folder_, ec);
    if (ec || changed == read_at_) return;
    facts_.clear();
    sizes_.clear();
    for (fs::directory_iterator it{folder_, ec}, end; !ec && it != end; it.increment(ec)) {
        const auto name = it->path().filename().string();
        if (it->path().extension() != ".json" || name.compare(0, 7, "sha256:") != 0) continue;
        const auto text = base::read_file(it->path(), largest_record).and_then([](const std::string& t) {
            return base::parse_json(t);
        });
        if (!text || !shape().check(*text) ||
            "sha256:" + std::string{base::string_member(*text, "sha256")} + ".json" != name) {
            base::log(base::log_level::warning,
                      it->path().string() + " is ignored: it does not say what its name says");
            continue;
        }
        facts_[std::string{base::string_member(*text, "sha256")}] = text->at("facts").get_object();
        sizes_.insert(text->at("size").to_number<std::uintmax_t>());
    }
    read_at_ = changed;
}

json::object dataset_facts::of(const fs::path& file) {
    std::error_code ec;
    const auto size = fs::file_size(file, ec);
    {
        const std::lock_guard lock{guard_};
        read_folder();
        if (ec || !sizes_.count(size)) return {};
    }
    const auto sha256 = fingerprints_.sha256(file);
    const std::lock_guard lock{guard_};
    const auto found = sha256 ? facts_.find(*sha256) : facts_.end();
    return found == facts_.end() ? json::object{} : found->second;
}

result<void> dataset_facts::keep(const fs::path& file, const std::string& fact, const std::string& value) {
    const auto sha256 = fingerprints_.sha256(file);
    if (!sha256) return tl::unexpected{sha256.error()};
    const std::lock_guard lock{guard_};
    read_folder();
    auto facts = facts_[*sha256];
    if (base::string_member(facts, fact) == value) return {};
    facts[fact] = value;
    std::error_code ec;
    const auto size = fs::file_size(file, ec);
    fs::create_directories(folder_, ec);
    const json::object record{{"schema_version", schema_version},
                              {"sha256", *sha256},
                              {"size", size},
                              {"path", file.string()},
                              {"facts", facts}};
    if (auto ok = base::write_file_atomically(folder_ / ("sha256:" + *sha256 + ".json"),
                                              base::canonical_json(json::value(record)) + "\n");
        !ok)
        return ok;
    facts_[*sha256] = std::move(facts);
    sizes_.insert(size);
    return {};
}

}  // namespace gdalmcp::app
