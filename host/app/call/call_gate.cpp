#include "app/call/call_gate.hpp"

#include <algorithm>

#include "app/call/call_facts.hpp"
#include "app/call/tool_answer.hpp"
#include "app/call/tool_questions.hpp"
#include "base/log.hpp"
#include "reflection/bounce.hpp"
#include "reflection/decision_line.hpp"
#include "reflection/key_report.hpp"
#include "workspace/file_system.hpp"
#include "workspace/sidecars.hpp"
#include "workspace/temporary_folder.hpp"

namespace gdalmcp::app {

using base::fail;
using base::result;
namespace code = base::code;

namespace {

#ifdef GDALMCP_SANITIZED  // several times as slow
constexpr std::chrono::milliseconds max_measuring{30000};
#else
constexpr std::chrono::milliseconds max_measuring{3000};  // of all evidence of one call
#endif
constexpr std::chrono::milliseconds max_rehearsing{500};  // within the same time
constexpr std::chrono::milliseconds min_try{50};

result<json::object> measured(const call_context& c, const planned_call& p, std::chrono::milliseconds limit) {
    auto e = c.host.work.run(p.tool, p.files, {}, p.scratch(), c.cancel, {}, {}, limit);
    if (!e) return tl::unexpected{e.error()};
    p.cleanup->process = std::move(e->process);
    if (e->done.contains("ask"))
        return fail(code::unsupported, "'" + p.tool.name + "' asks questions, so it cannot provide evidence");
    if (!p.tool.result_schema()) return fail(code::unsupported, "'" + p.tool.name + "' declares no output schema");
    return structured_result(p.tool, e->done, {}, {}, {});
}

// Measurements by evidence providers, which run ungated and write nothing. All of one call share a time budget.
class evidence_taker {
public:
    explicit evidence_taker(const call_context& c) : context_{c} {}

    // What is left of the time budget, which starts with the first question for it.
    std::chrono::milliseconds left() {
        const auto now = std::chrono::steady_clock::now();
        if (!until_) until_ = now + max_measuring;
        return std::chrono::duration_cast<std::chrono::milliseconds>(*until_ - now);
    }

