// The scope of a reason: the facts it was given under, and how far a later call may be from them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

// One fact of the scope. Comparisons of the stored value with the call's:
//   same      equal, or spellings of one word
//   grow      a box [minx, miny, maxx, maxy] that lies within the stored one, grown by `amount` of its size on each
//   side factor    a number at most `amount` times as large or as small within    a number at most `amount` away
//   at_least  a number not below `amount` times the stored one
//   at_most   a number not above `amount` times the stored one
struct scope_entry {
    enum class comparison { same, grow, factor, within, at_least, at_most };
    std::string name;
    std::string fact;                // JSON Pointer into the facts
    std::string or_fact;             // where the first is absent, as of inline data; may be empty
    std::string argument;            // or into the call; neither: only an answer can state it
    std::string absent;              // what an absent argument stands for; may be empty
    std::vector<std::string> only;   // tools whose calls have it; empty: all
    std::vector<json::array> alike;  // same: spellings of one word each
    comparison how = comparison::same;
    double amount = 0;
    double unless_below = 0;  // at_most: numbers this small always hold
    bool blocks = false;      // a call outside of it does not run, whatever the policy says of `revisit`
};

// A fact the answer must state if the data lack it: the kind of values, the use of the result.
struct asked_fact {
    std::string name;
    std::string about;                // what to answer, in a few words
    std::vector<std::string> one_of;  // the words to choose from
    std::string known_by;             // JSON Pointer of the fact that settles the question; may be empty
    bool of_dataset = false;          // kept for the dataset: asked once per dataset
};

inline constexpr std::string_view unknown_fact = "unknown";  // facts the data lack
// Why a fact is known (the fact's name with _why) that an answer stated of the dataset.
inline constexpr std::string_view stated_why = "as stated about the dataset";

base::result<scope_entry> parse_scope_entry(const std::string& name, const json::value& text);
base::result<asked_fact> parse_asked_fact(const std::string& name, const json::value& text);

// The `asks` that the facts do not answer. If facts could not be read, those kept for the dataset are left out.
std::vector<const asked_fact*> still_asked(const std::vector<asked_fact>& asks, const json::value* facts);

// Whether the fact is what an answer said of the dataset, and not what the data show.
bool is_statement(const asked_fact& ask, const json::value& facts);

// The facts of this call, of a tool, that belong to the scope, by name. Statements of an answer (`stated`, by name)
// fill in facts the data lack. Absent facts are left out; numbers have 9 significant digits.
json::object situation_of(const std::vector<scope_entry>& scope, const json::value& facts, std::string_view tool,
                          const json::value& arguments, const json::object& stated);

// The facts of `now` outside of `stored`, as sentences ("kind is class, the reason was given for elevation"); empty: it
// holds. A fact that either of them lacks decides nothing.
std::vector<std::string> differences(const std::vector<scope_entry>& scope, const json::object& stored,
                                     const json::object& now);

}  // namespace gdalmcp::reflection
