#include "app/authoring/tool_trial.hpp"

#include <algorithm>

#include "app/authoring/sample_arguments.hpp"
#include "app/call/call_line.hpp"
#include "app/call/tool_answer.hpp"
#include "app/call/tool_questions.hpp"
#include "base/pointer.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
namespace code = base::code;
using base::result;
using steady = std::chrono::steady_clock;

namespace {

constexpr std::size_t enough = 3;  // failed calls with odd input after which testing stops

std::string list_of(const std::vector<std::string>& all) {
    std::string text;
    for (const auto& one : all) text += (text.empty() ? "" : ", ") + one;
    return text;
}

// Durations differ from call to call.
bool is_measured_time(std::string_view name) {
    const auto ends = [&](std::string_view with) {
        return name.size() >= with.size() && name.substr(name.size() - with.size()) == with;
    };
    return ends("seconds") || ends("_ms") || ends("elapsed");
}

// The first difference of two results, such as "/bounds/0 is 1, then 2"; "" when they are equal.
std::string difference(const json::value& a, const json::value& b, const std::string& at = "") {
    const auto* x = a.if_object();
    const auto* y = b.if_object();
    if (x && y && x->size() == y->size()) {
        for (const auto& m : *x) {
            const auto* other = y->if_contains(m.key());
            if (!other) return at + " has '" + std::string{m.key()} + "' the first time only";
            if (is_measured_time(m.key())) continue;
            if (auto d = difference(m.value(), *other, at + "/" + base::escape_token(m.key())); !d.empty()) return d;
        }
        return "";
    }
    const auto* list = a.if_array();
    const auto* other = b.if_array();
    if (list && other && list->size() == other->size()) {
        for (std::size_t i = 0; i < list->size(); ++i)
            if (auto d = difference((*list)[i], (*other)[i], at + "/" + std::to_string(i)); !d.empty()) return d;
        return "";
    }
    return a == b ? "" : at + " is " + base::write_json(a) + ", then " + base::write_json(b);
}

}  // namespace

void tool_trial::found(const char* check, verdict v, std::string message, std::string hint) {
    const bool told = v == verdict::warning && std::any_of(findings_.begin(), findings_.end(), [&](const finding& f) {
                          return f.check == check && f.message == message;
                      });
    if (!told) findings_.push_back({check, tool_.name, v, std::move(message), std::move(hint)});
}

std::string tool_trial::line(const json::object& arguments) const {
    return call_line(tool_.name, json::value(arguments)) + " --bundles " +
           quoted(tool_.bundle->folder.parent_path().string()) + " --workspace " +
           quoted(room_.files.folder().string());
}

bool tool_trial::admits(const json::object& arguments) const {
    return bool{tool_.input().check(json::value(arguments))};
}

tool_trial::attempt tool_trial::call(const json::object& arguments, stop when, bool reopen) {
    attempt out;
    json::value given(arguments);
    tool_.input().fill_defaults(given);
    auto access = workspace::plan(tool_.input().text(), given.get_object(), room_.roots, room_.results);
    if (access)
        execute(*access, given, when, reopen, out);
    else
        out.problem = std::move(access.error());  // refused by the host: a missing or empty input
    out.disturbed = room_.files.differences();
    if (!out.disturbed.empty())
        if (auto ok = room_.files.restore(); !ok) out.problem = ok.error();
    return out;
}

// A client that supports every kind of question a tool may ask.
static client anyone() {
    client c;
    c.capabilities = {{"elicitation", json::object{}}, {"sampling", json::object{}}, {"roots", json::object{}}};
    return c;
}

