// What a decision leaves behind: receipts, and warnings for the result.
#include "reflection/judge.hpp"

namespace gdalmcp::reflection {
namespace {

json::value or_null(const std::string& s) { return s.empty() ? json::value{} : json::value(s); }

// Facts the reason states for this call, such as what its result is for; of the dataset, those that it does not show.
json::object stated_by(const ruling& r) {
    json::object stated;
    const auto* facts = r.reason ? r.reason->answer().if_contains("facts") : nullptr;
    for (const auto& ask : r.question->asks) {
        const auto here = base::string_member(r.situation, ask.name);
        const bool known = !here.empty() && here != unknown_fact;
        const auto there = facts ? base::string_member(*facts, ask.name) : std::string_view{};
        if (ask.of_dataset ? known && is_statement(ask, r.facts) : known)
            stated[ask.name] = here;
        else if (!ask.of_dataset && !there.empty())  // of another dataset it says nothing
            stated[ask.name] = there;
    }
    return r.reason ? stated : json::object{};
}

}  // namespace

json::object receipt_of(const ruling& r) {
    json::array notes(r.notes.begin(), r.notes.end());
    if (!r.remembered.empty()) notes.emplace_back(r.remembered);
    for (const auto& f : r.findings)
        if (!r.blocks()) notes.emplace_back(f.text);
    json::object o{{"domain", r.question->domain},
                   {"risk_class", r.question->risk},
                   {"input_hash", or_null(r.input_hash)},
                   {"decision", to_string(r.outcome)},
                   {"justification_ref", or_null(r.justification_ref())}};
    if (r.reason && !r.reason->text.at("parents").get_array().empty()) o["parents"] = r.reason->text.at("parents");
    if (const auto named = r.conflicts(); r.reason && !r.blocks() && !named.empty())
        o["conflicts"] = json::array(named.begin(), named.end());
    if (r.outcome == decision::immaterial) o["spread"] = r.spread;
    if (auto stated = stated_by(r); !stated.empty()) o["stated"] = std::move(stated);
    if (const auto kind = base::string_member(r.situation, "kind"); !kind.empty() && kind != unknown_fact)
        o["kind"] = kind;  // of the input's values; what the call writes is of the same kind
    o["notes"] = std::move(notes);
    return o;
}

json::array receipts(const verdict& v) {
    json::array out;
    for (const auto& r : v.rulings) out.push_back(receipt_of(r));
    return out;
}

std::vector<std::string> cautions(const verdict& v) {
    std::vector<std::string> out;
    for (const auto& r : v.rulings) {
        for (const auto& f : r.findings) out.push_back(f.text + (f.advice.empty() ? "" : ". " + f.advice));
        for (const auto& remark : r.remarks) out.push_back(r.question->domain + ": " + remark);
        if (r.outcome == decision::revisit || r.outcome == decision::warn)
            for (const auto& note : r.notes) out.push_back(r.question->domain + ": " + note);
    }
    return out;
}

}  // namespace gdalmcp::reflection
