#include "app/commands/replay_run.hpp"

#include <algorithm>

#include "app/call/lineage.hpp"
#include "base/pointer.hpp"
#include "workspace/archive_member.hpp"
#include "workspace/subdataset.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::fail;
using base::result;

namespace {

// The name of a dataset, its file replaced.
std::string respelled(const std::string& uri, const std::string& file) {
    if (const auto part = workspace::subdataset::parse(uri)) return part->with_file(file);
    const auto inside = workspace::archive_member::parse(uri);
    const bool in_archive = inside && fs::path{inside->archive}.filename() == fs::path{file}.filename();
    if (in_archive) return file + "/" + inside->inside;
    return file;
}

std::string parent_of(const std::string& pointer) { return pointer.substr(0, pointer.rfind('/')); }

// Puts the inputs of one list into it. A pattern among its members stood for several of them; members that are no
// inputs (inline GeoJSON, as an object or its text) keep their places.
bool put_in_list(json::array& list, const std::map<std::size_t, std::string>& inputs) {
    std::vector<json::value> others;
    for (auto& one : list)
        if (!one.is_string() || one.get_string().starts_with('{')) others.push_back(std::move(one));
    const auto size = inputs.size() + others.size();
    list.clear();
    for (std::size_t i = 0, next = 0; i < size; ++i) {
        const auto input = inputs.find(i);
        if (input == inputs.end() && next == others.size()) return false;
        list.push_back(input == inputs.end() ? std::move(others[next++]) : json::value(json::string(input->second)));
    }
    return true;
}

bool put_inputs(json::value& arguments, const std::map<std::string, std::string>& by_pointer) {
    std::map<std::string, std::map<std::size_t, std::string>> lists;  // by pointer and place
    for (const auto& [pointer, uri] : by_pointer) {
        const auto* parent = base::at_pointer(arguments, parent_of(pointer));
        if (!parent) return false;
        if (parent->is_array())
            lists[parent_of(pointer)][std::strtoul(pointer.c_str() + pointer.rfind('/') + 1, nullptr, 10)] = uri;
        else if (!base::put_at_pointer(arguments, pointer, json::string(uri)))
            return false;
    }
    return std::all_of(lists.begin(), lists.end(), [&](const auto& list) {
        return put_in_list(base::at_pointer(arguments, list.first)->get_array(), list.second);
    });
}

// name -> sha256 of the files beside an output.
std::map<std::string, std::string> digests_beside(const json::object& output) {
    std::map<std::string, std::string> all;
    if (const auto* sidecars = output.if_contains("sidecars"); sidecars && sidecars->is_array())
        for (const auto& one : sidecars->get_array())
            all.emplace(base::string_member(one, "name"), base::string_member(one, "sha256"));
    return all;
}

std::vector<std::string> differences(const json::object& then, const json::object& now) {
    std::vector<std::string> all;
    const auto compare = [&](const std::string& name, const std::string& was, const std::string& is) {
        if (was == is) return;
        all.push_back(name + (was.empty() ? " is written now, and was not then"
                              : is.empty()
                                  ? " was written then, and is not now"
                                  : " has another content: sha256 " + was + " is recorded, " + is + " is made now"));
    };
    compare("the file", std::string{base::string_member(then, "sha256")},
            std::string{base::string_member(now, "sha256")});
    auto was = digests_beside(then), is = digests_beside(now);
    for (const auto& [name, digest] : is) was.emplace(name, "");
    for (const auto& [name, digest] : was) compare(name, digest, is[name]);
    return all;
}

// The files read with the inputs that one of the records does not have: {name: whether it was read then}.
void compare_files_read(const json::object& then, const json::object& now, std::vector<std::string>& notes) {
    const auto names = [](const json::value& input) {
        std::vector<std::string> all;
        if (const auto* beside = base::find_member(input, "sidecars"); beside && beside->is_array())
            for (const auto& one : beside->get_array())
                all.push_back(fs::path{std::string{base::string_member(one, "path")}}.filename().string());
        std::sort(all.begin(), all.end());
        return all;
    };
    const auto &old_inputs = then.at("inputs").get_array(), &new_inputs = now.at("inputs").get_array();
    for (std::size_t i = 0; i < old_inputs.size() && i < new_inputs.size(); ++i) {
        const auto was = names(old_inputs[i]), is = names(new_inputs[i]);
        for (const auto& name : is)
            if (!std::binary_search(was.begin(), was.end(), name))
                notes.push_back(name + " was read now, and not then");
        for (const auto& name : was)
            if (!std::binary_search(is.begin(), is.end(), name)) notes.push_back(name + " was read then, and not now");
    }
}

}  // namespace

