#include "app/call/lineage.hpp"

#include <deque>
#include <set>

#include "base/file.hpp"
#include "reflection/choice_prose.hpp"
#include "reflection/prose.hpp"
#include "workspace/provenance.hpp"
#include "workspace/sidecars.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_steps = 32, max_provenance = 4u << 20;

const json::array& list(const json::object& o, std::string_view name) {
    static const json::array none;
    const auto* found = o.if_contains(name);
    return found && found->is_array() ? found->get_array() : none;
}

// Facts the reason was given for: what its answer states, or the situation it was last confirmed in.
json::object stated_in(const json::object& record) {
    const auto* answer = record.if_contains("justification");
    const auto* facts = answer ? base::find_member(*answer, "facts") : nullptr;
    json::object stated;
    if (!facts || !facts->is_object()) return stated;
    stated = facts->get_object();
    const auto* scope = record.if_contains("scope");
    const auto* situations = scope ? base::find_member(*scope, "situations") : nullptr;
    if (!situations || !situations->is_array() || situations->get_array().empty()) return stated;
    for (auto&& fact : stated)
        if (const auto* last = base::find_member(situations->get_array().back(), fact.key())) fact.value() = *last;
    return stated;
}

// Of a reason that is not stored here, the CRS of what the step wrote.
std::string choice_of(const json::value& reason, const json::object& step) {
    const auto choice = base::string_member(reason, "choice");
    const auto* output = step.if_contains("output");
    return std::string{choice.empty() && output ? base::string_member(*output, "crs") : choice};
}

// What a decision of the step knew a cell of its input to be, where the step did not compute other values of them.
std::string kind_in(const json::object& step) {
    const auto* arguments = step.if_contains("arguments");
    if (arguments && base::find_member(*arguments, "scale")) return {};
    for (const auto& receipt : list(step, "decisions"))
        if (const auto kind = base::string_member(receipt, "kind");
            !kind.empty() && base::string_member(receipt, "domain") != "aggregation")  // of counts, trends and the like
            return std::string{kind};
    return {};
}

// How a step made cells of another grid from those of its input; empty where it did not.
std::string resampling_in(const json::object& step) {
    const auto* arguments = step.if_contains("arguments");
    const auto method = arguments ? base::string_member(*arguments, "resampling") : std::string_view{};
    for (const auto& receipt : list(step, "decisions"))
        if (base::string_member(receipt, "domain") == "resampling" &&
            base::string_member(receipt, "decision") == "not_needed")
            return {};
    return std::string{method};
}

// Whether a step looked at a part of its data that no reason was given for.
bool only_looked(const json::object& step) {
    for (const auto& receipt : list(step, "decisions"))
        if (const auto* notes = base::find_member(receipt, "notes"); notes && notes->is_array())
            for (const auto& note : notes->get_array())
                if (note.is_string() && std::string_view{note.get_string()}.starts_with("exploratory:")) return true;
    return false;
}

// The argument an input stands in, without its place in a list: the values of an output come from the first argument
// that names inputs, and the others say where or with what.
std::string_view argument_of(const json::value& input) {
    const auto pointer = base::string_member(input, "argument");
    return pointer.substr(0, pointer.find('/', 1));
}

// Whether a step wrote another file than the one that was read: since then, it was overwritten.
bool wrote_another(const json::object& step, const json::value& input) {
    const auto* output = step.if_contains("output");
    const auto wrote = output ? base::string_member(*output, "sha256") : std::string_view{},
               read = base::string_member(input, "sha256");
    return !wrote.empty() && !read.empty() && wrote != read;
}

// A step of the chain is known by what it wrote and when.
std::string identity_of(const json::object& step) {
    const auto* output = step.if_contains("output");
    return std::string{base::string_member(step, "tool")} + "|" + std::string{base::string_member(step, "finished")} +
           "|" + (output ? std::string{base::string_member(*output, "sha256")} : "");
}

}  // namespace

bool gives_the_grid_alone(std::string_view argument) { return argument == "/align_to"; }

std::optional<json::object> lineage::recorded_step(const fs::path& file) {
    const auto beside = workspace::provenance_path(file);
    std::error_code ec;
    if (!fs::is_regular_file(fs::symlink_status(beside, ec))) return std::nullopt;
    const auto text = base::read_file(beside, max_provenance);
    auto step = text ? base::parse_json(*text) : base::result<json::value>{tl::unexpected{text.error()}};
    if (!step || !step->is_object() || base::string_member(*step, "tool").empty()) return std::nullopt;
    return std::move(step->get_object());
}

std::optional<json::object> lineage::step_behind(const fs::path& file) {
    auto step = recorded_step(file);
    if (!step) return std::nullopt;
    const auto* output = base::find_member(*step, "output");
    const auto* size = output ? base::find_member(*output, "size_bytes") : nullptr;
    std::error_code ec;
    if (size && size->is_number() && fs::is_regular_file(file, ec) &&
        size->to_number<std::uint64_t>() != fs::file_size(file, ec))
        return std::nullopt;
    return step;
}