    // The provider's result, cached while its inputs are unchanged, failures included. Errors: no such tool; the tool
    // writes, asks, failed or ran out of time.
    result<json::object> measure(const std::string& tool, const json::object& arguments) {
        const auto* t = context_.tools->tools().find_known(tool);
        if (!t) return fail(code::unknown_tool, "no bundle has the evidence provider '" + tool + "'");
        if (!t->annotations.read_only)
            return fail(code::denied, "'" + tool + "' cannot provide evidence: it is not declared read-only");
        const auto limit = left();
        if (limit < min_try) return fail(code::deadline, "no time was left to measure it");
        const auto planned = plan_call(context_, *t, arguments);
        if (!planned)  // an argument of the provider's, not of the call's
            return fail(code::unsupported, planned.error().message, planned.error().hint);
        if (!planned->files.outputs.empty())
            return fail(code::denied, "'" + tool + "' writes, so it cannot provide evidence");
        auto key = tool + base::canonical_json(planned->arguments);
        for (const auto& i : planned->files.inputs) key += workspace::dataset_state(i.path);
        return context_.host.measured.of(key, [&] { return measured(context_, *planned, limit); });
    }

private:
    const call_context& context_;
    std::optional<std::chrono::steady_clock::time_point> until_;  // since the first measurement
};

// Errors that no answer can prevent: of the arguments and of the data, not of the machine's state.
bool would_recur(const base::problem& p) {
    return p.code == code::invalid_argument || p.code == code::not_found || p.code == code::unsupported ||
           p.code == code::denied || p.code == code::io;
}

// The refusal that awaits the call whatever is answered, found by running it for a short time before anything is asked.
// Its outputs go to the scratch folder and are removed. Tools that may use the network are not run before their answer.
std::optional<base::problem> rehearse(const call_context& c, const planned_call& p, std::chrono::milliseconds limit) {
    if (p.tool.bundle->network || limit < min_try) return std::nullopt;
    std::vector<confined_work::planned_output> outputs;
    std::vector<workspace::temporary_folder> folders;
    for (const auto& o : p.files.outputs) {
        auto folder =
            workspace::temporary_folder::make(p.scratch() / ("rehearsal" + std::to_string(folders.size())), false);
        if (!folder) return std::nullopt;
        outputs.push_back({o.pointer, o.file_name, {{folder->path(), folder->path() / o.file_name}}});
        folders.push_back(std::move(*folder));
    }
    runner::call_events unheard;
    unheard.patient = false;
    auto e = c.host.work.run(p.tool, p.files, outputs, p.scratch(), c.cancel, unheard, {}, limit, told_to_tool(c.asker),
                             workspace::rfc3339(p.started));
    if (!e) {
        const bool full = std::any_of(folders.begin(), folders.end(),
                                      [](const auto& f) { return workspace::no_space_left(f.path()).has_value(); });
        return would_recur(e.error()) && !full ? std::optional{e.error()} : std::nullopt;
    }
    p.cleanup->process = std::move(e->process);
    return std::nullopt;
}

// `warnings`: receives those of the gate later. All referenced objects must outlive the result.
reflection::call question(const call_context& c, const planned_call& p, evidence_taker& evidence,
                          json::array& warnings) {
    const auto digest_of = [&](const std::filesystem::path& file) {
        return c.host.work.digest(p.files, file, c.cancel);
    };
    reflection::call q;
    q.tool = p.tool.name;
    q.arguments = p.arguments;
    q.given = p.given;
    q.justification = p.justification;
    q.crs = [&](std::string_view spelling) { return c.host.work.crs(spelling, c.cancel); };
    q.facts = [&c, &p, digest_of] { return facts_of_inputs(c, p, digest_of); };
    q.evidence = [&](const std::string& tool, const json::object& arguments) {
        return evidence.measure(tool, arguments);
    };
    q.keep_for_dataset = [&c, &p, &warnings, digest_of](const std::string& fact, const std::string& value) {
        if (p.files.inputs.empty()) return;
        const auto& first = p.files.inputs.front();
        if (auto ok = c.host.stated.keep(first.path, fact, value, digest_of); !ok)
            warnings.push_back(
                json::string("the statement about " + first.given + " could not be stored: " + ok.error().message));
    };
    return q;
}

outcome refusal(base::problem p, const reflection::verdict& v) {
    auto o = outcome::failure(std::move(p));
    o.receipts = reflection::receipts(v);
    return o;
}

// Takes the review's notes; an outcome: the refusal of a person or of the client's model, or questions to them.
std::optional<outcome> stopped_by(review& r, reflection::verdict& v, const client& asker) {
    for (auto& [domain, note] : r.notes)
        for (auto& ruling : v.rulings) {
            if (ruling.question->domain != domain) continue;
            ruling.notes.push_back(note);
            if (domain == r.stopped_by) ruling.outcome = reflection::decision::block;
        }
    if (r.refused) return refusal(*r.refused, v);
    if (!r.requests.empty()) {
        auto state = state_beside_gate(asker).as_object();
        for (auto& kept : r.state) state[kept.key()] = std::move(kept.value());
        return outcome::asking({std::move(r.requests), std::move(state)});
    }
    return std::nullopt;
}

void log_decisions(const std::string& tool, const reflection::verdict& v) {
    for (const auto& r : v.rulings) base::log(base::log_level::debug, tool + ", " + reflection::decision_line(r));
}

}  // namespace

gate_ruling pass_gate(const call_context& c, const planned_call& p) {
    gate_ruling out;
    evidence_taker evidence{c};
    auto asked = question(c, p, evidence, out.warnings);
    const auto stop = [&](outcome o) {
        out.stopped = std::move(o);
        return std::move(out);
    };
    auto verdict = c.tools->gate().decide(asked);
    if (!verdict) return stop(outcome::failure(verdict.error()));
    log_decisions(p.tool.name, *verdict);
    if (verdict->refused) return stop(refusal(*verdict->refused, *verdict));
    if (!verdict->runs())
        if (auto problem = rehearse(c, p, std::min(evidence.left(), max_rehearsing)))
            return stop(refusal(std::move(*problem), *verdict));
    auto person = ask_person(*verdict, p.tool.name, c.asker);
    if (auto o = stopped_by(person, *verdict, c.asker)) return stop(std::move(*o));
    if (!person.answers.empty()) {
        asked.justification = person.answers;
        verdict = c.tools->gate().decide(asked);
        if (!verdict) return stop(outcome::failure(verdict.error()));
        log_decisions(p.tool.name, *verdict);
        if (verdict->refused) return stop(refusal(*verdict->refused, *verdict));
        auto again = ask_about_conflicts(*verdict, person.answers, p.tool.name);
        if (auto o = stopped_by(again, *verdict, c.asker)) return stop(std::move(*o));
    }
    if (verdict->runs()) {
        auto looked = c.host.looks.look(*verdict, asked, c.asker);
        if (auto o = stopped_by(looked, *verdict, c.asker)) return stop(std::move(*o));
        for (const auto& warning : looked.warnings) out.warnings.push_back(json::string(warning));
    }
    out.receipts = reflection::receipts(*verdict);
    for (const auto& caution : reflection::cautions(*verdict)) out.warnings.push_back(json::string(caution));
    if (verdict->runs()) return out;
    auto refused = reflection::bounce(*verdict, asked);
    auto o = outcome::failure({code::needs_justification, std::move(refused.text), "", ""});
    o.body = std::move(refused.body);
    o.receipts = out.receipts;
    return stop(std::move(o));
}

result<json::object> preflight_call(const call_context& c, const catalog::tool& t, json::object arguments) {
    const auto planned = plan_call(c, t, std::move(arguments));
    if (!planned) return tl::unexpected{planned.error()};
    json::array unused;
    evidence_taker evidence{c};
    return c.tools->gate().preflight(question(c, *planned, evidence, unused));
}

result<json::object> keys_of_call(const call_context& c, const catalog::tool& t, json::object arguments) {
    const auto planned = plan_call(c, t, std::move(arguments));
    if (!planned) return tl::unexpected{planned.error()};
    json::array unused;
    evidence_taker evidence{c};
    return json::object{{"tool", t.name},
                        {"domains", reflection::key_report(c.tools->specs(), question(c, *planned, evidence, unused))}};
}

}  // namespace gdalmcp::app
