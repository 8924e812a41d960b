#include "app/call/tool_call.hpp"

#include <set>
#include <string>

#include "app/call/call_facts.hpp"
#include "app/call/call_gate.hpp"
#include "app/call/call_outputs.hpp"
#include "app/call/tool_answer.hpp"
#include "app/call/tool_content.hpp"
#include "app/call/tool_questions.hpp"
#include "base/hidden_characters.hpp"

namespace gdalmcp::app {

using base::result;

namespace {

constexpr std::size_t max_result = 1u << 20;  // bytes of JSON; larger results belong in an output

result<json::object> structured(const catalog::tool& t, const json::object& done, const call_notes& notes) {
    auto all = structured_result(t, done, notes.outputs, notes.checks, warnings_of(done, notes));
    if (!all) return all;
    if (const auto size = base::write_json(json::value(*all)).size(); size > max_result)
        return base::fail(
            base::code::exhausted,
            "the result has " + std::to_string(size) + " bytes; the limit is " + std::to_string(max_result),
            t.writes_dataset ? "ask for less, or give an output" : "ask for less");
    return all;
}

outcome assemble(const call_context& c, const catalog::tool& t, const json::object& done, const call_notes& notes) {
    outcome o;
    o.results_changed = notes.results_changed;
    if (t.result_schema()) {
        auto whole = structured(t, done, notes);
        if (!whole) return outcome::failure(whole.error());
        o.structured = std::move(*whole);
    }
    std::string lines;
    for (const auto& l : done.at("lines").get_array())
        lines += (lines.empty() ? "" : "\n") + base::with_hidden_shown(l.get_string());
    if (!lines.empty()) o.content.push_back(json::object{{"type", "text"}, {"text", lines}});
    for (const auto& a : done.at("attachments").get_array()) {
        auto block = content_block(a, t, c.tools->tools());
        if (!block) return outcome::failure(block.error());
        o.content.push_back(std::move(*block));
    }
    return o;
}

outcome carry_out(const call_context& c, const planned_call& p, call_notes& notes) {
    auto run = run_tool(c, p, notes.times);
    if (!run) return outcome::failure(run.error());
    auto asked = asked_by_tool(p.tool.name, run->done, c.asker);
    if (!asked) return outcome::failure(asked.error());
    if (*asked) return outcome::asking(std::move(**asked));  // its outputs are discarded
    if (auto ok = verify_outputs(c, p, *run, notes); !ok) return outcome::failure(ok.error());
    if (auto ok = publish_outputs(c, p, *run, notes); !ok) return outcome::failure(ok.error());
    auto o = assemble(c, p.tool, run->done, notes);
    for (const auto& gone : p.files.removals) o.written_files.push_back(gone.target.string());
    return o;
}

// The answers sent with a call are stored before it runs, and hold for the next attempt.
void name_stored_answers(base::problem& p, const json::value& given, const json::array& receipts) {
    std::string domains;
    std::set<std::string> named;  // a domain may have several receipts, one of each statistic
    for (const auto& r : receipts)
        if (const auto domain = base::string_member(r, "domain");
            base::find_member(given, domain) && !base::string_member(r, "justification_ref").empty() &&
            named.emplace(domain).second)
            domains += (domains.empty() ? "" : ", ") + std::string{domain};
    if (domains.empty()) return;
    p.hint += (p.hint.empty() ? "" : "; ") + std::string{"the reason sent with this call is stored ("} + domains +
              "): leave justification out of the next attempt";
}

}  // namespace

outcome call_tool(const call_context& c, const catalog::tool& t, json::object arguments) {
    call_notes notes;
    const auto planned = plan_call(c, t, std::move(arguments));
    if (!planned) return outcome::failure(planned.error());
    notes.times.mark("plan");
    if (c.tools->governs(t)) {
        auto ruling = pass_gate(c, *planned);
        if (auto& o = ruling.stopped) {
            // A reason that a second look rejected must not be left as it is.
            if (o->problem && o->problem->code != base::code::needs_justification &&
                o->problem->code != base::code::validation_failed)
                name_stored_answers(*o->problem, planned->justification, o->receipts);
            return std::move(*o);
        }
        notes.receipts = std::move(ruling.receipts);
        notes.warnings = std::move(ruling.warnings);
        notes.times.mark("gate");
    }
    for (const auto& line : not_applied_to(t.name, c.tools->unapplied())) notes.warnings.push_back(json::string(line));
    if (c.tools->specs().measures(t.name))
        for (const auto& line : not_made_for_measuring(c, *planned)) notes.warnings.push_back(json::string(line));
    if (c.tools->specs().compares(t.name))
        for (const auto& line : moved_to_another_grid(c, *planned)) notes.warnings.push_back(json::string(line));
    auto o = carry_out(c, *planned, notes);
    if (o.problem) name_stored_answers(*o.problem, planned->justification, notes.receipts);
    o.receipts = std::move(notes.receipts);  // a failed call's history keeps the decisions, too
    if (!o.problem) o.cleanup = planned->cleanup;
    return o;
}

}  // namespace gdalmcp::app
