#include "reflection/methods_text.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "reflection/normal_form.hpp"

namespace gdalmcp::reflection {
namespace {

constexpr std::size_t max_argument = 80;  // characters shown of a value; the command shows it in full

std::string day_of(std::string_view timestamp) { return std::string{timestamp.substr(0, 10)}; }

std::string file_name(std::string_view path) { return std::string{path.substr(path.rfind('/') + 1)}; }

// Text of a record, on one line, without the final full stop, which the surrounding sentence adds.
std::string quoted(std::string_view words) {
    auto text = normal_text(words);
    while (!text.empty() && (text.back() == '.' || text.back() == ';')) text.pop_back();
    return text;
}

std::string plain(const json::value& v) {
    auto text = v.is_string() ? quoted(v.get_string()) : base::write_json(v);
    return base::shortened(text, max_argument);
}

std::string joined(const json::value* list, const char* between) {
    std::string all;
    if (list && list->is_array())
        for (const auto& e : list->get_array()) all += (all.empty() ? "" : between) + plain(e);
    return all;
}

std::string capitalised(std::string s) {
    if (!s.empty() && s[0] >= 'a' && s[0] <= 'z') s[0] = static_cast<char>(s[0] - 'a' + 'A');
    return s;
}

// "method = fill, operation = condition"
std::string assignments(const json::object& o, const std::set<std::string, std::less<>>& without) {
    std::string all;
    for (const auto& m : o)
        if (!without.count(std::string{m.key()}))
            all += (all.empty() ? "" : ", ") + std::string{m.key()} + " = " + plain(m.value());
    return all;
}

std::string method_of(const record& r) {
    return quoted(base::string_member(r.text.at("justification").at("choice"), "method"));
}

// "Target CRS (crs_datum): EPSG:3857"
std::string title_of(const record& r, const specs& asked) {
    const auto* s = asked.find(r.domain);
    return (s ? capitalised(s->title) + " (" + r.domain + ")" : r.domain) + ": " + method_of(r);
}

void add_sentence(std::string& text, const std::string& label, const std::string& words) {
    if (!words.empty()) text += " " + label + words + ".";
}

std::string listed(const json::object& reason, const char* object, const char* member) {
    const auto* o = reason.if_contains(object);
    return joined(o ? base::find_member(*o, member) : nullptr, "; ");
}

std::string rejected(const json::object& reason) {
    std::string all;
    if (const auto* alternatives = reason.if_contains("alternatives"); alternatives && alternatives->is_array())
        for (const auto& a : alternatives->get_array())
            all += (all.empty() ? "" : "; ") + quoted(base::string_member(a, "method")) + " (" +
                   quoted(base::string_member(a, "why_not")) + ")";
    return all;
}

// A confirmation: {timestamp, changed, sentence, chosen_by}.
std::string kept(const json::value& confirmation) {
    const auto changed = joined(base::find_member(confirmation, "changed"), "; ");
    return " Confirmed by the " + std::string{base::string_member(confirmation, "chosen_by")} + " on " +
           day_of(base::string_member(confirmation, "timestamp")) +
           (changed.empty() ? "" : ", after being shown that " + changed) + ": " +
           quoted(base::string_member(confirmation, "sentence")) + ".";
}

std::string prose_of(const found_record& r) {
    const auto& reason = r.text.at("justification").get_object();
    const auto& choice = reason.at("choice");
    const auto& key = r.text.at("prompt_args").get_object();
    std::string text = method_of(r) + " was chosen by the " + r.chosen_by + " on " + day_of(r.timestamp) + ", with " +
                       std::string{base::string_member(reason, "confidence")} + " confidence";
    if (key.size() > 1) text += " (" + assignments(key, {}) + ")";
    text += ".";
    add_sentence(text, "Purpose: ", quoted(base::string_member(reason, "intent")));
    add_sentence(text, "Context: ", quoted(base::string_member(reason, "context")));
    add_sentence(text, "Reason: ", quoted(base::string_member(choice, "rationale")));
    add_sentence(text, "Rejected: ", rejected(reason));
    add_sentence(text, "Accepted in return: ", quoted(base::string_member(choice, "tradeoffs")));
    add_sentence(text, "Considered: ", listed(reason, "candidate_methods", "considered"));
    add_sentence(text, "Known beforehand: ", listed(reason, "assumptions", "known"));
    add_sentence(text, "Assumed, not checked: ", listed(reason, "assumptions", "uncertain"));
    add_sentence(text, "It depends on: ", listed(reason, "assumptions", "dependencies"));
    add_sentence(text, "What stays uncertain: ", listed(reason, "epistemic_status", "residual_uncertainty_sources"));
    add_sentence(text, "Review when: ", listed(reason, "epistemic_status", "conditions_for_revisit"));
    if (const auto* again = r.text.if_contains("revisits"); again && again->is_array())
        for (const auto& a : again->get_array()) text += kept(a);
    add_sentence(text, "The reason comes from the library ", r.found_in);
    return text;
}

// The choices of all runs, each once, under a number.
class choices {
public:
    choices(const record_lookup& stored, const specs& asked) : stored_{stored}, asked_{asked} {}

