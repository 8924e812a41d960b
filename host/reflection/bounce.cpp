#include "reflection/bounce.hpp"

#include <algorithm>

#include "base/near_names.hpp"
#include "reflection/long_text.hpp"
#include "reflection/question_entry.hpp"
#include "reflection/refusal_text.hpp"

namespace gdalmcp::reflection {
namespace {

constexpr std::size_t max_body = 2200;   // bytes of JSON a domain
constexpr std::size_t most_given = 400;  // bytes that a caller writes who gives no outline

std::vector<const ruling*> blocked(const verdict& v) {
    std::vector<const ruling*> out;
    for (const auto& r : v.rulings)
        if (r.blocks()) out.push_back(&r);
    return out;
}

json::object skeletons(const std::vector<const ruling*>& missing) {
    json::object o;
    for (const auto* r : missing) o[r->question->domain] = skeleton_of(*r);
    return o;
}

// The call again, with a skeleton `justification` for every blocked domain, and the arguments left out.
struct repetition {
    json::object call;  // {tool, arguments}
    std::vector<std::string> not_repeated;
};

repetition repeated(const verdict& v, const call& c, std::size_t most) {
    json::object arguments;
    const auto& given = c.given.is_null() ? c.arguments : c.given;
    if (given.is_object()) arguments = given.get_object();
    auto left_out = leave_out_long(arguments, most);
    arguments["justification"] = skeletons(blocked(v));
    return {{{"tool", c.tool}, {"arguments", std::move(arguments)}}, std::move(left_out)};
}

// "arithmetic_on_codes (aggregation)", "smoothing_of_codes (resampling); no recorded reason for crs_datum"
std::string what_stops_it(const std::vector<const ruling*>& missing) {
    std::string conflicts, domains;
    bool old = true;
    for (const auto* r : missing) {
        std::string names;
        for (const auto& name : r->conflicts()) names += (names.empty() ? "" : ", ") + name;
        old = old && r->reason;
        if (names.empty())
            domains += (domains.empty() ? "" : ", ") + r->question->domain;
        else
            conflicts += (conflicts.empty() ? "" : "; ") + names + " (" + r->question->domain + ")";
    }
    if (domains.empty()) return conflicts;
    return conflicts + (conflicts.empty() ? "" : "; ") +
           (old ? "the recorded reason does not hold here for " : "no recorded reason for ") + domains;
}

json::object body_of(const std::vector<const ruling*>& missing, const call& c, const repetition& again, extras show) {
    json::array entries;
    for (const auto* r : missing) entries.push_back(short_entry(*r, c, show));
    const bool person = std::any_of(missing.begin(), missing.end(), [](const auto* r) { return r->person; });
    const std::string put_back =
        again.not_repeated.empty() ? "" : ", put back " + base::joined(again.not_repeated) + " as sent before,";
    return {{"ok", false},
            {"error", base::code::needs_justification},
            {"message", c.tool + " was not run: " + what_stops_it(missing)},
            {"hint", std::string{person ? "ask the user, then fill in `retry`, with \"chosen_by\": \"user\""
                                        : "fill in `retry`"} +
                         put_back + " and send it"},
            {"tool", c.tool},
            {"missing", std::move(entries)},
            {"retry", again.call}};
}

// Bytes of outlines and lists that the caller wrote and that are repeated: in `retry`, and those that came into the
// key.
std::size_t given_size(const std::vector<const ruling*>& missing, const repetition& again) {
    auto arguments = again.call.at("arguments").get_object();
    arguments.erase("justification");
    std::size_t given = 0;
    for (const auto& a : arguments)
        if (!a.value().is_string()) given += base::write_json(a.value()).size();
    for (const auto* r : missing)
        for (const auto& a : r->key_arguments)
            if (const auto text = base::write_json(a.value());
                !a.value().is_string() && text.size() <= most_repeated && text.find("sha256:") == std::string::npos)
                given += 2 * text.size();
    return given;
}

// What the caller's long paths have beyond a usual one, in `retry` and once more where an entry names its data.
std::size_t long_paths_of(const repetition& again) {
    constexpr std::size_t usual = 100;
    std::size_t beyond = 0;
    for (const auto& a : again.call.at("arguments").get_object())
        if (const auto* text = a.value().if_string()) beyond += 2 * (std::max(text->size(), usual) - usual);
    return beyond;
}

}  // namespace

refusal bounce(const verdict& v, const call& c) {
    const auto missing = blocked(v);
    const auto again = repeated(v, c, most_repeated);
    // An outline of a few corners costs the conflicts no place.
    const auto given = given_size(missing, again);
    const auto limit = max_body * missing.size() + (given > most_given ? given : 0) + long_paths_of(again);
    json::object body;
    for (auto show = extras::all;; show = static_cast<extras>(static_cast<int>(show) + 1)) {
        body = body_of(missing, c, again, show);
        if (show == last_extras || base::write_json(body).size() <= limit) break;
    }
    return {refusal_text(missing, c, again.not_repeated), std::move(body)};
}

json::object retry_of(const verdict& v, const call& c) { return repeated(v, c, most_repeated_whole).call; }

}  // namespace gdalmcp::reflection
