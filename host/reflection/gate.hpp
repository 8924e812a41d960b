// The gate: may this call run, and if not, which reasons are missing?
//   gate g{specs, store, clock, policies};
//   auto v = g.decide(call);
//   if (!v) …;                        // the call itself is wrong, or an inline answer was refused
//   if (v->refused) …;                // the policy forbids it
//   if (!v->runs()) answer(bounce(*v, call));
//   else run, with receipts(*v) in the result's _meta and cautions(*v) among its warnings.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "reflection/answer.hpp"
#include "reflection/argument_reader.hpp"
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
    // "geographic": false}, "path": "dem.tif", "state": …}, "inputs": […]}. Requested at most once per decision, and
    // only if the arguments and the key do not settle it.
    facts_lookup facts;
    measure evidence = {};  // may be empty: nothing is measured
    // Stores a fact an answer states about the (first) dataset for later calls; may be empty.
    std::function<void(const std::string& fact, const std::string& value)> keep_for_dataset = {};
    json::value given = {};  // the arguments without defaults, to be repeated in `retry`; null: `arguments`
    // Of a call judged as another tool's, which has its `tool` and `arguments`: what was called.
    struct called_tool {
        std::string tool;
        json::value arguments;
    };
    std::shared_ptr<const called_tool> called = {};
    // As the client knows it, for texts.
    const std::string& name() const { return called ? called->tool : tool; }
};

// off: the operator switched the domain off. only_option: the tool offers one method. immaterial: the candidates make
// no difference on these data. revisit: a reason is stored, but a fact of this call lies outside its scope.
enum class decision { off, not_needed, only_option, immaterial, proceed, revisit, warn, block };
std::string_view to_string(decision d);

// A conflict that several inputs of one call have, each of which is judged for itself: it is accepted for all of them
// at once.
struct shared_finding {
    json::array data;
    json::value count;  // the greatest; null: not counted
};

struct ruling {
    const spec* question = nullptr;
    reflection::policy policy;
    decision outcome = decision::block;
    json::object key_arguments;  // normalised; empty if the arguments alone settle the question
    std::string line;            // the question in one line
    std::string title;           // what is chosen, in words of the spec's title_when; empty: its title and the choice
    std::string input_hash;      // the cache key; empty with them
    std::string question_hash;
    std::shared_ptr<const found_record> reason;  // the stored reason, if any
    std::vector<std::string> notes;              // the reasons for the decision
    std::vector<std::string> remarks;            // what would make the answer given with this call better
    std::string remembered;                      // the stored reason in one line
    std::vector<std::string> changed;            // why the stored reason needs review
    std::string orphaned;                        // which reason it builds on was revoked, and when
    std::vector<finding> findings;               // choice and data disagree
    std::vector<const asked_fact*> asks;         // facts an answer must state
    json::value facts;                           // with the relations and measured evidence; null: not read
    json::object stated;                         // facts an earlier answer stated about this dataset
    json::object situation;                      // of this call; the situation of a new reason
    json::array evidence;                        // shown with the question
    json::object spread;                         // of the candidates' results, as measured; empty: not known
    std::vector<const planned_step*> answered;   // steps of the plan for which a reason is stored
    bool critical = false;
    bool refused = false;                     // by a check of the policy, whatever the reason
    bool person = false;                      // a person's answer is required
    bool weak = false;                        // the stored reason's confidence is too low
    std::string unnamed;                      // conflicts that the answer given with the call does not name
    std::string insufficient;                 // why what was given with the call does not replace a reason
    bool adopts = false;                      // the stored reason was given without data and takes this call's facts
    std::shared_ptr<const call> judged = {};  // the call as it was judged, if as another tool's
    std::map<std::string, shared_finding, std::less<>> shared = {};  // check -> as found in all inputs of the call

    std::string justification_ref() const { return reason ? reason->ref() : std::string{}; }
    bool blocks() const { return outcome == decision::block; }
    bool free() const { return outcome < decision::proceed; }  // no reason is asked, none is stored
    std::vector<std::string> conflicts() const;                // those of `findings` that an answer must name
    // One sentence suffices: the reason is the workspace's own, has this wording, is outside its scope or old, and was
    // given in view of every conflict.
    bool confirmable() const;
};