bool repeated_step::same() const {
    return ran && std::all_of(outputs.begin(), outputs.end(), [](const auto& o) { return o.differences.empty(); });
}

replayer::replayer(host& h, const std::vector<replayed_step>& steps, fs::path into, const runner::cancellation& cancel)
    : host_{h},
      steps_{steps},
      into_{std::move(into)},
      cancel_{cancel},
      made_(steps.size()),
      last_use_(steps.size()),
      same_(steps.size()) {
    for (std::size_t i = 0; i < steps.size(); ++i)
        for (const auto& in : steps[i].inputs)
            if (in.step) last_use_[*in.step] = i;
}

// Whether a later step writes a file of this name.
bool is_written_later(const std::vector<replayed_step>& steps, std::size_t step, const fs::path& name) {
    return std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(step) + 1, steps.end(), [&](const auto& later) {
        return std::any_of(later.outputs.begin(), later.outputs.end(),
                           [&](const auto& out) { return out.file.filename() == name; });
    });
}

// The file name stays, for some formats name a layer after it. Of outputs of one name the last, which may be the one
// asked for, has it to itself; the others lie in folders of their own.
fs::path replayer::free_place(std::size_t step, const std::string& argument, const json::value& arguments) const {
    const auto* given = base::at_pointer(arguments, argument);
    if (!given || !given->is_string()) return {};
    const auto named = host_.workspaces().absolute(given->get_string());
    if (!named) return {};
    std::error_code ec;
    const auto here = into_ / named->filename();
    if (!fs::exists(here, ec) && !is_written_later(steps_, step, named->filename())) return here;
    const auto folder = into_ / std::to_string(step + 1);
    fs::create_directory(folder, ec);
    return folder / named->filename();
}

result<json::object> replayer::arguments_of(std::size_t number, const checked_step& checked) const {
    const auto& step = steps_[number];
    json::value arguments = step.record.at("arguments");
    std::map<std::string, std::string> inputs;
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
        const auto& in = step.inputs[i];
        const std::string uri{base::string_member(in.record, "uri")};
        if (in.step && made_[*in.step].empty())
            return fail(base::code::not_found,
                        "step " + std::to_string(*in.step + 1) + ", which makes " + uri + ", gave no result");
        const auto place = in.step ? made_[*in.step].at(in.output).uri : checked.data.at(i).string();
        inputs[std::string{base::string_member(in.record, "argument")}] =
            workspace::id_of_result_uri(place) ? place : respelled(uri, place);
    }
    if (!put_inputs(arguments, inputs))
        return fail(base::code::invalid_argument, "the record names arguments of inputs that the call does not have",
                    "the record was edited");
    if (const auto* outputs = step.record.if_contains("outputs"); outputs && outputs->is_array())
        for (const auto& pointer : outputs->get_array()) {
            const std::string argument{pointer.is_string() ? std::string_view{pointer.get_string()}
                                                           : std::string_view{}};
            if (!base::at_pointer(arguments, argument))
                return fail(
                    base::code::unsupported,
                    "its name and place are fixed: it lies beside the input, where nothing is written again",
                    "call " + std::string{base::string_member(step.record, "tool")} + " with a copy of the input");
            const auto place = free_place(number, argument, arguments);
            if (place.empty() || !base::put_at_pointer(arguments, argument, json::string(place.string())))
                return fail(base::code::invalid_argument,
                            "the record names the output '" + argument + "', which the call does not have",
                            "the record was edited");
        }
    if (!arguments.is_object()) return fail(base::code::invalid_argument, "the recorded arguments are no object");
    return std::move(arguments.get_object());
}

