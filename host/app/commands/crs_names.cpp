#include "app/commands/crs_names.hpp"

#include <utility>

#include "app/resources/reader.hpp"
#include "reflection/normal_form.hpp"

namespace gdalmcp::app {

namespace {

constexpr std::string_view prefix = "projjson-sha256:";
constexpr std::size_t digest_size = prefix.size() + 64;
constexpr std::size_t max_spellings = 1000;     // a millisecond each
constexpr std::size_t max_spelling = 1u << 14;  // WKT

bool may_be_crs(std::string_view member) {
    return member.find("crs") != std::string_view::npos || member.find("srs") != std::string_view::npos;
}

// Codes joined, WKT, PROJJSON, a PROJ string: a single code is its own normal form, and a name is a registered one.
bool may_have_digest(std::string_view s) { return s.find_first_of("+[{") != std::string_view::npos; }

}  // namespace

void crs_names::read(const json::value& spelled) {
    if (const auto* all = spelled.if_array())
        for (const auto& one : *all) read(one);
    if (const auto* o = spelled.if_object())
        for (const auto& m : *o) {
            const auto* text = m.value().if_string();
            if (!text)
                read(m.value());
            else if (may_be_crs(m.key()))
                add(*text);
        }
}

void crs_names::add(std::string_view spelling) {
    if (spelling.size() <= max_spelling && spellings_.size() < max_spellings && may_have_digest(spelling))
        spellings_.emplace(spelling);
}

void crs_names::identify() {
    const runner::cancellation never;
    const auto crs = h_.crs_lookup(never);
    for (const auto& spelling : std::exchange(spellings_, {}))
        if (const auto found = crs(spelling); found && reflection::is_projjson_hash(found->normal))
            if (auto& name = names_[found->normal]; name.empty()) name = found->label;
}

void crs_names::read_datasets() {
    if (std::exchange(datasets_read_, true)) return;
    const runner::cancellation never;
    reader resources{h_};
    const auto told = resources.datasets.summary(never);
    if (!told) return;
    for (const auto& one : told->at("crs").as_array()) {
        const auto crs = base::string_member(one, "crs"), name = base::string_member(one, "crs_name");
        if (name.empty())
            add(crs);
        else
            names_.try_emplace(std::string{crs}, name);
    }
}

std::string crs_names::in(std::string text) {
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1)) {
        const auto digest = text.substr(at, digest_size);
        if (!reflection::is_projjson_hash(digest)) continue;
        identify();
        if (!names_.count(digest)) {
            read_datasets();
            identify();
        }
        if (const auto known = names_.find(digest); known != names_.end() && !known->second.empty())
            text.replace(at, digest_size, known->second);
    }
    return text;
}

}  // namespace gdalmcp::app