struct verdict {
    std::shared_ptr<const specs> asked;  // keeps ruling::question alive
    // Per domain of the tool one, or one per member of a list-valued choice, of which those that block are one; none
    // for a free tool.
    std::vector<ruling> rulings;
    std::optional<base::problem> refused = {};  // by the policy, whatever the reasons: the call must not run
    bool runs() const;
};

// [{domain, risk_class, input_hash, decision, justification_ref, parents?, spread?, notes}]
json::array receipts(const verdict& v);

// Warnings for the result: conflicts between choice and data that did not stop the call.
std::vector<std::string> cautions(const verdict& v);

class gate {
public:
    using clock = std::function<std::string()>;             // now, RFC 3339, UTC, milliseconds
    using policies = std::function<policy(const spec& s)>;  // the policies in force; empty: the spec's own
    // `schemas` of the governed tools: key arguments of an answer are read as theirs.
    gate(std::shared_ptr<const specs> s, std::shared_ptr<store> where, clock now, policies p = {},
         argument_schemas schemas = {});

    // Stores valid inline answers, then rules on every domain of the tool, and measures evidence for what is missing. A
    // problem means the call cannot be decided: a refused inline answer, an unknown CRS, an unreadable input that the
    // key depends on.
    base::result<verdict> decide(const call& c) const;

    // The tool of the same name: {domain, prompt_args, justification, scope?, tool_name?, prompt_name?, chosen_by?,
    // parents?} -> {status, domain, cache_key, warnings}.
    base::result<json::object> store_justification(const json::value& arguments, const crs_lookup& crs) const;

    // The reasons this call would need. Stores nothing.
    base::result<json::object> preflight(const call& c) const;

private:
    using waivers = std::map<std::string, std::string, std::less<>>;
    struct inline_answers {
        waivers waived;
        std::map<std::string, ruling> unseen;  // domain -> with a conflict its answer does not name, or one refused
        std::map<std::string, std::vector<std::string>> remarks;  // domain -> on its answer
        bool refused = false;                                     // by the policy: nothing is stored
    };
    policy policy_of(const spec& s) const { return policies_ ? policies_(s) : s.policy; }
    base::result<verdict> rule(const call& c, const facts_lookup& facts, const inline_answers& given) const;
    base::result<std::vector<ruling>> rule_on(const spec& s, const call& c, const facts_lookup& facts,
                                              const waivers& waived) const;
    // The same of a call that is judged as another tool's, for each input: the strictest ruling, and where it lets the
    // call run, those that accept a conflict it does not.
    base::result<std::vector<ruling>> rule_as(const judged_form& form, const spec& s, const call& c,
                                              const facts_lookup& facts, const waivers& waived) const;
    // The ruling whose question an inline answer gives: of what the call lacks, or of all it chooses.
    base::result<ruling> answered_ruling(const spec& s, const json::value& given, const call& c,
                                         const facts_lookup& facts, const waivers& waived) const;
    base::result<inline_answers> take_inline_answers(const call& c, const facts_lookup& facts) const;
    // `r` gets the facts and conflicts of the answer. needs_justification: it does not name all of these conflicts;
    // policy: one of them is refused.
    base::result<std::vector<record>> read_inline_answer(ruling& r, const json::value& given, const std::string& place,
                                                         const call& c) const;
    struct submission {
        std::vector<record> kept;
        std::vector<std::string> warnings;
    };
    base::result<submission> submitted(const ruling& r, const json::value& given, const answer_question& question,
                                       record_origin from) const;
    base::result<void> keep(const record& r) const;

    std::shared_ptr<const specs> specs_;
    std::shared_ptr<store> store_;
    clock now_;
    policies policies_;
    argument_schemas schemas_;
};

// The current time, in the form `gate` requires.
std::string utc_now();

}  // namespace gdalmcp::reflection
