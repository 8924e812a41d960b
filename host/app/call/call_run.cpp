#include "app/call/call_run.hpp"

#include <algorithm>

#include "app/call/call_facts.hpp"
#include "app/call/tool_questions.hpp"
#include "base/hidden_characters.hpp"
#include "workspace/file_system.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::result;

namespace {

bool out_of_memory_space(const std::vector<written_output>& written) {
    for (const auto& w : written)
        for (const auto& c : w.place.candidates())
            if (c.in_memory && workspace::no_space_left(c.folder)) return true;
    return false;
}

// Input k with the sidecars the worker read with it. A private copy of a database with a journal replaces the original.
workspace::source source_of(const planned_call& p, std::size_t k, const runner::prepared_run& prepared) {
    const auto& i = p.files.inputs[k];
    const auto& read = prepared.inputs.at(k);
    workspace::source s{i.pointer, i.given, i.path, {}, read.crs};
    if (i.result) s.made_by = i.result->made_by;
    s.known_by = file_state(i.path);
    const auto private_copies = p.scratch().string();
    for (const auto& file : read.files) {
        std::error_code ec;
        if (file != i.path && !file.string().starts_with(private_copies) &&
            !fs::is_directory(file, ec))  // its files are listed beside it
            s.sidecars.push_back(file);
    }
    return s;
}

// The worker has opened the inputs and lists their files. An output may replace some of them: the other parts of a
// shapefile, the sources of a VRT. Publishing compares the files actually written once more.
result<void> spare_inputs(const workspace::call_files& files, const runner::prepared_run& prepared,
                          workspace::input_files& input_files) {
    for (std::size_t k = 0; k < files.inputs.size(); ++k) {
        const auto& in = files.inputs[k];
        input_files.add_dataset(in.path, in.given);
        for (const auto& f : prepared.inputs.at(k).files) input_files.add(f, in.given);
    }
    for (const auto& o : files.outputs)
        if (auto ok = o.target ? input_files.spared_by(*o.target) : result<void>{}; !ok) {
            ok.error().at = o.pointer;
            return ok;
        }
    return {};
}

result<std::vector<confined_work::planned_output>> make_stages(const call_context& c, const planned_call& p,
                                                               bool memory, std::vector<written_output>& written) {
    std::vector<confined_work::planned_output> outputs;
    for (const auto& o : p.files.outputs) {
        auto place = o.target ? c.host.stages.beside(*o.target, o.overwrite) : c.host.results.begin(o.file_name);
        if (!place) return tl::unexpected{place.error()};
        auto candidates = place->candidates();
        if (!memory) std::erase_if(candidates, [](const auto& one) { return one.in_memory; });
        outputs.push_back({o.pointer, o.file_name, std::move(candidates)});
        written.push_back({&o, std::move(*place)});
    }
    return outputs;
}

// `out.written` names the intended outputs of a failed run, too.
result<void> attempt(const call_context& c, const planned_call& p, bool memory, finished_run& out, call_times& times) {
    const auto outputs = make_stages(c, p, memory, out.written);
    if (!outputs) return tl::unexpected{outputs.error()};
    auto events = c.events;
    if (std::any_of(p.files.outputs.begin(), p.files.outputs.end(), [](const auto& o) { return o.target.has_value(); }))
        events.prepared = [&](const runner::prepared_run& prepared) {
            auto spared = spare_inputs(p.files, prepared, out.input_files);
            if (spared)
                out.hashing =
                    c.host.work.begin_hashing(p.files, workspace::recorded_files(sources_of(p, prepared)), c.cancel);
            return spared;
        };
    auto e = c.host.work.run(p.tool, p.files, *outputs, p.scratch(), c.cancel, events, {}, std::nullopt,
                             told_to_tool(c.asker),
                             c.asker.first_begun.empty() ? workspace::rfc3339(p.started) : c.asker.first_begun);
    if (!e) {
        // Tools report a full disk in many ways; this message has the next step.
        for (const auto& w : out.written)
            if (auto full = workspace::no_space_left(w.place.candidates().back().folder))
                return tl::unexpected{std::move(*full)};
        return tl::unexpected{e.error()};
    }
    for (std::size_t i = 0; i < out.written.size(); ++i) {
        const auto& all = out.written[i].place.candidates();
        out.written[i].chosen = e->prepared->stages.at(i) + (all.size() - (*outputs)[i].candidates.size());
    }
    times.ms["prepare"] = e->prepared->prepare_ms;
    if (const auto* t = e->done.if_contains("tool_ms")) times.ms["tool"] = *t;
    times.ms["max_rss_kib"] = e->max_rss_kib;
    times.mark("run");
    out.prepared = std::move(*e->prepared);
    out.done = std::move(e->done);
    p.cleanup->process = std::move(e->process);
    return {};
}

}  // namespace

std::vector<workspace::source> sources_of(const planned_call& p, const runner::prepared_run& prepared) {
    std::vector<workspace::source> all;
    for (std::size_t k = 0; k < p.files.inputs.size(); ++k) all.push_back(source_of(p, k, prepared));
    return all;
}

json::array warnings_of(const json::object& done, const call_notes& notes) {
    json::array all;
    for (const auto& w : done.at("warnings").get_array())
        all.push_back(json::string(base::with_hidden_shown(w.get_string())));
    // Each member of a list, such as each statistic, has a ruling of its own: what holds of all is said once.
    for (const auto& w : notes.warnings)
        if (std::find(all.begin(), all.end(), w) == all.end()) all.push_back(w);
    return all;
}

result<finished_run> run_tool(const call_context& c, const planned_call& p, call_times& times) {
    finished_run run;
    auto ok = attempt(c, p, true, run, times);
    if (!ok && out_of_memory_space(run.written)) {
        run = finished_run{};
        ok = attempt(c, p, false, run, times);  // once more, on disk
    }
    if (!ok) return tl::unexpected{ok.error()};
    return run;
}

}  // namespace gdalmcp::app