// A managed result is the newest one that this tool wrote for this argument.
result<replayer::made> replayer::made_now(const replayed_step& step, const replayed_output& output,
                                          const json::value& arguments) {
    const std::string argument{base::string_member(output.record, "argument")};
    if (const auto* target = base::at_pointer(arguments, argument); target && target->is_string()) {
        const std::string file{target->get_string()};
        auto record = lineage::recorded_step(file);
        if (!record) return fail(base::code::io, "the provenance record of " + file + " cannot be read");
        return made{file, std::move(*record), nullptr};
    }
    const auto all = host_.results().list();
    for (auto it = all.rbegin(); it != all.rend(); ++it) {
        const std::string uri{base::string_member(*it, "uri")};
        auto held = host_.results().hold(*workspace::id_of_result_uri(uri));
        if (!held) continue;
        const auto& record = (*held)->made_by;
        if (base::string_member(record, "tool") == base::string_member(step.record, "tool") &&
            base::string_member(record.at("output"), "argument") == argument)
            return made{uri, record, std::move(*held)};
    }
    return fail(base::code::not_found, "the tool made no managed result for " + argument);
}

void replayer::compare(std::size_t number, const json::value& arguments, repeated_step& to) {
    const auto& step = steps_[number];
    std::vector<made> all;
    for (const auto& output : step.outputs) {
        auto now = made_now(step, output, arguments);
        if (!now) {
            to.notes.push_back(now.error().message);
            to.ran = false;
            return;
        }
        const auto& written = now->record.at("output").as_object();
        to.outputs.push_back({now->held ? output.uri : now->uri, std::string{base::string_member(written, "sha256")},
                              differences(output.record, written)});
        all.push_back(std::move(*now));
    }
    const auto& now = all.front().record;
    made_[number] = std::move(all);
    same_[number] = to.same();
    if (to.same()) return;
    compare_files_read(step.record, made_[number].front().record, to.notes);
    const auto *was = step.record.if_contains("versions"), *is = now.if_contains("versions");
    if (was && was->is_object() && is && is->is_object())
        for (auto& one : other_versions(was->get_object(), is->get_object())) to.notes.push_back(std::move(one));
    for (const auto& in : step.inputs)
        if (in.step && !same_[*in.step])
            to.notes.push_back("its input, the result of step " + std::to_string(*in.step + 1) + ", differs");
}

json::object replayer::same_inputs_of(std::size_t number) const {
    json::object all;
    for (const auto& in : steps_[number].inputs)
        if (in.step ? same_[*in.step] : !in.record.contains("changed"))
            all[base::string_member(in.record, "argument")] = json::object{
                {"path", base::string_member(in.record, "uri")}, {"state", base::string_member(in.record, "known_by")}};
    return all;
}

void replayer::release_after(std::size_t number) {
    for (std::size_t i = 0; i <= number; ++i)
        if (last_use_[i] <= number)
            for (auto& one : made_[i])
                if (std::exchange(one.held, nullptr))
                    static_cast<void>(host_.results().release(*workspace::id_of_result_uri(one.uri)));
}

repeated_step replayer::run(std::size_t number, const checked_step& checked) {
    repeated_step out;
    const auto stop = [&](const base::problem& why) {
        out.notes.insert(out.notes.begin(), why.message + (why.hint.empty() ? "" : "; " + why.hint));
        return out;
    };
    out.notes = checked.obstacles;
    if (!checked.obstacles.empty()) return out;
    if (cancel_.requested()) return stop({base::code::cancelled, "the replay was cancelled", "", ""});
    auto arguments = arguments_of(number, checked);
    if (!arguments) return stop(arguments.error());
    out.notes = checked.remarks;
    client repeater;
    const auto first = base::string_member(steps_[number].record, "first_started");
    repeater.first_begun = first.empty() ? base::string_member(steps_[number].record, "started") : first;
    repeater.same_inputs = same_inputs_of(number);
    const json::value given(*arguments);
    const auto o =
        host_.call(base::string_member(steps_[number].record, "tool"), std::move(*arguments), cancel_, {}, repeater);
    if (o.ask)
        return stop({base::code::unsupported, "the tool asks a question, which nobody can answer in a replay", "", ""});
    if (o.problem) return stop(*o.problem);
    out.ran = true;
    compare(number, given, out);
    if (out.same()) out.notes = checked.originals;
    release_after(number);
    return out;
}

}  // namespace gdalmcp::app