    // One decision in a step: "target CRS: choice 1".
    std::string refer(const json::value& receipt, std::string_view finished) {
        const std::string domain{base::string_member(receipt, "domain")},
            ref{base::string_member(receipt, "justification_ref")};
        const auto* s = asked_.find(domain);
        const auto what = s ? s->title + " (" + domain + ")" : domain;
        const auto notes = joined(base::find_member(receipt, "notes"), "; ");
        if (base::string_member(receipt, "decision") == "not_needed")
            return what + ": no reason needed" + (notes.empty() ? "" : ", " + notes);
        if (ref.empty()) return what + ": no reason recorded" + (notes.empty() ? "" : " (" + notes + ")");
        const bool remark = base::string_member(receipt, "decision") != "proceed" && !notes.empty();
        return what + ": choice " + std::to_string(number_of(ref, finished)) + (remark ? " (" + notes + ")" : "");
    }

    std::string text() const {
        std::string all;
        for (std::size_t i = 0; i < sections_.size(); ++i)
            all += "\n### " + std::to_string(i + 1) + ". " + sections_[i] + "\n";
        return all;
    }

private:
    std::size_t number_of(const std::string& ref, std::string_view finished) {
        if (const auto known = numbers_.find(ref); known != numbers_.end()) return known->second;
        const auto r = stored_(ref);
        sections_.push_back(r ? section(*r, finished) : ref + "\n\nThis reason is no longer stored.");
        return numbers_[ref] = sections_.size();
    }

    std::string section(const found_record& r, std::string_view finished) const {
        auto text = title_of(r, asked_) + "\n\n" + prose_of(r);
        for (const auto& p : r.text.at("parents").get_array())
            if (p != json::string_view{r.cache_key}) text += " " + parent(std::string{p.get_string()});
        if (!finished.empty() && r.timestamp > finished)
            text += " This reason was written after the step; the one the step ran on was replaced.";
        return text;
    }

    // A parent is a cache key of any domain.
    std::string parent(const std::string& cache_key) const {
        for (const auto& s : asked_.all())
            if (const auto r = stored_("justification://" + s.domain + "/" + cache_key))
                return "It builds on the choice " + title_of(*r, asked_) + ".";
        return "It builds on " + cache_key + ", which is no longer stored.";
    }

