#include "reflection/methods_text.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "reflection/choice_prose.hpp"
#include "reflection/prose.hpp"

namespace gdalmcp::reflection {
namespace {

// A code, or the name in WKT.
std::string crs_named(std::string_view crs) {
    if (crs.empty()) return "no CRS";
    const auto begin = crs.find("[") == crs.npos ? crs.npos : crs.find('"');
    return std::string{begin == crs.npos ? crs : crs.substr(begin + 1, crs.find('"', begin + 1) - begin - 1)};
}

// name: as it is written. "`out.tif` (1573317 bytes, EPSG:3857, SHA-256 `17e2…`)"
std::string dataset(const std::string& name, const json::value& file) {
    std::string about;
    const auto add = [&](const std::string& part) { about += (about.empty() ? "" : ", ") + part; };
    if (const auto driver = base::string_member(file, "driver"); !driver.empty()) add(std::string{driver});
    const auto *width = base::find_member(file, "width"), *height = base::find_member(file, "height");
    if (width && height) add(base::write_json(*width) + " × " + base::write_json(*height) + " cells");
    if (const auto* bands = base::find_member(file, "bands"))
        add(base::write_json(*bands) + (*bands == 1 ? " band" : " bands"));
    if (const auto dtype = base::string_member(file, "dtype"); !dtype.empty()) add(std::string{dtype});
    if (const auto* n = base::find_member(file, "feature_count")) add(base::write_json(*n) + " features");
    for (const char* member : {"size", "size_bytes"})
        if (const auto* n = base::find_member(file, member)) add(base::write_json(*n) + " bytes");
    add(crs_named(base::string_member(file, "crs")));
    if (const auto sha = base::string_member(file, "sha256"); !sha.empty()) add("SHA-256 `" + std::string{sha} + "`");
    if (const auto sha = base::string_member(file, "partial_sha256"); !sha.empty())
        add("SHA-256 of its size, time, beginning and end `" + std::string{sha} + "`");
    return name + " (" + about + ")";
}

const json::array& list(const json::object& o, const char* name) {
    static const json::array none;
    const auto* found = o.if_contains(name);
    return found && found->is_array() ? found->get_array() : none;
}

std::string digest_of(const json::value& file) {
    const auto whole = base::string_member(file, "sha256");
    return std::string{whole.empty() ? base::string_member(file, "partial_sha256") : whole};
}

std::string digest_of_output(const json::object& provenance) {
    const auto* output = provenance.if_contains("output");
    return output ? digest_of(*output) : std::string{};
}

std::string identity_of(const json::object& provenance) {
    return std::string{base::string_member(provenance, "tool")} + "|" +
           std::string{base::string_member(provenance, "finished")} + "|" + digest_of_output(provenance);
}

// Adds a step and those behind the managed results it goes back to; each once.
void add_steps(run r, std::set<std::string>& known, std::vector<run>& all) {
    if (!known.insert(identity_of(r.provenance)).second) return;
    if (const auto* results = r.provenance.if_contains("results"); results && results->is_object())
        for (const auto& [uri, step] : results->get_object())
            if (step.is_object() && known.insert(std::string{uri}).second)
                all.push_back({"", step.get_object(), std::string{uri}});
    all.push_back(std::move(r));
}

std::vector<run> in_order(std::vector<run> runs) {
    std::vector<run> all;
    std::set<std::string> known;
    for (auto& r : runs) add_steps(std::move(r), known, all);
    std::stable_sort(all.begin(), all.end(), [](const run& a, const run& b) {
        return base::string_member(a.provenance, "finished") < base::string_member(b.provenance, "finished");
    });
    return all;
}

// The number of the step that made an input; 0: none of them.
std::size_t step_of(const json::value& input, const std::vector<run>& runs) {
    const auto uri = base::string_member(input, "uri");
    const auto digest = digest_of(input);
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (runs[i].output.empty() ? !uri.empty() && runs[i].result == uri
                                   : !digest.empty() && digest_of_output(runs[i].provenance) == digest)
            return i + 1;
    return 0;
}

// Whether the runs read other files of the same name.
bool is_ambiguous(const json::value& input, const std::vector<run>& runs) {
    const auto name = file_name(base::string_member(input, "path"));
    for (const auto& r : runs)
        for (const auto& other : list(r.provenance, "inputs"))
            if (file_name(base::string_member(other, "path")) == name && digest_of(other) != digest_of(input))
                return true;
    return false;
}

// "`dem.tif`", whose digest stands under the data; "the result of step 2"
std::string input_text(const json::value& input, const std::vector<run>& runs) {
    constexpr std::size_t enough = 8;  // hexadecimal digits
    const auto name = "`" + file_name(base::string_member(input, "path")) + "`";
    const auto step = step_of(input, runs);
    if (step > 0)
        return "the result of step " + std::to_string(step) + (runs[step - 1].output.empty() ? "" : " (" + name + ")");
    const auto digest = digest_of(input);
    return name + (digest.empty()              ? " (changed since)"
                   : is_ambiguous(input, runs) ? " (SHA-256 `" + digest.substr(0, enough) + "…`)"
                                               : "");
}

// The argument an input stands in, where the step has inputs in several: " as `zones`".
std::string role_of(const json::value& input, const json::array& inputs) {
    // "/inputs/A/uri" -> A, "/uris/0" -> uris
    const auto argument = [](const json::value& in) {
        auto at = base::string_member(in, "argument");
        const auto last = [&] { return at.substr(at.rfind('/') + 1); };
        while (at.rfind('/') != 0 && at.rfind('/') != at.npos &&
               (last() == "uri" || last().find_first_not_of("0123456789") == at.npos))
            at = at.substr(0, at.rfind('/'));
        return std::string{last()};
    };
    const auto own = argument(input);
    const bool shared =
        std::all_of(inputs.begin(), inputs.end(), [&](const json::value& in) { return argument(in) == own; });
    return shared || own.empty() || own == "uri" ? std::string{} : " as `" + own + "`";
}

// "`a.tif`, `b.tif` and `c.tif` as `uris`, `land.gpkg` as `zones`"
std::string inputs_text(const json::array& inputs, const std::vector<run>& runs) {
    std::string text;
    for (std::size_t i = 0; i < inputs.size();) {
        const auto role = role_of(inputs[i], inputs);
        auto end = i + 1;
        while (end < inputs.size() && role_of(inputs[end], inputs) == role) ++end;
        for (const auto first = i; i < end; ++i)
            text += (text.empty() ? "" : i > first && i + 1 == end ? " and " : ", ") + input_text(inputs[i], runs);
        text += role;
    }
    return text;
}

// The inputs that none of the runs made.
std::string data_text(const std::vector<run>& runs) {
    std::set<std::string, std::less<>> told;
    std::string text;
    for (std::size_t reader = 0; reader < runs.size(); ++reader)
        for (const auto& in : list(runs[reader].provenance, "inputs")) {
            const auto digest = digest_of(in);
            const auto name = file_name(base::string_member(in, "path"));
            const auto known_by = digest.empty() ? std::string{base::string_member(in, "path")} : digest + name;
            if (step_of(in, runs) > 0 || !told.insert(known_by).second) continue;
            text += "- " + dataset("`" + name + "`", in);
            std::size_t writer = 0;  // of the steps before
            for (std::size_t i = 0; i < reader && !digest.empty(); ++i)
                if (!runs[i].output.empty() && file_name(runs[i].output) == name) writer = i + 1;
            const auto* made_by = base::find_member(in, "made_by");
            const bool step_is_told = writer > 0;
            if (step_is_told)
                text += ", changed after step " + std::to_string(writer) + " wrote it";
            else if (made_by)
                text += ", made by `" + std::string{base::string_member(*made_by, "tool")} +
                        "` in a step whose record is gone or replaced: to repeat the work, make it again first";
            if (const auto* accepted = made_by && !step_is_told ? base::find_member(*made_by, "accepted") : nullptr)
                text += "; `" + std::string{base::string_member(*accepted, "tool")} + "` behind it ran in spite of " +
                        quoted(base::string_member(*accepted, "conflicts"));
            if (const auto* beside = base::find_member(in, "sidecars"); beside && beside->is_array()) {
                constexpr std::size_t most_named = 5;  // a mosaic has hundreds, all in the record of the step
                const auto& all = beside->get_array();
                text += ", read with";
                for (std::size_t i = 0; i < std::min(all.size(), most_named); ++i)
                    text += " `" + file_name(base::string_member(all[i], "path")) + "`";
                if (all.size() > most_named) text += " and " + std::to_string(all.size() - most_named) + " more files";
            }
            text += "\n";
        }
    return text;
}

// A value of an argument with the inputs in it named as in the text.
json::value naming_inputs(json::value v, const std::map<std::string, std::string, std::less<>>& names) {
    if (const auto* text = v.if_string()) {
        const auto known = names.find(std::string_view{*text});
        return known == names.end() ? v : json::value(json::string_view{known->second});
    }
    if (auto* all = v.if_array())
        for (auto& one : *all) one = naming_inputs(std::move(one), names);
    if (auto* o = v.if_object())
        for (auto& m : *o) m.value() = naming_inputs(std::move(m.value()), names);
    return v;
}

// Whether an argument holds inputs and nothing else.
bool only_inputs(const json::value& v, const std::map<std::string, std::string, std::less<>>& names) {
    if (const auto* all = v.if_array())
        return !all->empty() &&
               std::all_of(all->begin(), all->end(), [&](const json::value& one) { return only_inputs(one, names); });
    return v.is_string() && names.count(std::string_view{v.get_string()}) > 0;
}

// Whether it holds one: such a value is not cut off, since the band of each input stands there alone.
bool holds_inputs(const json::value& v, const std::map<std::string, std::string, std::less<>>& names) {
    if (const auto* text = v.if_string()) return names.count(std::string_view{*text}) > 0;
    if (const auto* all = v.if_array())
        return std::any_of(all->begin(), all->end(), [&](const json::value& one) { return holds_inputs(one, names); });
    const auto* o = v.if_object();
    return o && std::any_of(o->begin(), o->end(), [&](const auto& m) { return holds_inputs(m.value(), names); });
}

// The arguments as the text shows them: those that are inputs are named before, and others name theirs by step or file.
std::string parameters_of(const run& r, const std::vector<run>& runs) {
    const auto* arguments = r.provenance.if_contains("arguments");
    if (!arguments || !arguments->is_object()) return {};
    std::map<std::string, std::string, std::less<>> names;
    for (const auto& in : list(r.provenance, "inputs")) {
        const auto step = step_of(in, runs);
        names[std::string{base::string_member(in, "uri")}] =
            step > 0 ? "the result of step " + std::to_string(step) : file_name(base::string_member(in, "path"));
    }
    std::string all;
    for (const auto& m : arguments->get_object()) {
        if (m.value().is_null() || m.key() == "output" || m.key() == "overwrite" || only_inputs(m.value(), names))
            continue;
        all += (all.empty() ? "" : ", ") + std::string{m.key()} + " = " +
               (holds_inputs(m.value(), names) ? base::write_json(naming_inputs(m.value(), names)) : plain(m.value()));
    }
    return all;
}

// The file that a step writes when it is repeated: that of the caller, else one that the later steps can read.
std::string file_of_step(const run& r, std::size_t number) {
    if (!r.output.empty()) return r.output;
    const auto* output = r.provenance.if_contains("output");
    const auto driver = output ? base::string_member(*output, "driver") : std::string_view{};
    return "step-" + std::to_string(number) + (driver == "GPKG" ? ".gpkg" : driver == "CSV" ? ".csv" : ".tif");
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

// The command of a step, which reads and writes files where the step read and made managed results: these are gone when
// it is repeated.
std::string command_of(std::size_t i, const std::vector<run>& runs) {
    std::string command{base::string_member(runs[i].provenance, "equivalent_command")};
    for (const auto& in : list(runs[i].provenance, "inputs"))
        if (const auto step = step_of(in, runs); step > 0 && runs[step - 1].output.empty())
            replace_all(command, std::string{base::string_member(in, "uri")}, file_of_step(runs[step - 1], step));
    constexpr std::string_view end = "}'";
    if (runs[i].output.empty() && command.ends_with(end))
        command.insert(
            command.size() - end.size(),
            (command.ends_with("{}'") ? "" : ",") + std::string{"\"output\":\""} + file_of_step(runs[i], i + 1) + "\"");
    return command;
}

std::string step_text(const run& r, const std::vector<run>& runs, choices& all) {
    const auto& p = r.provenance;
    const auto inputs = inputs_text(list(p, "inputs"), runs);
    std::string text = "`" + std::string{base::string_member(p, "tool")} + "` (" +
                       std::string{base::string_member(p, "bundle")} + ") made " +
                       dataset(r.output.empty() ? "a temporary result" : "`" + r.output + "`",
                               p.contains("output") ? p.at("output") : json::value{}) +
                       (inputs.empty() ? "" : " from " + inputs) + " on " + day_of(base::string_member(p, "finished")) +
                       ".";
    add_sentence(text, "Parameters: ", parameters_of(r, runs));
    std::set<std::string> told;  // several choices of one domain may have one reason
    for (const auto& receipt : list(p, "decisions"))
        if (const auto one = capitalised(all.refer(receipt, p)); told.insert(one).second) text += " " + one + ".";
    return text;
}

}  // namespace

std::string methods_text(std::vector<run> runs, const record_lookup& stored, const specs& asked) {
    runs = in_order(std::move(runs));
    choices all{stored, asked};
    std::string steps, checks, warnings, commands;
    std::set<std::string> versions;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto& p = runs[i].provenance;
        steps += std::to_string(i + 1) + ". " + step_text(runs[i], runs, all) + "\n";
        const auto passed = joined(p.if_contains("checks"), ", ");
        const auto output =
            runs[i].output.empty() ? "result of step " + std::to_string(i + 1) : "`" + runs[i].output + "`";
        if (!passed.empty()) checks += "- " + output + ": " + passed + "\n";
        for (const auto& w : list(p, "warnings"))
            if (w.is_string()) warnings += "- " + output + ": " + quoted(w.get_string()) + "\n";
        if (const auto command = command_of(i, runs); !command.empty()) commands += command + "\n";
        if (const auto* v = p.if_contains("versions"); v && v->is_object())
            for (const auto& m : v->get_object()) versions.insert(std::string{m.key()} + " " + plain(m.value()));
    }
    std::string software;
    for (const auto& v : versions) software += (software.empty() ? "" : "; ") + v;
    std::string text = "# Methods\n";
    const auto section = [&](const char* title, const std::string& body) {
        if (!body.empty()) text += std::string{"\n## "} + title + "\n\n" + body;
    };
    section("Data", data_text(runs));
    section("Steps", steps);
    if (auto made = all.text(); !made.empty()) {
        for (const auto& r : runs)  // areas given as a dataset
            for (const auto& in : list(r.provenance, "inputs"))
                if (const auto digest = digest_of(in); !digest.empty())
                    for (const char* kind : {"dataset-sha256:", "dataset-partial_sha256:"})
                        replace_all(made, kind + digest, "`" + file_name(base::string_member(in, "path")) + "`");
        text += "\n## Choices\n" + made;
    }
    section("Checks passed after writing", checks);
    section("Warnings", warnings);
    section("Software", software.empty() ? "" : software + ".\n");
    section("To repeat it", commands.empty() ? "" : "```sh\n" + commands + "```\n");
    return text;
}

std::string reasons_text(const std::vector<std::shared_ptr<const found_record>>& records, const specs& asked) {
    std::map<std::string, std::string> by_domain;
    for (const auto& r : records) {
        const auto title = title_of(*r, asked);
        by_domain[r->domain] += "\n## " + title + "\n\n" + prose_of(*r, title) + "\n";
    }
    std::string text = "# Reasons\n";
    if (records.empty()) text += "\nNone are stored.\n";
    for (const auto& [domain, sections] : by_domain) text += sections;
    return text;
}

}  // namespace gdalmcp::reflection
