#include "app/call/call_facts.hpp"

#include <algorithm>
#include <set>

#include "app/call/lineage.hpp"
#include "base/digest.hpp"
#include "reflection/scope.hpp"
#include "workspace/sidecars.hpp"

namespace gdalmcp::app {

using base::result;

namespace {

void set_kind(json::object& facts, const json::value& kind, const std::string& why) {
    facts["kind"] = kind;
    facts["kind_why"] = why;
    facts["may_be_codes"] = false;
    if (auto* bands = facts.contains("bands") ? facts["bands"].if_array() : nullptr; bands && !bands->empty()) {
        (*bands)[0].get_object()["kind"] = kind;
        (*bands)[0].get_object()["kind_why"] = why;
        (*bands)[0].get_object()["may_be_codes"] = false;
    }
}

// What a file is known by in reasons, however a call spells it: its path in the workspace.
std::string place_of(std::string_view spelled, const workspace::roots& roots) {
    const auto named = roots.absolute(spelled);
    const auto path = named ? named->lexically_normal() : std::filesystem::path{};
    const auto* root = named ? roots.of(path) : nullptr;
    return root ? path.lexically_relative(root->folder).string() : std::string{spelled};
}

void complete(json::object& facts, const workspace::input& i, const call_context& c,
              const dataset_facts::digest_of& digest) {
    facts["path"] = i.given;
    facts["place"] = place_of(i.given, c.host.roots);
    facts["state"] = file_state(i.path);
    if (const auto* then = c.asker.same_inputs.if_contains(i.pointer)) {
        auto as_then = then->get_object();
        as_then["place"] = place_of(base::string_member(as_then, "path"), c.host.roots);
        facts["replayed"] = std::move(as_then);
    }
    if (base::string_member(facts, "kind_of_dataset") != "raster") return;
    const auto known = c.host.stated.of(i.path, digest);
    const auto* surface = known.if_contains("surface");
    facts["surface"] = surface ? *surface : json::value(reflection::unknown_fact);
    if (surface) facts["surface_why"] = reflection::stated_why;
    if (const auto* kind = known.if_contains("kind");
        kind && base::string_member(facts, "kind") == reflection::unknown_fact)
        set_kind(facts, *kind, std::string{reflection::stated_why});
}

// What a step's reason stated of the surface its heights are of; "" if nothing.
std::string surface_stated(const json::object& made_by) {
    const auto* reasons = made_by.if_contains("reasons");
    const auto* reason = reasons ? base::find_member(*reasons, "hydrology") : nullptr;
    return std::string{reason ? base::string_member(*reason, "surface") : ""};
}

// Whether a raster itself tells less about its values than the step that made it knew: floating-point numbers are
// continuous whatever they measure, unless a unit says so, and a vertical CRS may be gone.
bool knows_less(const json::object& facts, std::string_view made_from) {
    const auto kind = base::string_member(facts, "kind");
    const auto* bands = facts.if_contains("bands");
    const auto* first = bands && bands->is_array() && !bands->get_array().empty() ? &bands->get_array()[0] : nullptr;
    const bool silent = first && base::string_member(*first, "unit").empty();
    return base::string_member(facts, "kind_of_dataset") == "raster" &&
           (kind == reflection::unknown_fact ||
            (kind == "continuous" &&
             (made_from == "elevation" ||
              (silent && (made_from == "count" || made_from == "angle" || made_from == "ratio")))));
}

lineage lineage_of(const call_context& c) {
    const auto stored = [&reasons = c.host.reasons](std::string_view domain,
                                                    std::string_view cache_key) -> std::optional<json::object> {
        const auto found = reasons.find(domain, cache_key);
        if (found.records.empty()) return std::nullopt;
        return found.records.front()->text;
    };
    const auto may_read = [&roots = c.host.roots](const std::filesystem::path& file) {
        return roots.readable(file.string()).has_value();
    };
    return {stored, may_read};
}

}  // namespace

std::optional<json::object> history_of(const call_context& c, const workspace::input& in) {
    const auto step = in.result ? std::optional{in.result->made_by} : lineage::step_behind(in.path);
    if (!step || step->empty()) return std::nullopt;
    return lineage_of(c).made_by(*step);
}

namespace {

// How the inputs came about; and of the call, those that go back to a step made for display.
void add_lineage(const call_context& c, const std::vector<workspace::input>& inputs, json::object& facts) {
    auto& all = facts.at("inputs").as_array();
    json::array for_display;
    for (std::size_t i = 0; i < all.size() && i < inputs.size(); ++i) {
        auto made_by = all[i].is_object() ? history_of(c, inputs[i]) : std::nullopt;
        if (!made_by) continue;
        if (const auto* shown = made_by->if_contains("for_display")) {
            auto one = shown->get_object();
            one["path"] = inputs[i].given;
            for_display.push_back(std::move(one));
        }
        auto& one = all[i].get_object();
        if (const auto kind = base::string_member(*made_by, "kind"); !kind.empty() && knows_less(one, kind))
            set_kind(one, json::string(kind),
                     "as known of what it was made from by " + std::string{base::string_member(*made_by, "tool")});
        if (const auto surface = surface_stated(*made_by);
            !surface.empty() && base::string_member(one, "surface") == reflection::unknown_fact) {
            one["surface"] = surface;
            one["surface_why"] = reflection::stated_why;
        }
        one["made_by"] = std::move(*made_by);
    }
    if (!for_display.empty()) facts["made_for_display"] = std::move(for_display);
}

}  // namespace

std::vector<std::string> not_made_for_measuring(const call_context& c, const planned_call& p) {
    std::vector<std::string> out;
    const bool kept = std::any_of(p.files.outputs.begin(), p.files.outputs.end(),
                                  [](const workspace::output& o) { return o.target.has_value(); });
    for (const auto& in : p.files.inputs) {
        const auto made_by = gives_the_grid_alone(in.pointer) ? std::nullopt : history_of(c, in);
        if (!made_by) continue;
        const auto tool_of = [&](const char* fact) {
            return std::string{base::string_member(made_by->at(fact), "tool")};
        };
        if (const auto* shown = made_by->if_contains("for_display"))
            out.push_back(in.given + " goes back to data reprojected to " +
                          std::string{base::string_member(*shown, "choice")} + " for display (" +
                          tool_of("for_display") +
                          "): what is measured on it is measured on a map made to look at. Take the data from before "
                          "that step, or reproject them for measuring");
        if (made_by->contains("for_preview"))
            out.push_back(in.given + " goes back to a preview (" + tool_of("for_preview") +
                          "), whose values may be changed: measure on the data from before that step");
        if (const auto* accepted = made_by->if_contains("accepted"))
            out.push_back(in.given + " goes back to a step (" + tool_of("accepted") + ") that ran in spite of " +
                          std::string{base::string_member(*accepted, "conflicts")} +
                          ": what is measured on it has that in it. The data from before that step do not");
        if (kept && made_by->contains("exploratory"))
            out.push_back(in.given + " goes back to an extent taken for a look (" + tool_of("exploratory") +
                          " without purpose or output): what is claimed of it needs that call with a 'purpose'");
    }
    return out;
}

std::vector<std::string> moved_to_another_grid(const call_context& c, const planned_call& p) {
    std::vector<std::string> out;
    std::set<std::string> ways;  // of all inputs; "": they are as they were
    for (const auto& in : p.files.inputs) {
        const auto made_by = history_of(c, in);
        const auto* step = made_by ? made_by->if_contains("regridded") : nullptr;
        const auto way = step ? std::string{base::string_member(*step, "tool")} + ", " +
                                    std::string{base::string_member(*step, "method")}
                              : std::string{};
        ways.insert(way);
        if (!step) continue;
        out.push_back(in.given + " goes back to cells of another grid (" + way +
                      "): a change about a cell wide along a border of classes or an edge may come from that alone");
    }
    // The records do not tell the grids before.
    if (out.size() > 1 && ways.size() == 1)
        return {"the inputs go back to cells of other grids (" + *ways.begin() +
                "): unless these were one, a change about a cell wide along a border of classes or an edge may come "
                "from that alone"};
    return out;
}

std::string file_state(const std::filesystem::path& file) {
    const auto state = workspace::content_state(file);
    return state.empty() ? state : base::sha256_hex(state).substr(0, 16);
}

result<json::value> facts_of_inputs(const call_context& c, const planned_call& p,
                                    const dataset_facts::digest_of& digest_of) {
    auto facts =
        c.host.work.facts(p.files, p.scratch(), c.cancel, std::string{base::string_member(p.arguments, "subdataset")});
    if (!facts) return facts;
    auto& all = facts->at("inputs").as_array();
    const auto& inputs = p.files.inputs;
    for (std::size_t i = 0; i < all.size() && i < inputs.size(); ++i)
        if (all[i].is_object()) complete(all[i].get_object(), inputs[i], c, digest_of);
    add_lineage(c, inputs, facts->as_object());
    if (!all.empty()) facts->as_object()["input"] = all.front();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].as_geometry) continue;
        auto digest = digest_of(inputs[i].path);
        if (!digest) return tl::unexpected{digest.error()};
        facts->at("inputs").at(i).as_object()[digest->name()] = std::move(digest->hex);
    }
    return facts;
}

}  // namespace gdalmcp::app
