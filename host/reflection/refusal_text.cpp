#include "reflection/refusal_text.hpp"

#include <algorithm>

#include "base/near_names.hpp"
#include "base/text.hpp"
#include "reflection/judge.hpp"
#include "reflection/long_text.hpp"
#include "reflection/question_entry.hpp"

namespace gdalmcp::reflection {
namespace {

// In characters; for the first domain, and for each further one.
constexpr std::size_t max_text = 1000, more_text = 400;

// The argument that holds the choice: "/dst_crs".
std::string place_of_choice(const spec& s, const std::string& tool) {
    const auto mapped = s.tools.find(tool);
    if (mapped == s.tools.end()) return {};
    const auto sources = mapped->second.find(s.choice);
    if (sources == mapped->second.end()) return {};
    for (const auto& source : sources->second)
        if (source.from == key_source::origin::argument) return source.at.substr(1);
    return {};
}

// "target CRS EPSG:3857 (dst_crs)"
std::string choice_at_hand(const ruling& r, const call& c) {
    const auto& s = *r.question;
    if (!r.title.empty()) return base::shortened(r.title, 80);
    const auto where = place_of_choice(s, c.tool);
    auto choice = choice_of(s, r.key_arguments);
    const auto given = base::string_member(c.arguments, where);
    // A CRS without a code, or a dataset as a geometry: its digest tells a reader nothing.
    const bool digest = (is_projjson_hash(choice) || choice.starts_with("dataset-")) && !given.empty();
    choice = digest ? in_short(given) : base::shortened(choice, 60);
    if (s.title.ends_with(" CRS") && choice.starts_with("CRS ")) choice.erase(0, 4);
    return s.title + " " + choice + (where.empty() ? "" : " (" + where + ")");
}

// "dst_crs", "data type Int16 (dtype)"
std::string argument_at_hand(const ruling& r, const call& c) {
    if (!r.title.empty()) return base::shortened(r.title, 80);
    const auto where = place_of_choice(*r.question, c.tool);
    return where.empty() ? r.question->title : where;
}

std::string alternatives(const std::vector<const ruling*>& missing) {
    std::string out;
    for (const auto* r : missing)
        if (const auto& line = r->question->alternative; !line.empty() && out.find(line) == std::string::npos)
            out += (out.empty() ? "" : " ") + line;
    return out;
}

struct detail {
    std::size_t evidence = 2;    // lines per domain
    std::size_t measured = 220;  // characters of one
    bool alternatives = true, kept = true;
    bool hints = true;
    std::size_t conflict = std::string::npos;  // characters of one
    bool advice = true, questions = true;
};

// The conflict in the first line; nullptr: none that must be accepted, or too long for one line.
const finding* first_conflict(const std::vector<const ruling*>& missing, const detail& show) {
    const std::size_t most = std::min<std::size_t>(show.conflict, 260);
    for (const auto* r : missing)
        for (const auto& f : r->findings)
            if (f.outcome == check_outcome::ask) return f.text.size() <= most ? &f : nullptr;
    return nullptr;
}

// What changed since the stored reason and is not told as a conflict already; empty: nothing else.
std::string other_change(const ruling& r) {
    for (const auto& line : r.changed)
        if (std::none_of(r.findings.begin(), r.findings.end(), [&](const finding& f) { return f.text == line; }))
            return line;
    return {};
}

// What the choice changes, measurements, conflicts, changes since an earlier reason; then the question.
std::string domain_lines(const ruling& r, const call& c, const finding* opening, const detail& show) {
    std::string text = "- " + r.question->domain + ": " + choice_at_hand(r, c) + "\n";
    if (!r.spread.empty()) text += "  It matters here: " + text_of_spread(r.spread) + ".\n";
    std::size_t shown = 0;
    for (const auto& e : r.evidence)
        if (const auto summary = base::string_member(e, "summary"); !summary.empty() && shown < show.evidence) {
            text += "  Measured: " + whole_clauses(summary, show.measured) + "\n";
            ++shown;
        }
    for (const auto& f : r.findings)
        text += "  Conflict " + f.check + ": " + (&f == opening ? "as above" : in_few_words(r, f, show.conflict)) +
                "." + (f.advice.empty() || !show.advice ? "" : " " + f.advice + ".") + "\n";
    if (!r.conflicts().empty()) text += "  Say in `conflicts` why the choice is right all the same, or change it.\n";
    if (r.reason) {
        const auto change = other_change(r);
        text += "  A reason of " + r.reason->timestamp.substr(0, 10) + " is stored: \"" +
                base::shortened(base::string_member(r.reason->answer(), "intent"), 90) + "\"." +
                (change.empty() ? "" : " But " + base::shortened(change, 160) + ".") + "\n";
        if (r.confirmable()) return text + "  Does it hold here, too? One sentence is enough.\n";
    }
    if (show.questions) text += "  " + r.line + "\n";
    for (const auto* ask : r.asks) {
        std::string words;
        for (const auto& word : ask->one_of) words += (words.empty() ? "" : ", ") + word;
        text += "  Give as facts." + ask->name + " " + ask->about + ": " + words + ".\n";
    }
    return text;
}

// Why the answer that came with the call is not enough; empty: none came, or that is not known.
std::string shortcoming_of(const ruling& r, const call& c) {
    if (!base::find_member(c.justification, r.question->domain)) return {};
    return !r.insufficient.empty()          ? r.insufficient
           : r.reason && !r.changed.empty() ? r.changed.front()
                                            : std::string{};
}

std::string listed(const std::vector<const ruling*>& missing, auto text_of) {
    std::string all;
    for (const auto* r : missing)
        if (const std::string text = text_of(*r); !text.empty()) all += (all.empty() ? "" : "; ") + text;
    return all;
}

// The first sentence: what an answer given with the call lacks, else the conflict, else the choices without a reason.
std::string what_stops_it(const std::vector<const ruling*>& missing, const call& c, const finding* opening) {
    if (const auto names = listed(missing, [](const ruling& r) { return r.unnamed; }); !names.empty())
        return "The answer does not name a conflict of choice and data in `conflicts`: " + names;
    const auto lacking = listed(missing, [&](const ruling& r) {
        const auto why = shortcoming_of(r, c);
        return why.empty() ? why : r.question->domain + ": " + why;
    });
    if (!lacking.empty()) return "The answer is not enough: " + base::shortened(lacking, 200);
    if (opening) return "Conflict " + opening->check + ": " + opening->text;
    const auto conflicts = listed(missing, [](const ruling& r) { return base::joined(r.conflicts()); });
    if (!conflicts.empty()) return "Choice and data are in conflict: " + conflicts;
    const auto count = missing.size();
    const bool all_stored = std::all_of(missing.begin(), missing.end(), [](const auto* r) { return r->reason; });
    return std::string{all_stored ? "A stored reason needs a second look" : "No reason is recorded yet"} +
           (count == 1 ? ": " : " for " + std::to_string(count) + " choices: ") +
           listed(missing, [&](const ruling& r) { return argument_at_hand(r, c); });
}

std::string composed(const std::vector<const ruling*>& missing, const call& c,
                     const std::vector<std::string>& not_repeated, const detail& show) {
    const auto count = missing.size();
    const auto* opening = first_conflict(missing, show);
    const auto first = what_stops_it(missing, c, opening);
    if (opening && first.find(opening->text) == std::string::npos) opening = nullptr;
    std::string text = "NOT RUN: " + c.tool + ". " + first + ". Nothing was written.\n";
    for (const auto* r : missing) text += domain_lines(*r, c, opening, show);
    const bool person = std::any_of(missing.begin(), missing.end(), [](const auto* r) { return r->person; });
    if (person)
        text += "The operator requires a person's answer: ask the user, and send it with \"chosen_by\": \"user\".\n";
    text += std::string{"To go on, fill in every empty string in `retry` below and send it"} +
            (count == 1 ? "" : ", or each answer alone by its `submit`") + ".\n";
    if (!not_repeated.empty())
        text += "`retry` does not repeat " + base::joined(not_repeated) + "; put back what you sent.\n";
    if (show.hints && std::any_of(missing.begin(), missing.end(), [](const auto* r) { return !r->confirmable(); }))
        text +=
            "choice.method stays equal to the argument; quote a measured number where there is one. The user chose "
            "already? Add \"chosen_by\": \"user\"; alternatives may then be [].\n";
    if (const auto free = alternatives(missing); show.alternatives && !free.empty()) text += free + "\n";
    const bool any_new = std::any_of(missing.begin(), missing.end(), [](const auto* r) { return !r->reason; });
    if (show.kept && any_new) text += "Stored for this workspace: the same choice on similar data is not asked again.";
    if (text.back() == '\n') text.pop_back();
    return text;
}

}  // namespace

// Everything that fits; parts repeated in the JSON are dropped first, conflicts and the question last.
std::string refusal_text(const std::vector<const ruling*>& missing, const call& c,
                         const std::vector<std::string>& not_repeated) {
    constexpr detail steps[] = {{2, 220, true, true},       {2, 150, true, true},  {2, 150, false, true},
                                {1, 220, true, true},       {1, 140, true, true},  {1, 140, false, true},
                                {1, 80, false, true},       {1, 80, false, false}, {0, 0, false, false},
                                {0, 0, false, false, false}};
    const auto limit = max_text + more_text * (missing.size() - 1);
    std::string text;
    const auto fits = [&](const detail& show) {
        text = composed(missing, c, not_repeated, show);
        return text.size() <= limit;
    };
    if (std::any_of(std::begin(steps), std::end(steps), fits)) return text;
    constexpr std::size_t least = 80;  // characters of a conflict
    for (std::size_t most = 300; most >= least; most -= 10)
        if (fits({0, 0, false, false, false, most})) return text;
    return fits({0, 0, false, false, false, least, false}) || fits({0, 0, false, false, false, least, false, false})
               ? text
               : base::shortened(text, limit);
}

}  // namespace gdalmcp::reflection