    const record_lookup& stored_;
    const specs& asked_;
    std::vector<std::string> sections_;
    std::map<std::string, std::size_t> numbers_;  // by ref
};

// "`out.tif` (1573317 bytes, EPSG:3857, SHA-256 `17e2…`)"
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
    const auto crs = base::string_member(file, "crs");
    add(crs.empty() ? "no CRS" : std::string{crs});
    if (const auto sha = base::string_member(file, "sha256"); !sha.empty()) add("SHA-256 `" + std::string{sha} + "`");
    if (const auto sha = base::string_member(file, "partial_sha256"); !sha.empty())
        add("SHA-256 of its size, time, beginning and end `" + std::string{sha} + "`");
    return "`" + name + "` (" + about + ")";
}

const json::array& list(const json::object& o, const char* name) {
    static const json::array none;
    const auto* found = o.if_contains(name);
    return found && found->is_array() ? found->get_array() : none;
}

// The inputs that none of the runs made.
std::string data_text(const std::vector<run>& runs) {
    std::set<std::string, std::less<>> made, told;
    for (const auto& r : runs) {
        const auto* output = r.provenance.if_contains("output");
        if (output) made.emplace(base::string_member(*output, "sha256"));
    }
    std::string text;
    for (const auto& r : runs)
        for (const auto& in : list(r.provenance, "inputs")) {
            const auto whole = base::string_member(in, "sha256");
            const std::string sha{whole.empty() ? base::string_member(in, "partial_sha256") : whole};
            if (made.count(sha) || !told.insert(sha).second) continue;
            text += "- " + dataset(file_name(base::string_member(in, "path")), in);
            if (const auto* beside = base::find_member(in, "sidecars"); beside && beside->is_array()) {
                text += ", read with";
                for (const auto& s : beside->get_array())
                    text += " `" + file_name(base::string_member(s, "path")) + "`";
            }
            text += "\n";
        }
    return text;
}

std::string step_text(const run& r, choices& all) {
    const auto& p = r.provenance;
    std::string inputs;
    for (const auto& in : list(p, "inputs"))
        inputs += (inputs.empty() ? "`" : ", `") + file_name(base::string_member(in, "path")) + "`";
    const auto finished = base::string_member(p, "finished");
    std::string text = "`" + std::string{base::string_member(p, "tool")} + "` (" +
                       std::string{base::string_member(p, "bundle")} + ") made " +
                       dataset(r.output, p.contains("output") ? p.at("output") : json::value{}) +
                       (inputs.empty() ? "" : " from " + inputs) + " on " + day_of(finished) + ".";
    std::set<std::string, std::less<>> files{"output", "overwrite"};
    const auto* arguments = p.if_contains("arguments");
    if (arguments && arguments->is_object()) {
        for (const auto& m : arguments->get_object())
            for (const auto& in : list(p, "inputs"))
                if (m.value().is_string() && m.value().get_string() == base::string_member(in, "uri"))
                    files.emplace(m.key());
        add_sentence(text, "Parameters: ", assignments(arguments->get_object(), files));
    }
    for (const auto& receipt : list(p, "decisions")) text += " " + capitalised(all.refer(receipt, finished)) + ".";
    return text;
}

}  // namespace

std::string methods_text(std::vector<run> runs, const record_lookup& stored, const specs& asked) {
    std::stable_sort(runs.begin(), runs.end(), [](const run& a, const run& b) {
        return base::string_member(a.provenance, "finished") < base::string_member(b.provenance, "finished");
    });
    choices all{stored, asked};
    std::string steps, checks, commands;
    std::set<std::string> versions;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto& p = runs[i].provenance;
        steps += std::to_string(i + 1) + ". " + step_text(runs[i], all) + "\n";
        const auto passed = joined(p.if_contains("checks"), ", ");
        if (!passed.empty()) checks += "- `" + runs[i].output + "`: " + passed + "\n";
        if (const auto command = base::string_member(p, "equivalent_command"); !command.empty())
            commands += std::string{command} + "\n";
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
    if (const auto made = all.text(); !made.empty()) text += "\n## Choices\n" + made;
    section("Checks passed after writing", checks);
    section("Software", software.empty() ? "" : software + ".\n");
    section("To repeat it", commands.empty() ? "" : "```sh\n" + commands + "```\n");
    return text;
}

std::string reasons_text(const std::vector<std::shared_ptr<const found_record>>& records, const specs& asked) {
    std::map<std::string, std::string> by_domain;
    for (const auto& r : records) by_domain[r->domain] += "\n## " + title_of(*r, asked) + "\n\n" + prose_of(*r) + "\n";
    std::string text = "# Reasons\n";
    if (records.empty()) text += "\nNone are stored.\n";
    for (const auto& [domain, sections] : by_domain) text += sections;
    return text;
}

}  // namespace gdalmcp::reflection
