// Whether the texts of an answer say something.
#include <algorithm>
#include <set>

#include "base/pointer.hpp"
#include "base/text.hpp"
#include "reflection/answer_parts.hpp"
#include "reflection/free_text.hpp"
#include "reflection/normal_form.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

bool is_blank(std::string_view s) { return normal_text(s).empty(); }

// "choice.rationale", "alternatives[0].method"
void find_blanks(const json::value& v, const std::string& name, const std::string& at,
                 std::vector<std::pair<std::string, std::string>>& found) {
    if (const auto* s = v.if_string()) {
        if (is_blank(*s)) found.emplace_back(name, at);
    } else if (const auto* o = v.if_object()) {
        for (const auto& m : *o)
            find_blanks(m.value(), (name.empty() ? "" : name + ".") + std::string{m.key()},
                        at + "/" + base::escape_token(m.key()), found);
    } else if (const auto* a = v.if_array()) {
        for (std::size_t i = 0; i < a->size(); ++i)
            find_blanks((*a)[i], name + "[" + std::to_string(i) + "]", at + "/" + std::to_string(i), found);
    }
}

// A text that says nothing: "ok", "n/a", "-".
void find_filler(const json::value* text, const std::string& name, const std::string& at,
                 std::vector<std::pair<std::string, std::string>>& found) {
    const auto* s = text ? text->if_string() : nullptr;
    if (s && !says_enough(*s)) found.emplace_back(name + " ('" + base::shortened(normal_text(*s), 40) + "')", at);
}

void find_filler_in(const json::object& a, const char* list, const char* member, const std::string& place,
                    std::vector<std::pair<std::string, std::string>>& found) {
    const auto* all = a.if_contains(list);
    for (std::size_t i = 0; all && all->is_array() && i < all->get_array().size(); ++i)
        find_filler(base::find_member(all->get_array()[i], member),
                    std::string{list} + "[" + std::to_string(i) + "]." + member,
                    place + "/" + list + "/" + std::to_string(i) + "/" + member, found);
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : base::lower_ascii(text) + " ") {
        const bool inside = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == ':' ||
                            static_cast<unsigned char>(c) >= 0x80;
        if (inside) word += c;
        if (!inside && !word.empty()) words.push_back(std::exchange(word, {}));
    }
    return words;
}

// Fewer than three words left once the method's own words and filler are taken away.
bool restates(std::string_view rationale, std::string_view method) {
    static const std::set<std::string, std::less<>> filler = {
        "a",         "an",    "the",    "as",     "is",       "it",      "was",       "were",     "for",
        "of",        "to",    "by",     "i",      "we",       "in",      "use",       "used",     "using",
        "choose",    "chose", "chosen", "select", "selected", "because", "this",      "that",     "user",
        "requested", "asked", "wants",  "wanted", "method",   "crs",     "parameter", "argument", "value"};
    const auto own = words_of(method);
    const auto words = words_of(rationale);
    return std::count_if(words.begin(), words.end(), [&](const std::string& w) {
               return !filler.count(w) && std::find(own.begin(), own.end(), w) == own.end();
           }) < 3;
}

// "None at all", "no tradeoffs, perfect choice", "n/a"; not "none of the surroundings", which are what is given up.
bool denies_tradeoffs(std::string_view tradeoffs) {
    const auto words = words_of(tradeoffs);
    using names = std::set<std::string, std::less<>>;
    static const names denials = {"none", "no", "nothing", "nil", "na", "n", "zero"},
                       denied = {"cost", "costs", "drawbacks", "loss", "losses", "trade", "tradeoff", "tradeoffs"},
                       filler = {"a",      "all",  "any",   "are",   "at", "for",       "given",
                                 "here",   "is",   "known", "lost",  "of", "offs",      "needed",
                                 "really", "that", "this",  "there", "up", "whatsoever"};
    if (words.empty() || words.size() > 4 || !denials.count(words.front())) return false;
    return (words.size() > 1 && denied.count(words[1])) ||
           std::all_of(words.begin(), words.end(),
                       [&](const std::string& w) { return denials.count(w) || filler.count(w); });
}

// A digit outside of identifiers such as EPSG:3857.
bool quotes_a_number(std::string_view text) {
    const auto words = words_of(text);
    return std::any_of(words.begin(), words.end(), [](const std::string& w) {
        return w.front() >= '0' && w.front() <= '9' && w.find(':') == std::string::npos;
    });
}

}  // namespace

result<void> refuse_blanks(const json::object& a, const std::string& place) {
    std::vector<std::pair<std::string, std::string>> blanks;
    find_blanks(a, "", place, blanks);
    if (blanks.empty()) return {};
    std::string names;
    for (const auto& [name, at] : blanks) names += (names.empty() ? "" : ", ") + name;
    if (names.size() > 600) names = base::scrub_utf8(names.substr(0, 600)) + ", …";
    return fail(code::invalid_justification, "empty in the justification: " + names,
                names.find("facts.") == std::string::npos
                    ? "fill each of them with a sentence that belongs to this call; leave out what does not apply"
                    : "fill each of them, a fact with one of the words it may be, the others with a sentence that "
                      "belongs to this call; leave out what does not apply",
                blanks.front().second);
}

result<void> refuse_filler(const json::object& a, const std::string& place) {
    std::vector<std::pair<std::string, std::string>> thin;
    for (const char* sentence : {"still_holds", "reason"})
        find_filler(a.if_contains(sentence), sentence, place + "/" + sentence, thin);
    if (const auto* choice = a.if_contains("choice"))
        find_filler(base::find_member(*choice, "rationale"), "choice.rationale", place + "/choice/rationale", thin);
    find_filler_in(a, "alternatives", "why_not", place, thin);
    find_filler_in(a, "conflicts", "why_accepted", place, thin);
    if (thin.empty()) return {};
    std::string names;
    for (const auto& [name, at] : thin) names += (names.empty() ? "" : ", ") + name;
    // A long text says too little if it is the same words over and over.
    const auto what = names.find("…") != std::string::npos ? "says too little" : "too short";
    return fail(code::invalid_justification, std::string{what} + " to be a reason: " + names,
                std::string{"write a sentence about this call: "} + enough_text, thin.front().second);
}

std::vector<std::string> lint(const json::object& a) {
    std::vector<std::string> warnings;
    const auto& choice = a.at("choice");
    const auto rationale = base::string_member(choice, "rationale"),
               tradeoffs = base::string_member(choice, "tradeoffs");
    if (restates(rationale, base::string_member(choice, "method")))
        warnings.push_back("choice.rationale restates the parameter; say which property it protects and for what");
    if (denies_tradeoffs(tradeoffs))
        warnings.push_back("choice.tradeoffs names none; name what the choice gives up, however little");
    std::string all{base::string_member(a, "intent")};
    for (const auto& alternative : a.at("alternatives").get_array())
        all += " " + std::string{base::string_member(alternative, "why_not")};
    all += " " + std::string{rationale} + " " + std::string{tradeoffs};
    if (base::string_member(a, "confidence") == "high" && !quotes_a_number(all))
        warnings.push_back("confidence is high, but no measured number is quoted");
    return warnings;
}

}  // namespace gdalmcp::reflection
