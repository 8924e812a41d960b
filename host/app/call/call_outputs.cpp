#include "app/call/call_outputs.hpp"

#include <unistd.h>

#include <cerrno>
#include <future>
#include <set>

#include "app/call/call_facts.hpp"
#include "app/call/call_line.hpp"
#include "app/call/tool_answer.hpp"
#include "base/text.hpp"
#include "workspace/file_system.hpp"
#include "workspace/publication.hpp"
#include "workspace/sidecars.hpp"

namespace gdalmcp::app {

using base::result;

namespace {

void append(json::array& to, const json::value* from) {
    if (from && from->is_array())
        for (const auto& e : from->get_array()) to.push_back(e);
}

// The tool chooses the names: shows only a few, and only their printable characters.
std::string shown(const std::vector<std::string>& names) {
    constexpr std::size_t most = 5;
    std::string list;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
        list += list.empty() ? "'" : ", '";
        for (const char c : names[i]) list += c > ' ' && c < 127 ? c : '?';
        list += "'";
    }
    return list + (names.size() > most ? " and " + std::to_string(names.size() - most) + " more" : "");
}

// A file beside the output that GDAL neither lists nor looks for may belong to another dataset.
result<void> leave_only_parts(written_output& w, call_notes& notes) {
    std::set<std::string> names;
    for (const auto& name : w.report.at("files").get_array()) names.emplace(name.get_string());
    w.report.erase("files");
    const auto gone = w.place.leave_only(w.chosen, names);
    if (!gone) return tl::unexpected{gone.error()};
    if (!gone->empty())
        notes.warnings.push_back(
            json::string("files beside the output that are not part of it were removed: " + shown(*gone)));
    return {};
}

// The name of a CRS definition; the whole definition is in the tool's result, the provenance and the metadata.
std::string without_definition(std::string_view crs) {
    const auto name = crs.find("[\"");
    if (name == std::string_view::npos) return std::string{crs};
    const auto begin = name + 2;
    return std::string{crs.substr(begin, crs.find('"', begin) - begin)};
}

// An output's entry in the result: {uri, path?, driver, size_bytes, crs, sha256}.
json::object output_member(const json::object& report, std::string uri) {
    json::object o{{"uri", std::move(uri)}};
    for (const char* name : {"driver", "size_bytes", "crs", "sha256"})
        if (const auto* v = report.if_contains(name)) o[name] = *v;
    o["crs"] = without_definition(base::string_member(json::value(o), "crs"));
    return o;
}

workspace::provenance step_of(const call_context& c, const planned_call& call, const finished_run& run,
                              const written_output& w, const call_notes& notes) {
    workspace::provenance p;
    p.first_started = c.asker.first_begun;
    p.tool = call.tool.name;
    p.bundle = call.tool.bundle->id + " " + call.tool.bundle->version;
    p.arguments = call.given.get_object();
    p.inputs = sources_of(call, run.prepared);
    for (std::size_t i = 0; i < p.inputs.size(); ++i)
        if (auto history = history_of(c, call.files.inputs[i])) p.inputs[i].history = std::move(*history);
    for (const auto& o : call.files.outputs)
        if (o.target) p.outputs.push_back(o.pointer);
    p.decisions = notes.receipts;
    p.versions = run.prepared.versions;
    p.versions["gdal-mcp"] = version;
    p.equivalent_command = call_line(call.tool.name, call.given);
    if (const auto& b = *call.tool.bundle; !b.by_default) p.equivalent_command += " --toolsets " + quoted(b.toolset);
    append(p.checks, w.report.if_contains("checks"));
    p.warnings = warnings_of(run.done, notes);
    p.started = call.started;
    p.finished = std::chrono::system_clock::now();
    return p;
}

json::object output_record(const written_output& w) {
    auto output = w.report;
    for (const char* told : {"kind", "checks"}) output.erase(told);  // the frame's name; what stands in `checks`
    output["argument"] = w.output->pointer;
    return output;
}

// `digests`: of the inputs, made for the first output.
result<void> leave_provenance(const call_context& c, const planned_call& call, finished_run& run,
                              const written_output& w, call_notes& notes, std::optional<workspace::digests>& digests) {
    const auto p = step_of(c, call, run, w, notes);
    if (!digests) {
        auto made = c.host.work.finish(std::move(run.hashing), c.cancel);
        if (!made) return tl::unexpected{made.error()};
        digests = std::move(*made);
        notes.times.mark("hash");
    }
    auto record = workspace::provenance_record(p, *digests);
    if (!record) return tl::unexpected{record.error()};
    (*record)["output"] = output_record(w);
    (*record)["times_ms"] = notes.times.ms;
    return workspace::write_provenance(w.place.candidates()[w.chosen].file, *record);
}

result<void> publish_file(const workspace::input_files& inputs, written_output& w, call_notes& notes) {
    auto done = w.place.publish(w.chosen, inputs);
    if (!done) {
        if (done.error().code == base::code::invalid_argument) done.error().at = w.output->pointer;
        return tl::unexpected{done.error()};
    }
    for (const auto& warning : done->warnings) notes.warnings.push_back(json::string(warning));
    notes.times.mark("publish");
    const auto primary = done->files.front().string();
    auto o = output_member(w.report, primary);
    o["path"] = primary;
    notes.outputs.push_back(std::move(o));
    return {};
}

result<void> keep_result(const call_context& c, const planned_call& p, const finished_run& run, written_output& w,
                         call_notes& notes) {
    json::object metadata;
    for (const char* name : {"driver", "crs", "bounds", "width", "height", "bands", "dtype", "feature_count"})
        if (const auto* v = w.report.if_contains(name)) metadata[name] = *v;
    // The tool's notes on how the result was made.
    for (const char* name : {"geometry_used", "geometry_crs", "window", "pixel_count"})
        if (const auto* v = base::find_member(run.done.at("result"), name)) metadata[name] = *v;
    json::array sources;
    for (const auto& i : p.files.inputs) sources.emplace_back(i.given);
    metadata["source"] = std::move(sources);
    metadata["tool"] = p.tool.name;
    auto made_by = workspace::provenance_outline(step_of(c, p, run, w, notes));
    made_by["output"] = output_record(w);
    auto kept = c.host.results.keep(std::move(w.place), w.chosen, std::move(metadata), std::move(made_by));
    if (!kept) return tl::unexpected{kept.error()};
    for (const auto& id : kept->evicted)
        notes.warnings.push_back(json::string(workspace::result_uri(id) +
                                              " was dropped to make room; give an output path to keep a result"));
    notes.results_changed = true;
    notes.outputs.push_back(output_member(w.report, workspace::result_uri(kept->id)));
    return {};
}

// A file is gone with the record of how it was made.
result<void> remove_files(const planned_call& p) {
    for (const auto& one : p.files.removals)
        for (const auto& file : {one.target, workspace::provenance_path(one.target)})
            if (::unlink(file.c_str()) != 0 && errno != ENOENT) {
                auto problem = workspace::file_system_problem(errno, "removing " + file.string(), file);
                problem.at = one.pointer;
                return tl::unexpected{std::move(problem)};
            }
    return {};
}

// A VRT may name the files of inputs that lie in the workspaces.
confined_work::references references_of(const planned_call& p, const finished_run& run, const workspace::output& o,
                                        const std::filesystem::path& file) {
    confined_work::references named;
    if (base::lower_ascii(file.extension().string()) != ".vrt") return named;
    named.published = (o.target ? *o.target : file).parent_path();
    for (std::size_t k = 0; k < p.files.inputs.size(); ++k)
        if (!p.files.inputs[k].result)
            for (const auto& f : run.prepared.inputs.at(k).files)
                if (!f.string().starts_with(p.scratch().string())) named.files.push_back(f);  // no private copy
    return named;
}

}  // namespace