json::object lineage::reasons_of(const json::object& step) const {
    constexpr std::string_view scheme = "justification://";
    json::object reasons;
    for (const auto& receipt : list(step, "decisions")) {
        const auto domain = base::string_member(receipt, "domain"),
                   ref = base::string_member(receipt, "justification_ref");
        if (domain.empty() || !ref.starts_with(scheme)) continue;
        json::object reason;
        // What the receipt says held for that very step; the record may have been confirmed for others since.
        const auto record = stored_(domain, ref.substr(ref.rfind('/') + 1));
        if (record) {
            reason = stated_in(*record);
            for (const char* of_dataset : {"kind", "surface"}) reason.erase(of_dataset);  // of that one alone
            reason["choice"] = base::string_member(record->at("justification").at("choice"), "method");
        }
        if (const auto* stated = base::find_member(receipt, "stated"); stated && stated->is_object())
            for (const auto& fact : stated->get_object()) reason[fact.key()] = fact.value();
        reason["ref"] = ref;
        reasons[domain] = std::move(reason);
    }
    return reasons;
}

// "totals_not_summed, because only the map is looked at": what choice and data disagreed about in a step that ran.
std::string lineage::conflicts_of(const json::object& step) const {
    std::string all;
    for (const auto& receipt : list(step, "decisions")) {
        const auto* names = base::find_member(receipt, "conflicts");
        if (!names || !names->is_array() || names->get_array().empty()) continue;
        const auto ref = base::string_member(receipt, "justification_ref");
        const auto record = stored_(base::string_member(receipt, "domain"), ref.substr(ref.rfind('/') + 1));
        auto one = record ? reflection::accepted_for(receipt, *record, base::string_member(step, "finished")) : "";
        if (one.empty()) one = reflection::joined(names, ", ");
        all += (all.empty() ? "" : "; ") + one;
    }
    return all;
}

std::vector<lineage::earlier_step> lineage::steps_before(const json::object& step) const {
    std::vector<earlier_step> steps;
    const auto& inputs = list(step, "inputs");
    for (const auto& in : inputs) {
        if (gives_the_grid_alone(argument_of(in))) continue;
        const bool for_values = argument_of(in) == argument_of(inputs.front());
        if (auto behind = workspace::step_behind_result(step, base::string_member(in, "uri"))) {
            steps.push_back({std::move(*behind), for_values});
            continue;
        }
        const fs::path file{std::string{base::string_member(in, "path")}};
        const auto* known = base::find_member(in, "made_by");
        auto behind = file.is_absolute() && may_read_(file) ? step_behind(file) : std::nullopt;
        if (behind && known && wrote_another(*behind, in)) behind.reset();
        if (behind)
            steps.push_back({std::move(*behind), for_values});
        else if (known && known->is_object())
            steps.push_back({{}, for_values, known->get_object()});
    }
    return steps;
}

json::object lineage::made_by(const json::object& step) const {
    const auto take = [](json::object& to, const json::object& known, std::string_view fact) {
        const auto* found = known.if_contains(fact);
        if (to.empty() && found && found->is_object()) to = found->get_object();
    };
    json::array tools;
    json::object for_display, for_preview, accepted, regridded, resampled, exploratory;
    std::set<std::string> seen;
    std::deque<earlier_step> chain{{step, true}};
    while (!chain.empty() && seen.size() < max_steps) {
        const auto current = std::move(chain.front());
        const auto& one = current.step;
        const bool for_values = current.for_values;
        chain.pop_front();
        if (!seen.insert(identity_of(one) + (for_values ? "|values" : "")).second) continue;
        const auto tool = base::string_member(one, "tool");
        if (for_values) tools.emplace_back(tool);
        for (const auto& [domain, reason] : reasons_of(one)) {
            if (for_display.empty() && base::string_member(reason, "use") == "display")
                for_display = {{"tool", tool}, {"choice", choice_of(reason, one)}, {"ref", reason.at("ref")}};
            if (for_preview.empty() && base::string_member(reason, "role") == "preview")
                for_preview = {{"tool", tool}, {"ref", reason.at("ref")}};
        }
        if (auto conflicts = accepted.empty() ? conflicts_of(one) : std::string{}; !conflicts.empty())
            accepted = {{"tool", tool}, {"conflicts", std::move(conflicts)}};
        if (const auto method = resampling_in(one); for_values && !method.empty()) {
            const json::object by{{"tool", tool}, {"method", method}};
            if (regridded.empty()) regridded = by;
            if (resampled.empty() && !method.starts_with("near")) resampled = by;
        }
        if (for_values && exploratory.empty() && only_looked(one)) exploratory = {{"tool", tool}};
        for (auto& earlier : steps_before(one)) {
            const bool values = for_values && earlier.for_values;
            if (!earlier.step.empty()) chain.push_back({std::move(earlier.step), values});
            take(for_display, earlier.known, "for_display");
            take(for_preview, earlier.known, "for_preview");
            take(accepted, earlier.known, "accepted");
            if (!values) continue;
            take(regridded, earlier.known, "regridded");
            take(resampled, earlier.known, "resampled");
            take(exploratory, earlier.known, "exploratory");
            for (const auto& tool_before : list(earlier.known, "tools")) tools.push_back(tool_before);
        }
    }
    json::object fact{
        {"tool", base::string_member(step, "tool")}, {"reasons", reasons_of(step)}, {"tools", std::move(tools)}};
    if (!for_display.empty()) fact["for_display"] = std::move(for_display);
    if (!for_preview.empty()) fact["for_preview"] = std::move(for_preview);
    if (!accepted.empty()) fact["accepted"] = std::move(accepted);
    if (!regridded.empty()) fact["regridded"] = std::move(regridded);
    if (!resampled.empty()) fact["resampled"] = std::move(resampled);
    if (!exploratory.empty()) fact["exploratory"] = std::move(exploratory);
    if (const auto kind = kind_in(step); !kind.empty()) fact["kind"] = kind;
    return fact;
}

}  // namespace gdalmcp::app
