#include "app/calls/host_tools.hpp"

#include "reflection/host_tools.hpp"

namespace gdalmcp::app {

namespace {

json::object text_member(const char* description) { return {{"type", "string"}, {"description", description}}; }

json::object object_of(json::object properties, json::array required) {
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}};
}

json::object release_result_definition() {
    return {
        {"name", "release_result"},
        {"title", "Release a managed result"},
        {"description",
         "Frees a managed result before its time. Use it when a large query://result/{id} is no longer needed; "
         "afterwards the "
         "URI is gone for every tool. Results also expire by themselves, 900 s after they were made; of more than 25 "
         "the "
         "oldest goes first."},
        {"inputSchema",
         object_of({{"uri", text_member("URI of the result, query://result/{id}, as a tool returned it.")}}, {"uri"})},
        {"outputSchema", object_of({{"released", text_member("URI of the result that is gone.")}}, {"released"})},
        {"annotations", json::object{{"title", "Release a managed result"},
                                     {"readOnlyHint", false},
                                     {"destructiveHint", true},
                                     {"idempotentHint", false},
                                     {"openWorldHint", false}}}};
}

}  // namespace

std::vector<std::string> reserved_tools() { return {"preflight", "store_justification", "release_result"}; }

json::array host_definitions(const reflection::specs& s) {
    auto all = reflection::host_tool_definitions(s);
    all.push_back(release_result_definition());
    return all;
}

std::map<std::string, base::schema, std::less<>> host_tool_schemas(const reflection::specs& s) {
    std::map<std::string, base::schema, std::less<>> all;
    for (const auto& d : host_definitions(s))
        all.emplace(std::string{d.at("name").get_string()}, base::schema::compile(d.at("inputSchema")).value());
    return all;
}

json::array resource_templates() {
    const auto one = [](const char* uri, const char* name, const char* title, const char* description,
                        const char* type) {
        return json::object{
            {"uriTemplate", uri}, {"name", name}, {"title", title}, {"description", description}, {"mimeType", type}};
    };
    return {
        one("query://result/{id}", "result", "Managed result",
            "What a managed result holds: size, CRS, bands or features, when it expires.", "application/json"),
        one("query://result/{id}/data{?offset,length}", "result-data", "Bytes of a managed result",
            "The result's file, at most 720 KiB a read; _meta tells its size and the URI of the next part.",
            "application/octet-stream"),
        one("catalog://workspace/{kind}/{+subpath}{?limit,extensions,include_hidden}", "catalog", "Datasets",
            "Datasets below a folder of the workspaces. kind: all, raster or vector; limit 1 to 1000 (default 100), "
            "offset; "
            "extensions: a comma-separated list. Each uri is a valid tool argument.",
            "application/json"),
        one("catalog://workspace/by-crs/{crs}", "catalog-by-crs", "Datasets in a CRS",
            "Datasets of the workspaces in this CRS, as a listing tells it or in any spelling PROJ accepts; none: "
            "those "
            "without one.",
            "application/json"),
        one("metadata://{+file}/{aspect}", "metadata", "Metadata of a dataset",
            "aspect raster, bands, vector or statistics: what raster_info, vector_info and raster_stats tell; "
            "format: the driver and what it can do. file is spelled as for a tool.",
            "application/json"),
        one("reference://crs/list/{coverage}", "crs-list", "CRSs for an area",
            "CRSs of PROJ's database. coverage: all, world, whole words of a country or region as the registry names "
            "it, or "
            "west,south,east,north in degrees (tightest first). The query ?limit=&offset= pages.",
            "application/json"),
        one("reference://crs/code/{code}", "crs-code", "One CRS",
            "Name, kind, axes, unit, area of use, datum and its accuracy, what replaces it. code: EPSG:32633, or "
            "what PROJ takes for a registered CRS.",
            "application/json"),
        one("reference://resampling/{method}", "resampling", "Resampling methods",
            "What this GDAL resamples with, which tools and drivers take it. method: one, or all.", "application/json"),
        one("reference://compression/{kind}", "compression", "Compressions",
            "kind: all, a compression (which drivers offer it), or a driver (what it offers and how it is tuned).",
            "application/json"),
        one("reference://drivers/{kind}", "drivers", "GDAL drivers",
            "kind: all, raster, vector, or the short name of a driver for each of its options.", "application/json"),
        one("reference://glossary/{term}", "glossary", "Glossary", "One term of the field, or all.", "text/markdown"),
        one("justification://{domain}/{key}", "justification", "Stored reason", "One stored justification record.",
            "application/json"),
        one("methodology://{domain}", "methodology", "Methodology", "How to think about one domain of choice.",
            "text/markdown")};
}

}  // namespace gdalmcp::app
