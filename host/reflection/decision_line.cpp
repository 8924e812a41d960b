#include "reflection/decision_line.hpp"

#include <algorithm>

namespace gdalmcp::reflection {
namespace {

std::string lookup_of(const ruling& r) {
    const auto& notes = r.notes;
    const auto noted = [&](std::string_view words) {
        return std::any_of(notes.begin(), notes.end(),
                           [&](const std::string& n) { return n.find(words) != std::string::npos; });
    };
    if (r.input_hash.empty() || r.outcome == decision::off || r.outcome == decision::not_needed) return "not looked up";
    if (!r.reason) return noted(" is ignored: ") ? "foreign record" : "miss";
    std::string found = r.reason->cache_key == r.input_hash ? "hit" : "hit for an equivalent wording";
    if (noted("stale: ")) found = "stale";
    return r.reason->found_in.empty() ? found : found + " in " + r.reason->found_in;
}

}  // namespace

std::string decision_line(const ruling& r) {
    auto line = r.question->domain + ": " + std::string{to_string(r.outcome)} + ", " + lookup_of(r);
    if (!r.input_hash.empty()) line += ", " + r.input_hash;
    auto why = r.notes;
    if (!r.remembered.empty()) why.push_back(r.remembered);
    for (const auto& f : r.findings) why.push_back("check " + f.check + ": " + f.text);
    for (std::size_t i = 0; i < why.size(); ++i) line += (i == 0 ? ": " : "; ") + why[i];
    return line;
}

}  // namespace gdalmcp::reflection
