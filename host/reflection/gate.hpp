// The gate: may this call run, and if not, which reasons are missing?
//   gate g{specs, store, clock};
//   auto v = g.decide(call);
//   if (!v) …;                        // the call itself is wrong, or an inline answer was refused
//   if (!v->runs()) answer(bounce(*v, call));
//   else run, with receipts(*v) in the result's _meta.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "reflection/key.hpp"
#include "reflection/specs.hpp"
#include "reflection/store.hpp"

namespace gdalmcp::reflection {

struct call {
    std::string tool;
    json::value arguments;      // validated, defaults filled in, without `justification`
    json::value justification;  // inline answers: object domain -> answer, or null
    crs_lookup crs;
    // What is known about the inputs: {"input": {"kind_of_dataset": "raster", "crs": {"normal": "EPSG:32616",
    // "geographic": false}, …}, "inputs": […]}. Asked at most once per decision, and only when the arguments and the
    // stored reasons do not settle it.
    facts_lookup facts;
};

enum class decision { not_needed, proceed, warn, block };
std::string_view word_of(decision d);

struct ruling {
    const spec* question = nullptr;
    decision outcome = decision::block;
    json::object key_arguments;  // normalised; empty when the arguments alone made the question needless
    std::string input_hash;      // the cache key; empty with them
    std::string question_hash;
    std::string justification_ref;  // justification://{domain}/{key}, or empty
    std::vector<std::string> notes;
};

struct verdict {
    std::shared_ptr<const specs> asked;  // keeps ruling::question alive
    std::vector<ruling> rulings;         // one per domain of the tool, none for a free tool
    bool runs() const;
};

// [{domain, risk_class, input_hash, decision, justification_ref, notes}]
json::array receipts(const verdict& v);

class gate {
public:
    using clock = std::function<std::string()>;  // now, RFC 3339, UTC, milliseconds
    gate(std::shared_ptr<const specs> s, std::shared_ptr<store> where, clock now);

    // Stores valid inline answers, then rules on every domain of the tool. A problem means the call cannot be judged:
    // a refused inline answer, an unknown CRS, an unreadable input that the key depends on.
    base::result<verdict> decide(const call& c) const;

    // The tool of the same name: {domain, prompt_args, justification, tool_name?, prompt_name?, chosen_by?, parents?}
    // -> {status, domain, cache_key, warnings}.
    base::result<json::object> store_justification(const json::value& arguments, const crs_lookup& crs) const;

    // What would this call need? Stores nothing.
    base::result<json::object> preflight(const call& c) const;

private:
    base::result<verdict> rule(const call& c, const facts_lookup& facts) const;
    base::result<void> store_inline_answers(const call& c, const facts_lookup& facts) const;

    std::shared_ptr<const specs> specs_;
    std::shared_ptr<store> store_;
    clock now_;
};

// Now, in the form `gate` wants; the wiring passes it in.
std::string utc_now();

}  // namespace gdalmcp::reflection
