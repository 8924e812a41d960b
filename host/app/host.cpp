#include "app/host.hpp"

#include <unistd.h>

#include "app/host_tools.hpp"
#include "app/tool_call.hpp"
#include "base/digest.hpp"
#include "catalog/search_path.hpp"
#include "reflection/disk_store.hpp"
#include "reflection/host_tools.hpp"
#include "workspace/near_names.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::result;

namespace {

constexpr const char* instructions =
    "Geospatial tools over GDAL. Start with raster_info or vector_info: they show CRS, bands, nodata and layers. Paths "
    "are relative to the first "
    "workspace. Leave `output` out to get a managed result query://result/{id}, which every tool accepts as input; "
    "give `output` to keep a file. "
    "Some calls depend on a methodological choice (CRS, resampling, extent, hydrology, aggregation, format). The first "
    "such call is answered with "
    "requires_epistemic_justification: it names what is missing and the exact next call. Answer once with real "
    "reasons, then retry; the reason is kept "
    "and reused. If the user already chose, say chosen_by: user. `preflight` tells in advance what a call would need. "
    "Read warnings[] before you report a "
    "number, and quote units and CRS as given.";

std::vector<fs::path> folders(const workspace::roots& r) {
    std::vector<fs::path> all;
    for (const auto& root : r.list()) all.push_back(root.folder);
    return all;
}

// The store lives with the data it is about; without a writable workspace, in the state folder under the workspace's
// name.
fs::path store_folder(const workspace::roots& r, const configuration& c) {
    for (const auto& root : r.list())
        if (root.writable) return root.folder / ".preflight";
    const auto name = r.list().empty() ? std::string{"none"} : base::sha256_hex(r.list().front().folder.string());
    return c.state_dir / "workspaces" / name;
}

result<std::vector<reflection::spec_source>> spec_sources(const installation& i, const catalog::snapshot& s) {
    auto core = reflection::folder_source("core", i.reflection_specs, i.prompts);
    if (!core) return tl::unexpected{core.error()};
    std::vector<reflection::spec_source> all{std::move(*core)};
    for (const auto& b : s.bundles()) {
        reflection::spec_source source{b->id, {}, {}};
        for (const auto& d : b->reflection) source.specs.push_back(d.path);
        for (const auto& d : b->prompts) source.prompts.push_back(d.path);
        if (!source.specs.empty() || !source.prompts.empty()) all.push_back(std::move(source));
    }
    return all;
}

}  // namespace

json::object problem_body(const outcome& o) {
    if (o.body) return *o.body;
    json::object body{
        {"ok", false}, {"error", o.problem->code}, {"message", o.problem->message}, {"hint", o.problem->hint}};
    if (!o.problem->at.empty()) body["at"] = o.problem->at;
    return body;
}

result<std::unique_ptr<host>> host::open(const configuration& c) {
    auto parts = find_installation();
    if (!parts) return tl::unexpected{parts.error()};
    std::error_code ec;
    auto roots = workspace::roots::open(c.workspaces, fs::current_path(ec), environment_variable("HOME"));
    if (!roots) return tl::unexpected{roots.error()};
    auto snapshot =
        catalog::load(catalog::search_path(c.bundles, {parts->bundles}, environment_variable), reserved_tools());
    auto sources = spec_sources(*parts, *snapshot);
    if (!sources) return tl::unexpected{sources.error()};
    auto specs = reflection::specs::load(*sources);
    if (!specs) return tl::unexpected{specs.error()};
    auto store = store_folder(*roots, c);
    return std::unique_ptr<host>{
        new host{c, std::move(*parts), std::move(*roots), std::move(snapshot), std::move(*specs), std::move(store)}};
}

host::host(configuration c, installation i, workspace::roots r, std::shared_ptr<const catalog::snapshot> s,
           std::shared_ptr<const reflection::specs> specs, fs::path store)
    : configuration_{std::move(c)},
      installation_{std::move(i)},
      roots_{std::move(r)},
      catalog_{std::move(s)},
      specs_{std::move(specs)},
      host_tools_{host_tool_schemas(*specs_)},
      store_{reflection::open_disk_store(std::move(store))},
      gate_{specs_, store_, reflection::utc_now},
      places_{workspace::default_scratch(configuration_.scratch, environment_variable)},
      results_{places_, [] { return std::chrono::system_clock::now(); }},
      work_{configuration_, installation_.worker, folders(roots_)} {}

mcp::offer host::offer() const {
    mcp::offer o;
    o.name = "gdal-mcp";
    o.title = "GDAL for agents";
    o.version = version;
    o.instructions = instructions;
    o.tools = host_definitions(*specs_);
    for (const auto& t : catalog_->tools())
        o.tools.push_back(t->public_definition(!specs_->domains_of(t->name).empty()));
    for (const auto& [name, p] : specs_->prompts()) o.prompts.push_back(p.definition());
    o.resource_templates = resource_templates();
    o.resources = true;
    o.lists_change = true;
    return o;
}

