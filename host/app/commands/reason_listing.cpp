#include "app/commands/reason_listing.hpp"

#include <algorithm>
#include <cstdio>

#include "app/commands/crs_names.hpp"
#include "app/complain.hpp"
#include "base/hidden_characters.hpp"
#include "reflection/condition.hpp"
#include "reflection/methods_text.hpp"
#include "reflection/statistics.hpp"

namespace gdalmcp::app {

namespace {

using base::fail;
using base::result;
namespace code = base::code;

constexpr std::size_t digits_shown = 12;  // of a cache key; `show` and `revoke` take as many
constexpr std::size_t fewest_digits = 6;  // that name a reason
constexpr std::size_t choice_shown = 40;

void print_line(const json::value& v) { std::printf("%s\n", base::write_json(v).c_str()); }

// For a terminal: texts of agents and files may contain control sequences.
std::string legible(std::string_view text) { return base::with_hidden_shown(text); }

void print_warnings(const reflection::findings& f) {
    for (const auto& w : f.warnings) std::fprintf(stderr, "gdal-mcp: %s\n", legible(w).c_str());
}

json::object summary_of(const reflection::found_record& r, const reflection::specs& asked) {
    return {{"ref", r.ref()},
            {"domain", r.domain},
            {"cache_key", r.cache_key},
            {"choice", choice_of(r)},
            {"prompt_args", r.text.at("prompt_args")},
            {"confidence", r.text.at("justification").at("confidence")},
            {"chosen_by", r.chosen_by},
            {"timestamp", r.timestamp},
            {"stale", is_stale(r, asked)},
            {"found_in", r.found_in.empty() ? json::value{} : json::value(r.found_in)}};
}

// "jpeg (quality 60)": the choice, and the further key arguments that tell its reasons apart.
std::string choice_and_key(const reflection::record& r, const reflection::specs& asked) {
    const auto* s = asked.find(r.domain);
    std::string further;
    if (const auto* key = s ? r.text.at("prompt_args").if_object() : nullptr)
        for (const auto& [name, value] : *key)
            if (name != s->choice && !reflection::is_absent(&value))
                further += (further.empty() ? "" : ", ") + std::string{name} + " " +
                           (value.is_string() ? std::string{value.get_string()} : base::write_json(value));
    return choice_of(r) + (further.empty() ? "" : " (" + further + ")");
}

// "3 high, 1 low"
std::string counts(const json::value& words) {
    std::string all;
    for (const auto& m : words.get_object())
        all += (all.empty() ? "" : ", ") + base::write_json(m.value()) + " " + std::string{m.key()};
    return all.empty() ? "none" : all;
}

}  // namespace

std::string choice_of(const reflection::record& r) {
    return std::string{base::string_member(r.text.at("justification").at("choice"), "method")};
}

bool is_stale(const reflection::record& r, const reflection::specs& asked) {
    const auto* s = asked.find(r.domain);
    if (!s) return false;  // of a bundle that is not here now: its wording is not known
    const auto& same = s->question_prompt.equivalent_to;
    return r.prompt_hash != s->question_prompt.hash && std::find(same.begin(), same.end(), r.prompt_hash) == same.end();
}

result<reflection::findings> reasons_of(const host& h, const std::string& domain) {
    auto domains = h.reasons().domains();
    if (!domain.empty()) {
        const bool known = std::find(domains.begin(), domains.end(), domain) != domains.end();
        if (!known && !h.offered()->specs().find(domain)) {
            std::string names;
            for (const auto& s : h.offered()->specs().all()) names += (names.empty() ? "" : ", ") + s.domain;
            return fail(code::not_found, "there is no domain '" + domain + "'", "domains: " + names);
        }
        domains = {domain};
    }
    reflection::findings all;
    for (const auto& d : domains) {
        auto some = h.reasons().list(d);
        for (auto& r : some.records) all.records.push_back(std::move(r));
        for (auto& w : some.warnings) all.warnings.push_back(std::move(w));
    }
    return all;
}

result<reason> find_reason(const host& h, const std::string& name) {
    const auto digits = name.substr(name.find_last_of("/:") + 1);
    const auto all = reasons_of(h, "");
    if (!all) return tl::unexpected{all.error()};
    std::vector<reason> found;
    for (const auto& r : all->records)
        if (r->ref() == name || r->cache_key == name ||
            (digits.size() >= fewest_digits && r->cache_key.compare(7, digits.size(), digits) == 0))
            found.push_back(r);
    if (found.size() == 1) return found.front();
    if (found.empty()) {
        std::string why;
        for (const auto& w : all->warnings)
            if (!digits.empty() && w.find(digits) != std::string::npos) why = "; " + w;
        return fail(code::not_found, "there is no reason '" + name.substr(0, 160) + "'" + why,
                    "'gdal-mcp reflect list' lists them all; the first " + std::to_string(fewest_digits) +
                        " digits of a key are enough");
    }
    return fail(code::invalid_argument,
                "'" + name + "' matches " + std::to_string(found.size()) + " keys, including " + found[0]->ref() +
                    " and " + found[1]->ref(),
                "give more digits");
}

int list_reasons(host& h, const std::string& domain, bool as_json) {
    const auto all = reasons_of(h, domain);
    if (!all) return complain(all.error(), 3);
    const auto now = h.offered();
    if (as_json) {
        json::array records;
        for (const auto& r : all->records) records.push_back(summary_of(*r, now->specs()));
        print_line(json::object{{"records", std::move(records)},
                                {"warnings", json::array(all->warnings.begin(), all->warnings.end())}});
        return 0;
    }
    crs_names names{h};
    for (const auto& r : all->records) names.read(json::value(r->text));
    for (const auto& r : all->records) {
        auto choice = names.in(choice_and_key(*r, now->specs()));
        if (choice.size() > choice_shown) choice = choice.substr(0, choice_shown - 3) + "...";
        std::replace(choice.begin(), choice.end(), '\n', ' ');
        std::printf("%-16s %-*s %-11s %-5s %s %s%s%s\n", legible(r->domain).c_str(), static_cast<int>(choice_shown),
                    legible(choice).c_str(),
                    legible(base::string_member(r->text.at("justification"), "confidence")).c_str(),
                    legible(r->chosen_by).c_str(), legible(r->timestamp.substr(0, 10)).c_str(),
                    r->cache_key.substr(7, digits_shown).c_str(), is_stale(*r, now->specs()) ? "  stale" : "",
                    r->found_in.empty() ? "" : legible("  in " + r->found_in).c_str());
    }
    std::printf("%zu reason(s)\n", all->records.size());
    print_warnings(*all);
    return 0;
}

int show_reason(host& h, const std::string& name, bool as_json) {
    const auto found = find_reason(h, name);
    if (!found) return complain(found.error(), 3);
    const auto& r = **found;
    if (as_json) {
        print_line(json::value(r.text));
        return 0;
    }
    crs_names names{h};
    names.read(json::value(r.text));
    const auto now = h.offered();
    const auto tool = base::string_member(r.text, "tool_name");
    std::printf("%s\n%s%s%s%s\nscope %s\n%s", legible(r.ref()).c_str(),
                is_stale(r, now->specs()) ? "stale: answered under another wording of the question" : "in force",
                tool.empty() ? "" : ", asked by ", legible(tool).c_str(),
                r.found_in.empty() ? "" : legible(", in " + r.found_in).c_str(),
                legible(base::write_json(r.text.at("scope"))).c_str(),
                legible(names.in(reflection::reasons_text({*found}, now->specs()))).c_str());
    return 0;
}

int print_statistics(host& h, bool as_json) {
    const auto all = reasons_of(h, "");
    if (!all) return complain(all.error(), 3);
    reflection::statistics sums;
    for (const auto& r : all->records) sums.add(*r);
    const auto read = h.history().file().each([&](const json::object& line) {
        if (const auto* receipts = line.if_contains("receipts"); receipts && receipts->is_array())
            for (const auto& receipt : receipts->get_array()) sums.add_receipt(receipt);
    });
    if (!read) return complain(read.error(), 3);
    print_warnings(*all);
    const auto text = sums.text();
    if (as_json) {
        print_line(json::value(text));
        return 0;
    }
    std::printf("reasons      %s\n", base::write_json(text.at("reasons")).c_str());
    const auto* rate = text.at("hit_rate").if_double();
    std::printf("hit rate     %s\n", rate ? (std::to_string(static_cast<int>(*rate * 100 + 0.5)) + " %").c_str()
                                          : "no question was asked yet");
    for (const char* name : {"decisions", "confidence", "chosen_by"})
        std::printf("%-12s %s\n", name, counts(text.at(name)).c_str());
    for (const auto& d : text.at("domains").get_object())
        std::printf("  %-18s %s reason(s), asked %s time(s); %s\n", std::string{d.key()}.c_str(),
                    base::write_json(d.value().at("reasons")).c_str(),
                    base::write_json(d.value().at("questions")).c_str(), counts(d.value().at("decisions")).c_str());
    crs_names names{h};
    for (const auto& r : all->records) names.read(json::value(r->text));
    for (const auto& r : text.at("most_revisited").get_array())
        std::printf("revisited    %s times: %s %s\n", base::write_json(r.at("revisits")).c_str(),
                    legible(base::string_member(r, "ref")).c_str(),
                    legible(names.in(std::string{base::string_member(r, "choice")})).c_str());
    return 0;
}

}  // namespace gdalmcp::app
