#include "app/offering.hpp"

#include "app/host_tools.hpp"
#include "workspace/near_names.hpp"

namespace gdalmcp::app {

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

reflection::source_file source_of(const catalog::document& d) { return {d.path, d.text}; }

}  // namespace

reflection::spec_source specs_of(const catalog::manifest& m) {
    reflection::spec_source source{m.bundle->id, {}, {}, {}, std::set<std::string, std::less<>>{}};
    for (const auto& d : m.bundle->reflection) source.specs.push_back(source_of(d));
    for (const auto& d : m.bundle->prompts) source.prompts.push_back(source_of(d));
    for (const auto& d : m.bundle->methodology) source.methodology.push_back(source_of(d));
    for (const auto& t : m.tools) source.own_tools->insert(t->name);
    return source;
}

result<std::shared_ptr<const offering>> offering::load(const sources& s) {
    auto core = reflection::folder_source("core", s.parts.reflection_specs, s.parts.prompts);
    if (!core) return tl::unexpected{core.error()};
    auto specs = std::make_shared<reflection::specs>();
    if (auto ok = specs->add(*core); !ok) return tl::unexpected{ok.error()};
    catalog::load_options options{reserved_tools(), s.admission, s.describe,
                                  [&](const catalog::manifest& m) { return specs->add(specs_of(m)); }};
    auto snapshot = catalog::load(s.search_path, options);
    return std::shared_ptr<const offering>{new offering{std::move(snapshot), std::move(specs), s.store, s.policies}};
}

offering::offering(std::shared_ptr<const catalog::snapshot> c, std::shared_ptr<const reflection::specs> s,
                   std::shared_ptr<reflection::store> store, reflection::gate::policies policies)
    : catalog_{std::move(c)},
      specs_{std::move(s)},
      host_tools_{host_tool_schemas(*specs_)},
      gate_{specs_, std::move(store), reflection::utc_now, std::move(policies)} {}

const base::schema* offering::host_tool(std::string_view name) const {
    const auto found = host_tools_.find(name);
    return found == host_tools_.end() ? nullptr : &found->second;
}

mcp::offer offering::offer() const {
    mcp::offer o;
    o.name = "gdal-mcp";
    o.title = "GDAL for agents";
    o.version = version;
    o.instructions = instructions;
    o.tools = host_definitions(*specs_);
    for (const auto& t : catalog_->tools()) o.tools.push_back(t->public_definition(governs(*t)));
    for (const auto& t : catalog_->switched_off()) {
        const auto p = unknown_tool(t->name, "");
        o.withheld.emplace(t->name, p.message + "; " + p.hint);
    }
    for (const auto& [name, p] : specs_->prompts()) o.prompts.push_back(p.definition());
    o.resource_templates = resource_templates();
    o.resources = true;
    o.lists_change = true;
    o.logging = true;
    o.tasks = true;
    return o;
}

base::problem offering::unknown_tool(std::string_view name, std::string at) const {
    if (const auto* off = catalog_->find_switched_off(name))
        return {
            base::code::unknown_tool,
            "the tool '" + std::string{name} + "' belongs to the toolset '" + off->bundle->toolset + "', which is off",
            "whoever runs the server can switch it on with --toolsets " + off->bundle->toolset, std::move(at)};
    auto known = reserved_tools();
    for (const auto& t : catalog_->tools()) known.push_back(t->name);
    const auto near = workspace::nearest(known, std::string{name});
    std::string hint = near.empty() ? "" : "did you mean " + workspace::joined(near) + "? ";
    hint += "tools/list and 'gdal-mcp tools' name them all";
    if (const auto n = catalog_->quarantine().size())
        hint += "; " + std::to_string(n) + " bundle(s) are quarantined, see 'gdal-mcp bundles'";
    return {base::code::unknown_tool, "there is no tool '" + std::string{name} + "'", hint, std::move(at)};
}

}  // namespace gdalmcp::app