bool host::only_reads(std::string_view tool) const {
    const auto* t = catalog_->find(tool);
    return !t || t->annotations.read_only;
}

result<workspace::temporary_folder> host::take_scratch() {
    const std::lock_guard lock{scratch_guard_};
    if (!spare_scratch_.empty()) {
        auto folder = std::move(spare_scratch_.back());
        spare_scratch_.pop_back();
        return folder;
    }
    if (!scratch_) {
        workspace::sweep(places_.disk);
        auto made = workspace::temporary_folder::make(workspace::new_temporary_name(places_.disk), true);
        if (!made) return tl::unexpected{made.error()};
        scratch_ = std::move(*made);
    }
    return workspace::temporary_folder::make(scratch_->path() / workspace::random_id(), false);
}

void host::give_back(workspace::temporary_folder folder) {
    std::error_code ec;
    if (!fs::is_empty(folder.path(), ec) || ec) return;  // removed with its object
    const std::lock_guard lock{scratch_guard_};
    spare_scratch_.push_back(std::move(folder));
}

reflection::crs_lookup host::crs_lookup(const runner::cancellation& cancel) {
    return [this, &cancel](std::string_view spelling) { return work_.crs(spelling, cancel); };
}

std::optional<json::object> host::justification(std::string_view domain, std::string_view cache_key) const {
    if (!specs_->find(domain) || !reflection::is_cache_key(cache_key)) return std::nullopt;
    const auto found = store_->find(domain, cache_key);
    if (found.records.empty()) return std::nullopt;
    return found.records.front()->text;
}

result<std::string> host::prompt(const std::string& name, const json::object& arguments,
                                 const runner::cancellation& cancel) {
    return specs_->render_prompt(name, arguments, crs_lookup(cancel));
}

base::problem host::unknown_tool(std::string_view name, std::string at) const {
    auto known = reserved_tools();
    for (const auto& t : catalog_->tools()) known.push_back(t->name);
    const auto near = workspace::nearest(known, std::string{name});
    std::string hint = near.empty() ? "" : "did you mean " + workspace::joined(near) + "? ";
    hint += "tools/list and 'gdal-mcp tools' name them all";
    if (const auto n = catalog_->quarantine().size())
        hint += "; " + std::to_string(n) + " bundle(s) are quarantined, see 'gdal-mcp bundles'";
    return {base::code::unknown_tool, "there is no tool '" + std::string{name} + "'", hint, std::move(at)};
}

outcome host::call(std::string_view name, json::object arguments, const runner::cancellation& cancel,
                   const runner::progress_hook& progress) {
    if (const auto* t = catalog_->find(name)) return tool_call{*this, *t, cancel, progress}.run(std::move(arguments));
    json::value checked(std::move(arguments));
    const auto found = host_tools_.find(name);
    if (found == host_tools_.end()) return outcome::failure(unknown_tool(name, ""));
    found->second.reify(checked);
    if (auto ok = found->second.check(checked); !ok) return outcome::failure(ok.error());
    const auto& given = checked.get_object();
    if (name == "store_justification") return store_justification(given, cancel);
    if (name == "preflight") return preflight(given, cancel);
    return release_result(given);
}

outcome host::store_justification(const json::object& arguments, const runner::cancellation& cancel) {
    auto stored = gate_.store_justification(json::value(arguments), crs_lookup(cancel));
    if (!stored) return outcome::failure(stored.error());
    outcome o;
    o.structured = std::move(*stored);
    return o;
}

outcome host::preflight(const json::object& arguments, const runner::cancellation& cancel) {
    const std::string name{arguments.at("tool").get_string()};
    const auto* t = catalog_->find(name);
    if (!t) return outcome::failure(unknown_tool(name, "/tool"));
    const auto* given = arguments.if_contains("arguments");
    auto planned =
        tool_call{*this, *t, cancel, {}}.preflight(given && given->is_object() ? given->get_object() : json::object{});
    if (!planned) return outcome::failure(planned.error());
    outcome o;
    o.structured = std::move(*planned);
    return o;
}

outcome host::release_result(const json::object& arguments) {
    const std::string uri{arguments.at("uri").get_string()};
    const auto id = workspace::id_of_result_uri(uri);
    if (!id)
        return outcome::failure({base::code::invalid_argument, "'" + uri + "' is not a managed result",
                                 "give a URI of the form query://result/{id}", "/uri"});
    if (auto ok = results_.release(*id); !ok) return outcome::failure(ok.error());
    outcome o;
    o.structured = json::object{{"released", uri}};
    o.results_changed = true;
    return o;
}

}  // namespace gdalmcp::app