void tool_trial::execute(const workspace::call_files& a, const json::value& arguments, stop when, bool reopen,
                         attempt& out) {
    const auto scratch = workspace::temporary_folder::make(workspace::new_temporary_name(room_.scratch), false);
    std::vector<confined_work::planned_output> outputs;
    std::vector<workspace::stage> places;
    for (const auto& o : a.outputs) {
        auto place = room_.results.begin(o.file_name);
        if (!scratch || !place) break;
        outputs.push_back({o.pointer, o.file_name, place->candidates()});
        places.push_back(std::move(*place));
    }
    if (!scratch || places.size() != a.outputs.size()) {
        out.problem =
            base::problem{code::io, "the check cannot create its temporary folders in " + room_.scratch.string(),
                          "is the disk full?", ""};
        return;
    }
    runner::cancellation cancel;
    auto told_to_stop = steady::now() + room_.limit;
    const auto raise = [&] {
        told_to_stop = std::min(told_to_stop, steady::now());
        cancel.stop();
    };
    if (when == stop::at_start) raise();
    runner::call_events events;
    events.observed = [&](const json::value& frame) { out.observed = frame; };
    if (when == stop::at_progress) events.progress = [&](double, std::string_view) { raise(); };
    auto e = room_.work.run(tool_, a, outputs, scratch->path(), cancel, events, {room_.files.folder()}, std::nullopt,
                            told_to_tool(anyone()));
    out.killed = steady::now() >= told_to_stop + runner::grace;
    if (!e) {
        out.problem = std::move(e.error());
        return;
    }
    e->process.reset();  // the process has ended and writes nothing further
    if (auto ok = examine(places, a, arguments, *e, reopen, out); !ok) out.problem = ok.error();
    out.done = std::move(e->done);
}

result<void> tool_trial::examine(const std::vector<workspace::stage>& places, const workspace::call_files& a,
                                 const json::value& arguments, const runner::ending& e, bool reopen, attempt& out) {
    const auto asked = asked_by_tool(tool_.name, e.done, anyone());
    if (!asked) {
        out.conforms = false;
        return tl::unexpected{asked.error()};
    }
    if (*asked) return {};  // nobody answers, so there is no result to check
    if (tool_.result_schema())
        if (auto structured = structured_result(tool_, e.done, {}, {}, {}); !structured) {
            out.conforms = false;
            return tl::unexpected{structured.error()};
        }
    for (std::size_t i = 0; reopen && i < places.size(); ++i) {
        const auto chosen = e.prepared->stages.at(i);
        const auto report = room_.work.verify(places[i].candidates()[chosen].file, name_of(a.outputs[i].role),
                                              promised_output(tool_, arguments, e.done, a.outputs[i].pointer), {});
        if (!report) return tl::unexpected{report.error()};
    }
    return {};
}

std::vector<finding> tool_trial::run() {
    try_usual();
    if (usual_) {
        try_again();
        try_cancelling();
        try_odd();
    }
    return std::move(findings_);
}

std::optional<json::object> tool_trial::sample_result() {
    try_usual();
    if (!usual_) return std::nullopt;
    const auto* result = first_.if_contains("result");
    return result && result->is_object() ? result->get_object() : json::object{};
}

// True when the attempt shows no defect of the tool. An error is not a defect: it may be the correct answer.
bool tool_trial::judge(const char* check, const json::object& arguments, attempt& a) {
    bool fine = true;
    const auto fault = [&](const char* of, std::string message) {
        found(of, verdict::failure, std::move(message), line(arguments));
        fine = false;
    };
    if (a.problem) {
        const auto& p = *a.problem;
        if (p.code == code::crashed)
            fault(check, p.message);
        else if (p.code == code::quarantined)
            fault(check, p.message);
        else if (p.code == code::deadline && a.killed)
            fault(check, "it does not return: it was cancelled after " + std::to_string(room_.limit.count()) +
                             " s, did not stop and was killed");
        else if (p.code == code::deadline)
            found(check, verdict::warning,
                  "it takes longer than " + std::to_string(room_.limit.count()) + " s, and stops when cancelled",
                  line(arguments));
        else if (!a.conforms || p.code == code::verification_failed)
            fault(check, p.message);
        else if (p.code == code::internal)
            found(check, verdict::warning, "it reports an internal error: " + p.message, line(arguments));
    }
    if (!a.disturbed.empty()) {
        const auto what = "it changed files that are not its outputs: " + list_of(a.disturbed);
        if (tool_.annotations.read_only)
            fault("annotations", "it is declared read-only, but " + what);
        else
            found("annotations", verdict::warning, what + "; the sandbox prevents this in a call", line(arguments));
    }
    judge_observed(arguments, a.observed);
    return fine;
}