result<void> verify_outputs(const call_context& c, const planned_call& p, finished_run& run, call_notes& notes) {
    for (auto& w : run.written) {
        const auto& file = w.place.candidates()[w.chosen].file;
        const auto expect = promised_output(p.tool, p.arguments, run.done, w.output->pointer);
        // Written to disk while it is checked; what fails is told when it is published, where this is done again.
        std::future<base::result<void>> flushed;
        if (w.output->target) flushed = std::async(std::launch::async, workspace::flush, file);
        auto report =
            c.host.work.verify(file, name_of(w.output->role), expect, c.cancel, references_of(p, run, *w.output, file));
        if (!report) return tl::unexpected{report.error()};
        w.report = std::move(*report);
        append(notes.checks, w.report.if_contains("checks"));
        append(notes.warnings, w.report.if_contains("warnings"));
        if (auto ok = leave_only_parts(w, notes); !ok) return ok;
    }
    if (!run.written.empty()) notes.times.mark("verify");
    return {};
}

result<void> publish_outputs(const call_context& c, const planned_call& p, finished_run& run, call_notes& notes) {
    std::optional<workspace::digests> digests;
    for (auto& w : run.written) {
        if (!w.output->target) {
            if (auto ok = keep_result(c, p, run, w, notes); !ok) return ok;
            continue;
        }
        if (auto ok = leave_provenance(c, p, run, w, notes, digests); !ok) return ok;
        if (auto ok = publish_file(run.input_files, w, notes); !ok) return ok;
    }
    return remove_files(p);
}

}  // namespace gdalmcp::app
