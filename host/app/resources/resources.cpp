#include "app/resources/resources.hpp"

#include <algorithm>

#include "app/resources/bundles.hpp"
#include "app/resources/indexes.hpp"
#include "app/resources/managed_results.hpp"
#include "app/resources/metadata.hpp"
#include "app/resources/reference.hpp"
#include "base/text.hpp"
#include "reflection/answer.hpp"

namespace gdalmcp::app {

namespace {

constexpr const char *json_text = "application/json", *markdown = "text/markdown";
constexpr std::size_t recent = 50;  // calls listed by receipts:// and history://
constexpr const char* const dataset_kinds[] = {"all", "raster", "vector"};
constexpr const char* const flags[] = {"false", "true"};
constexpr const char* const aspects[] = {"raster", "vector", "bands", "statistics", "format"};

template <auto Read>
contents text_of(const reading& q) {
    return Read(q).map([](auto told) { return text_contents(std::move(told)); });
}

contents not_found(const reading& q, const char* hint) {
    return base::fail(base::code::not_found, "Resource not found: " + q.uri.given, hint);
}

contents read_justification(const reading& q) {
    const std::string_view wanted{q.wanted};
    const auto slash = std::min(wanted.find('/'), wanted.size() - 1);
    if (const auto text = q.from.h.justification(wanted.substr(0, slash), wanted.substr(slash + 1)))
        return text_contents(*text);
    return not_found(q, "write justification://{domain}/{cache_key}, as receipts give them; this one may be revoked");
}

contents read_methodology(const reading& q) {
    const auto now = q.from.h.offered();
    const auto* spec = now->specs().find(q.wanted);
    if (spec && !spec->methodology.empty()) return text_contents(spec->methodology);
    return not_found(q, "resources/list lists the domains that have a methodology");
}

json::array list_methodologies(host& h) {
    json::array all;
    const auto now = h.offered();
    for (const auto& s : now->specs().all())
        if (!s.methodology.empty())
            all.push_back(json::object{
                {"uri", "methodology://" + s.domain},
                {"name", "methodology-" + s.domain},
                {"title", s.title + ": methodology"},
                {"description",
                 "How to think about this choice: what must be preserved, decision aids, when no reason is needed."},
                {"mimeType", markdown}});
    return all;
}

bool contain(const std::vector<std::string>& all, std::string_view one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

bool wrote_file(const changes& c, const std::string&) { return c.call && !c.call->written_files.empty(); }

bool wrote_its_file(const changes& c, const std::string& uri) {
    if (!wrote_file(c, uri)) return false;
    auto about = file_of_index(uri);
    if (!about) about = file_of_metadata(uri);
    if (!about) return false;
    const auto file = c.roots.absolute(*about);
    if (!file) return false;
    const auto path = file->lexically_normal();
    return contain(c.call->written_files, path.string()) || contain(c.call->written_files, path.string() + ".ovr") ||
           contain(c.call->written_files, std::filesystem::path{path}.replace_extension(".qix").string());
}

bool result_went(const changes& c, const std::string& uri) {
    return contain(c.gone_results, uri.substr(0, uri.find("/data")));
}

bool glossary_changed(const changes& c, const std::string&) { return c.glossary; }

resource entry(const char* uri, const char* name, const char* title, const char* description,
               decltype(resource::read) read, decltype(resource::completed) completed = {},
               decltype(resource::changed) changed = nullptr, decltype(resource::query) query = {},
               const char* mime_type = "application/json", decltype(resource::instances) instances = nullptr) {
    return {uri, name, title, description, read, std::move(completed), changed, std::move(query), mime_type, instances};
}

std::vector<resource> make_table() {
    return {
        entry("query://result/{id}", "result", "Managed result",
              "Size, CRS, bands or features, and expiry of a managed result.", read_result,
              {{"id", sources::result_ids}}, result_went, {}, json_text, list_results),
        entry("query://result/{id}/data{?offset,length}", "result-data", "Bytes of a managed result",
              "The result's file, at most 720 KiB a read; _meta has its size and the URI of the next part.",
              read_result_data, {{"id", sources::result_ids}}, result_went, {"offset", "length"},
              "application/octet-stream"),
        entry("catalog://workspace/summary", "catalog-summary", "Workspace summary",
              "Counts of the datasets in the workspaces by kind, driver, CRS and extension.",
              text_of<[](auto& q) { return q.from.datasets.summary(q.cancel); }>, {}, wrote_file),
        entry("catalog://workspace/all", "catalog-all", "Datasets in the workspaces",
              "The first 100: path, kind, driver, CRS, size, time of change.",
              text_of<[](auto& q) { return q.from.datasets.list(q.uri, q.wanted, q.cancel); }>, {}, wrote_file),
        entry("catalog://workspace/{kind}/{+subpath}{?limit,extensions,include_hidden}", "catalog", "Datasets",
              "Datasets below a folder of the workspaces. kind: all, raster or vector; limit 1 to 1000 (default 100), "
              "offset; extensions: a comma-separated list. Each uri is a valid tool argument.",
              text_of<[](auto& q) { return q.from.datasets.list(q.uri, q.wanted, q.cancel); }>,
              {{"kind", sources::fixed<dataset_kinds>},
               {"subpath", sources::folders},
               {"include_hidden", sources::fixed<flags>}},
              wrote_file, {"limit", "offset", "extensions", "include_hidden"}),
        entry("catalog://workspace/by-crs/{crs}", "catalog-by-crs", "Datasets in a CRS",
              "Datasets of the workspaces in this CRS, spelled as in a listing or in any way PROJ accepts; none: those "
              "without one.",
              text_of<[](auto& q) { return q.from.datasets.by_crs(q.uri, q.wanted, q.cancel); }>,
              {{"crs", sources::crs_of_datasets}}, wrote_file, {"limit", "offset", "extensions", "include_hidden"}),
        entry("metadata://{+file}/{aspect}", "metadata", "Metadata of a dataset",
              "aspect raster, bands, vector or statistics: the results of raster_info, vector_info and raster_stats; "
              "format: the driver and its capabilities. file is spelled as for a tool.",
              read_metadata, {{"file", sources::paths}, {"aspect", sources::fixed<aspects>}}, wrote_its_file),
        entry("index://dataset/{+file}", "index", "Index of a dataset",
              "Overviews and layout of a raster, spatial index of each layer, and the call that makes what is missing.",
              read_index, {{"file", sources::paths}}, wrote_its_file),
        entry("vrt://workspace/{+pattern}", "vrt", "Rasters a VRT would join",
              "The rasters that a pattern matches (tiles/*.tif), whether they fit, and the call that joins them.",
              read_vrt, {{"pattern", sources::folders}}, wrote_file),
        entry("reference://crs/list/{coverage}", "crs-list", "CRSs for an area",
              "CRSs of PROJ's database. coverage: all, world, whole words of a country or region as the registry names "
              "it, or west,south,east,north in degrees (tightest first). The query ?limit=&offset= pages.",
              text_of<read_crs_list>, {{"coverage", sources::coverage}}, nullptr, {"limit", "offset"}),
        entry("reference://crs/code/{code}", "crs-code", "One CRS",
              "Name, kind, axes, unit, area of use, datum and its accuracy, replacement. code: EPSG:32633, or any "
              "spelling PROJ resolves to a registered CRS.",
              text_of<[](auto& q) { return q.from.known.crs_entry(q.wanted, q.cancel); }>, {{"code", sources::crs}}),
        entry("reference://resampling/{method}", "resampling", "Resampling methods",
              "The resampling methods of this GDAL, and the tools and drivers that take each. method: one, or all.",
              text_of<read_resampling>, {{"method", sources::resampling}}),
        entry("reference://compression/{kind}", "compression", "Compressions",
              "kind: all, a compression (which drivers offer it), or a driver (what it offers and how it is tuned).",
              text_of<read_compression>, {{"kind", sources::compression_kinds}}),
        entry("reference://drivers/{kind}", "drivers", "GDAL drivers",
              "kind: all, raster, vector, or the short name of a driver for each of its options.",
              text_of<read_drivers>, {{"kind", sources::driver_kinds}}),
        entry("reference://glossary/all", "glossary", "Glossary", "The terms that results and questions use.",
              text_of<read_glossary>, {}, glossary_changed, {}, markdown),
        entry("reference://glossary/{term}", "glossary", "Glossary", "One term, or all.", text_of<read_glossary>,
              {{"term", sources::glossary}}, glossary_changed, {}, markdown),
        entry("reference://tool/{name}", "tool", "Tool in full",
              "A tool's advice, and its arguments and result with every description.", text_of<read_tool>,
              {{"name", sources::tools}}),
        entry("justification://{domain}/{key}", "justification", "Stored reason", "One stored justification record.",
              read_justification, {{"domain", sources::domains}, {"key", sources::keys}}),
        entry(
            "methodology://{domain}", "methodology", "Methodology", "How to think about one domain of choice.",
            read_methodology, {{"domain", sources::domains}},
            [](auto& c, auto& uri) { return contain(c.methodologies, find_resource(uri).wanted); }, {}, markdown,
            list_methodologies),
        entry(
            "schema://justification", "schema-justification", "", "JSON Schema of a justification.",
            [](auto&) -> contents { return text_contents(base::write_json(reflection::justification_schema())); }, {},
            nullptr, {}, "application/schema+json"),
        entry(
            "receipts://recent", "receipts-recent", "Recent receipts",
            "Decisions about reasons in the last 50 calls that needed one.",
            [](auto& q) -> contents {
                return text_contents(json::object{{"calls", q.from.h.history().governed(recent)}});
            },
            {}, [](auto& c, auto&) { return c.call && !c.call->receipts.empty(); }),
        entry(
            "history://operations", "history-operations", "Recent operations",
            "The last 50 tool calls in this workspace: when, outcome, outputs, receipts.",
            [](auto& q) -> contents {
                return text_contents(json::object{{"operations", q.from.h.history().operations(recent)}});
            },
            {}, [](auto& c, auto&) { return c.call != nullptr; }),
        entry(
            "bundles://", "bundles", "", "Bundles in use and bundles in quarantine, with reasons.",
            [](auto& q) -> contents { return text_contents(bundle_report(*q.from.h.offered())); }, {},
            [](auto& c, auto&) { return c.tools; })};
}

json::object listed(const resource& r, const char* uri) {
    json::object o{{uri, r.uri}, {"name", r.name}};
    if (*r.title) o["title"] = r.title;
    o["description"] = r.description;
    o["mimeType"] = r.mime_type;
    return o;
}

mcp::reply failed(const std::string& uri, const base::problem& p) {
    return mcp::rpc_error{mcp::rpc_code::invalid_params, p.hint.empty() ? p.message : p.message + "; " + p.hint,
                          json::object{{"uri", uri}, {"code", p.code}, {"hint", p.hint}}};
}

}  // namespace

const std::vector<resource>& resource_table() {
    static const auto all = make_table();
    return all;
}

found_resource find_resource(std::string_view uri) {
    found_resource best;
    std::size_t literal = 0;
    for (const auto& r : resource_table()) {
        if (!r.is_template()) {
            if (uri == r.uri) return {&r, std::string{uri.substr(uri.rfind('/') + 1)}};
            continue;
        }
        const std::string_view form{r.uri};
        const auto path = form.substr(0, form.find("{?"));
        const auto before = path.substr(0, path.find('{')), after = path.substr(path.rfind('}') + 1);
        const auto given = r.is_raw() ? uri : uri.substr(0, std::min(uri.find('?'), uri.find("{?")));
        const auto length = before.size() + after.size();
        if (length <= literal || given.size() <= length || !given.starts_with(before) || !given.ends_with(after))
            continue;
        best = {&r, std::string{given.substr(before.size(), given.size() - length)}};
        literal = length;
    }
    return best;
}

mcp::reply list_resources(host& h) {
    json::array all;
    for (const auto& r : resource_table()) {
        if (!r.is_template()) all.push_back(listed(r, "uri"));
        if (r.instances)
            for (auto& one : r.instances(h)) all.push_back(std::move(one));
    }
    for (auto& r : list_bundle_resources(h.offered()->tools())) all.push_back(std::move(r));
    return mcp::resource_listing{std::move(all)};
}

json::array list_resource_templates(const tool_set& now) {
    json::array all;
    for (const auto& r : resource_table())
        if (r.is_template()) all.push_back(listed(r, "uriTemplate"));
    for (auto& t : list_bundle_templates(now.tools())) all.push_back(std::move(t));
    return all;
}

mcp::reply read_resource(reader& r, const std::string& uri, const std::string& files_at,
                         const runner::cancellation& cancel) {
    const auto found = find_resource(uri);
    if (!found.entry) return read_bundle_resource(r.h.offered()->tools(), uri).value_or(mcp::resource_not_found(uri));
    const auto& entry = *found.entry;
    auto parts = entry.is_raw() ? resource_uri{uri, {}, {}, {}} : resource_uri::parse(uri, entry.query);
    if (!parts) return failed(uri, parts.error());
    auto wanted = entry.is_raw() ? found.wanted : base::percent_decoded(found.wanted).value_or("");
    auto told = entry.read({r, std::move(*parts), std::move(wanted), files_at, cancel});
    if (!told) return failed(uri, told.error());
    json::object whole{{"uri", uri}, {"mimeType", entry.mime_type}};
    for (auto& member : *told) whole[member.key()] = std::move(member.value());
    return mcp::resource_contents{{std::move(whole)}};
}

bool is_changed(const std::string& uri, const changes& c) {
    const auto* entry = find_resource(uri).entry;
    return entry && entry->changed && entry->changed(c, uri);
}

mcp::reply complete(reader& r, const json::object& params, const runner::cancellation& cancel) {
    const auto& ref = params.at("ref");
    const auto& argument = params.at("argument");
    std::optional<base::problem> trouble;
    completing a{r,
                 std::string{base::string_member(ref, "name")},
                 std::string{base::string_member(ref, "uri")},
                 std::string{base::string_member(argument, "name")},
                 std::string{base::string_member(argument, "value")},
                 {},
                 cancel,
                 trouble};
    if (base::string_member(ref, "type") == "ref/resource") a.prompt.clear();
    if (const auto* context = params.if_contains("context"))
        if (const auto* others = base::find_member(*context, "arguments"); others && others->is_object())
            a.others = others->get_object();
    const auto* entry = a.prompt.empty() ? find_resource(a.uri).entry : nullptr;
    auto values = entry ? values_in(entry->completed, a) : values_for_prompt(a);
    if (values.empty() && trouble) return mcp::rpc_error{mcp::rpc_code::internal_error, trouble->message, {}};
    return mcp::completion_values{std::move(values)};
}

}  // namespace gdalmcp::app