// Reported once for each file, and once for printing.
void tool_trial::judge_observed(const json::object& arguments, const json::value& observed) {
    std::vector<std::string> reads;
    if (const auto* all = base::find_member(observed, "reads"); all && all->is_array())
        for (const auto& path : all->get_array())
            if (path.is_string() && told_reads_.insert(path.get_string().c_str()).second)
                reads.emplace_back(path.get_string());
    if (!reads.empty())
        found("reads", verdict::warning,
              "it reads files that are not its inputs, which the sandbox denies in a call: " + list_of(reads),
              "take it as an argument with an input role, or carry it in the bundle; " + line(arguments));
    const auto* printed = base::find_member(observed, "printed");
    const auto* bytes = printed ? base::find_member(*printed, "bytes") : nullptr;
    if (bytes && bytes->is_int64() && bytes->get_int64() > 0 && !std::exchange(told_printed_, true))
        found("stdout", verdict::warning,
              "it prints " + std::to_string(bytes->get_int64()) +
                  " bytes to stdout, which no client receives: " + base::write_json(printed->at("text")),
              "put it into the result, or use say() or log(); " + line(arguments));
}

static std::string asks(std::size_t n) {
    return "it asks " + std::to_string(n) + (n == 1 ? " question" : " questions") +
           "; its handling of the answers was not tested";
}

void tool_trial::try_usual() {
    std::optional<std::pair<json::object, base::problem>> refused;
    bool admitted = false;
    for (const auto& arguments : usual_arguments(tool_.input().text(), room_.datasets)) {
        if (!admits(arguments)) continue;
        admitted = true;
        auto a = call(arguments, stop::never, true);
        if (!judge("sample call", arguments, a)) return;
        if (a.problem) {
            if (!refused) refused.emplace(arguments, *a.problem);
            continue;
        }
        found("sample call", verdict::ok, "");
        if (const auto* ask = a.done.if_contains("ask"))
            found("questions", verdict::note, asks(ask->at("requests").get_object().size()));
        usual_ = arguments;
        first_ = std::move(a.done);
        return;
    }
    if (!admitted)
        found("sample call", verdict::failure, "no arguments could be made that satisfy the input schema",
              "give the arguments examples or defaults");
    else
        found("sample call", verdict::failure,
              "none succeeded, so nothing further was tested: " + refused->second.message,
              "give the arguments examples or defaults, or pass suitable data with --samples; tried: " +
                  line(refused->first));
}

void tool_trial::try_again() {
    auto a = call(*usual_, stop::never, false);
    if (!judge("sample call", *usual_, a) || !tool_.annotations.idempotent) return;
    if (a.problem)
        return found("idempotent", verdict::failure, "the second call failed: " + a.problem->message, line(*usual_));
    const auto differs = difference(first_.at("result"), a.done.at("result"));
    if (differs.empty()) return found("idempotent", verdict::ok, "");
    found("idempotent", verdict::failure,
          "the same call returns a different result the second time: " + differs.substr(0, 400),
          "drop the annotation, or remove the difference; " + line(*usual_));
}

void tool_trial::try_cancelling() {
    const auto* progress = first_.if_contains("progress");
    const bool reports = progress && base::bool_member(*progress, "asked");
    if (progress && base::bool_member(*progress, "fell"))
        found("progress", verdict::warning, "a fraction is below the previous one; clients do not receive it",
              "report one fraction of the whole call, from 0 to 1");
    auto a = call(*usual_, reports ? stop::at_progress : stop::at_start, false);
    if (a.killed)
        return reports ? found("cancel", verdict::failure,
                               "it reports progress, but ignores cancellation and must be killed",
                               "return GDALMCP_CANCELLED when progress() returns 0; " + line(*usual_))
                       : found("cancel", verdict::warning,
                               "it never calls progress(), so cancelling a call means killing it",
                               "call progress() at least every second");
    found("cancel", verdict::ok, "");
}

void tool_trial::try_odd() {
    std::size_t tried = 0, failures = 0;
    for (const auto& arguments : odd_arguments(tool_.input().text(), *usual_, room_.datasets)) {
        if (!admits(arguments)) continue;  // the host refuses them
        ++tried;
        auto a = call(arguments, stop::never, false);
        const bool late = a.problem && a.problem->code == code::deadline;
        if ((!judge("odd input", arguments, a) || late) && ++failures == enough)
            return found("odd input", verdict::note,
                         "testing stopped after " + std::to_string(enough) + " calls that failed or took too long");
    }
    if (failures == 0) found("odd input", verdict::ok, std::to_string(tried) + " calls");
}

}  // namespace gdalmcp::app
