#include "reflection/settled.hpp"

#include <algorithm>
#include <set>

#include "reflection/digits.hpp"
#include "reflection/possible_values.hpp"

namespace gdalmcp::reflection {
namespace {

// The only method that calls of this tool can choose; empty: there are several, or the spec names it itself, to ask
// about the tool as such.
std::string only_method(const spec& s, const inquiry& q) {
    const auto* arguments = q.schemas ? q.schemas(q.asked.tool) : nullptr;
    const auto sources = s.tools.at(q.asked.tool).find(s.choice);
    const bool chosen =
        sources != s.tools.at(q.asked.tool).end() && sources->second.front().from == key_source::origin::argument;
    const auto all =
        arguments && chosen ? values_of_key(s, *s.find_key(s.choice), q.asked.tool, *arguments) : std::nullopt;
    if (!all) return {};
    std::set<std::string> methods;
    for (const auto& v : *all)
        if (v.is_string() && !v.get_string().empty()) methods.emplace(v.get_string());
    return methods.size() == 1 ? *methods.begin() : std::string{};
}

// What the candidates' results differ by: the largest relative difference measured, and the most that may be neglected.
bool makes_no_difference(ruling& r, const call& c) {
    for (const auto& e : r.evidence) {
        const auto* source = source_of(r, c, e);
        if (!source || measures_another(*source, c.arguments)) continue;
        const auto* spread = base::find_member(e, "spread");
        const auto* relative = spread ? base::find_member(*spread, "relative") : nullptr;
        if (!relative || !relative->is_number()) continue;
        r.spread = spread->get_object();
        const auto* own = base::find_member(*spread, "tolerance");
        double tolerance = r.policy.tolerance;
        if (own && own->is_number()) tolerance = std::min(tolerance, own->to_number<double>());
        if (r.critical) tolerance = std::min(tolerance, r.question->critical_tolerance);
        // Of values whose kind is unknown each may be a code.
        const bool unknown_kind =
            std::any_of(r.asks.begin(), r.asks.end(), [](const asked_fact* ask) { return ask->of_dataset; });
        return relative->to_number<double>() <= (unknown_kind ? 0 : tolerance);
    }
    return false;
}

}  // namespace

void settle_without_reason(ruling& r, const inquiry& q) {
    if (const auto only = only_method(*r.question, q); !only.empty()) {
        r.outcome = decision::only_option;
        r.notes.push_back(only + " is the only " + r.question->title + " that " + q.asked.name() + " offers");
        return;
    }
    if (r.reason || r.person) return;
    measure_evidence(r, q.asked);
    if (!makes_no_difference(r, q.asked)) return;
    r.outcome = decision::immaterial;
    r.notes.push_back("the candidates differ by no more than the tolerance of " +
                      base::format_number(significant(100 * r.policy.tolerance, 3)) +
                      " %: " + text_of_spread(r.spread));
}

std::string text_of_spread(const json::object& spread) {
    const auto value = [&](const char* name) -> std::optional<double> {
        const auto* v = spread.if_contains(name);
        return v && v->is_number() ? std::optional{v->to_number<double>()} : std::nullopt;
    };
    const auto low = value("low"), high = value("high");
    // Four digits, unless these hide the difference.
    const bool near = low && high && std::abs(*high - *low) < 2e-3 * std::max(std::abs(*low), std::abs(*high));
    const auto number = [&](const char* name) {
        const auto v = value(name);
        return v ? base::format_number(significant(*v, near ? 6 : 4)) : std::string{};
    };
    const auto text = [&](const char* name) { return std::string{base::string_member(spread, name)}; };
    const auto end = [&](const char* value, const char* by) {
        return number(value) + (text(by).empty() ? "" : " (" + text(by) + ")");
    };
    const auto unit = text("unit").empty() ? "" : " " + text("unit");
    std::string values;
    if (!number("low").empty() && !number("high").empty())
        values = number("low") == number("high") ? " " + number("low") + unit + " with each of them"
                 : text("low_by") == text("high_by")
                     ? " " + number("low") + " to " + end("high", "high_by") + unit
                     : " " + end("low", "low_by") + " to " + end("high", "high_by") + unit;
    const auto* relative = spread.if_contains("relative");
    if (spread.contains("tolerance") || !relative || !relative->is_number())  // of codes, any of which may differ
        return text("what") + values;
    return text("what") + values + ", single values up to " +
           base::format_number(significant(100 * relative->to_number<double>(), 2)) + " % apart";
}

}  // namespace gdalmcp::reflection
