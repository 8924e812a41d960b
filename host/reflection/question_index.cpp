#include "reflection/question_index.hpp"

#include <sys/stat.h>

#include <ctime>

#include "base/file_identity.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "reflection/key.hpp"

namespace gdalmcp::reflection {
namespace {

constexpr std::int64_t settled_after_ns = 100'000'000;  // a folder changed this recently may change within one tick
constexpr std::size_t max_index = 256u << 20;
constexpr std::size_t worth_saving = 64;  // changes, or an eighth of the whole: saving writes everything

std::int64_t now_ns() {
    timespec t{};
    ::clock_gettime(CLOCK_REALTIME, &t);
    return base::nanoseconds(t);
}

}  // namespace

std::vector<std::string> record_names(const base::own_folder& domain_folder) {
    constexpr std::string_view suffix = ".json";
    std::vector<std::string> keys;
    for (std::string_view name : domain_folder.names()) {
        if (name.size() <= suffix.size() || name.substr(name.size() - suffix.size()) != suffix) continue;
        name.remove_suffix(suffix.size());
        if (is_cache_key(name)) keys.emplace_back(name);
    }
    return keys;
}

question_index::~question_index() {
    if (unsaved_ > 0) save();
}

std::vector<std::string> question_index::cache_keys(const std::string& domain, std::string_view question_hash,
                                                    const reader& read) {
    load();
    auto& known = domains_[domain];
    look(domain, known, read);
    std::vector<std::string> keys;
    const auto [first, last] = known.questions.equal_range(question_hash);
    for (auto it = first; it != last; ++it) keys.emplace_back(it->second);
    return keys;
}

void question_index::look(const std::string& domain, domain_records& known, const reader& read) {
    struct stat s {};
    const auto folder = folder_ / domain;
    if (!folder.look(s)) {
        unsaved_ += known.records.size();
        known = {};
        return;
    }
    const folder_state now{s.st_ino, base::nanoseconds(s.st_ctim)};
    if (known.as_of == now) return;
    const auto looked = now_ns();
    const auto look = ++known.looks;
    std::size_t changes = 0;
    for (auto& name : record_names(folder)) {
        auto found = known.records.find(name);
        if (found == known.records.end()) {
            auto question = read(name);
            if (question.empty()) continue;
            found = known.records.emplace(std::move(name), known_record{std::move(question), 0}).first;
            known.questions.emplace(found->second.question, found->first);
            ++changes;
        }
        found->second.seen = look;
    }
    for (auto it = known.records.begin(); it != known.records.end();) {
        if (it->second.seen == look) {
            ++it;
            continue;
        }
        const auto [first, last] = known.questions.equal_range(it->second.question);
        for (auto q = first; q != last; ++q)
            if (q->second == it->first) {
                known.questions.erase(q);
                break;
            }
        it = known.records.erase(it);
        ++changes;
    }
    known.as_of = looked - now.changed > settled_after_ns ? now : folder_state{};
    unsaved_ += changes;
    if (unsaved_ > worth_saving + known.records.size() / 8) save();
}

void question_index::load() {
    if (std::exchange(loaded_, true)) return;
    const auto bytes = folder_.read("index.json", max_index);
    if (!bytes) return;  // missing, or must be rebuilt
    const auto text = base::parse_json(*bytes);
    const auto* domains = text ? base::find_member(*text, "domains") : nullptr;
    if (!domains || !domains->is_object()) return;
    for (const auto& d : domains->get_object()) {
        const auto* records = base::find_member(d.value(), "records");
        if (!records || !records->is_object()) continue;
        auto& known = domains_[std::string{d.key()}];
        for (const auto& r : records->get_object())
            if (is_cache_key(r.key()) && r.value().is_string()) {
                const auto made = known.records.emplace(r.key(), known_record{std::string{r.value().get_string()}, 0});
                if (made.second) known.questions.emplace(made.first->second.question, made.first->first);
            }
        const auto *inode = base::find_member(d.value(), "inode"), *changed = base::find_member(d.value(), "changed");
        if (inode && inode->is_int64() && changed && changed->is_int64())
            known.as_of = {static_cast<std::uint64_t>(inode->get_int64()), changed->get_int64()};
    }
}

void question_index::save() {
    unsaved_ = 0;
    if (!writable_) return;
    json::object domains;
    for (const auto& [name, known] : domains_) {
        if (known.records.empty()) continue;
        json::object records;
        records.reserve(known.records.size());
        for (const auto& [cache_key, r] : known.records) records.emplace(cache_key, r.question);
        domains.emplace(name, json::object{{"inode", static_cast<std::int64_t>(known.as_of.inode)},
                                           {"changed", known.as_of.changed},
                                           {"records", std::move(records)}});
    }
    const json::object text{{"schema_version", 2}, {"domains", std::move(domains)}};
    if (const auto ok = folder_.write("index.json", base::write_json(text) + "\n"); !ok)
        base::log(base::log_level::debug, "the index of reasons was not saved: " + ok.error().message);
}

}  // namespace gdalmcp::reflection
