#include "app/reading/resources.hpp"

#include <limits>

#include "app/calls/bundle_resources.hpp"
#include "app/reading/metadata.hpp"
#include "app/reading/reference.hpp"
#include "app/reading/resource_uri.hpp"
#include "base/text.hpp"
#include "reflection/answer.hpp"
#include "workspace/file_system.hpp"

namespace gdalmcp::app {

namespace {

constexpr std::size_t recent = 50;  // calls that receipts:// and history:// tell of
// Bytes of a result's file in one read: as base64 they stay below 1 MiB, the most the strictest client takes.
constexpr std::size_t largest_read = 720u << 10;

json::object text_contents(const std::string& uri, const char* type, std::string text) {
    return {{"uri", uri}, {"mimeType", type}, {"text", std::move(text)}};
}

bool starts_with(std::string_view s, std::string_view prefix) { return s.substr(0, prefix.size()) == prefix; }

mcp::reply failed(const std::string& uri, const base::problem& p) {
    return mcp::rpc_error{mcp::rpc_code::invalid_params, p.hint.empty() ? p.message : p.message + "; " + p.hint,
                          json::object{{"uri", uri}, {"code", p.code}, {"hint", p.hint}}};
}

mcp::reply told(const std::string& uri, base::result<resource_text> text) {
    if (!text) return failed(uri, text.error());
    return mcp::resource_contents{{text_contents(uri, text->mime_type.c_str(), std::move(text->text))}};
}

// With a member for everything one may ask of a result, null where it does not apply.
json::object whole_description(json::object about) {
    const auto *width = about.if_contains("width"), *height = about.if_contains("height");
    if (!about.contains("pixel_count") && width && height)
        about["pixel_count"] = width->to_number<std::int64_t>() * height->to_number<std::int64_t>();
    if (!about.contains("pixel_count") && !about.contains("feature_count")) about["pixel_count"] = nullptr;
    for (const char* member : {"geometry_used", "geometry_crs", "bands", "crs", "window", "source"})
        if (!about.contains(member)) about[member] = nullptr;
    return about;
}

bool is_text(const std::string& media_type) {
    return media_type == "application/geo+json" || media_type == "application/json" || media_type == "text/csv";
}

// A part of the file of a managed result, with what there is and how to get the next part.
mcp::reply read_bytes(host& h, const resource_uri& u, const std::string& id) {
    const auto held = h.results().hold(id);
    if (!held) return failed(u.given, held.error());
    std::error_code ec;
    const auto total = std::filesystem::file_size((*held)->file, ec);
    if (ec) return failed(u.given, workspace::file_system_problem(ec.value(), "reading " + u.given, (*held)->file));
    const auto offset = u.number("offset", 0, 0, std::max<std::uintmax_t>(total, 1) - 1);
    const auto length = u.number("length", largest_read, 1, std::numeric_limits<std::int64_t>::max());
    if (!offset || !length) return failed(u.given, offset ? length.error() : offset.error());
    auto bytes = h.results().read(id, *offset, std::min<std::size_t>(*length, largest_read));
    if (!bytes) return failed(u.given, bytes.error());
    const auto media_type = workspace::media_type((*held)->file);
    const bool whole = bytes->size() == total;
    json::object range{{"total_bytes", total}, {"offset", *offset}, {"length", bytes->size()}};
    if (const auto next = *offset + bytes->size(); next < total)
        range["next"] = workspace::result_uri(id) + "/data?offset=" + std::to_string(next) +
                        "&length=" + std::to_string(std::min<std::size_t>(*length, largest_read));
    json::object contents{{"uri", u.given}, {"mimeType", whole ? media_type : "application/octet-stream"}};
    if (whole && is_text(media_type) && base::is_utf8(*bytes))
        contents["text"] = std::move(*bytes);
    else
        contents["blob"] = base::base64(*bytes);
    contents["_meta"] = json::object{{"io.gdal-mcp/range", std::move(range)}};
    return mcp::resource_contents{{std::move(contents)}};
}

mcp::reply read_result(host& h, const std::string& uri, const std::string& files_at) {
    const auto u = resource_uri::parse(uri, {"offset", "length"});
    if (!u) return failed(uri, u.error());
    const auto rest = u->rest();  // of result/{id}
    const auto id = rest.substr(0, rest.find('/'));
    if (rest == id + "/data" && !id.empty()) return read_bytes(h, *u, id);
    if (rest != id || id.empty() || !u->query.empty())
        return mcp::resource_not_found(uri,
                                       "there are query://result/{id} and query://result/{id}/data{?offset,length}");
    auto about = h.results().describe(id);
    if (!about) return failed(uri, about.error());
    if (!files_at.empty()) (*about)["download"] = files_at + id;
    return told(uri, json_text(whole_description(std::move(*about))));
}

mcp::reply read_methodology(host& h, const std::string& uri, const std::string& domain) {
    const auto now = h.offered();
    const auto* spec = now->specs().find(domain);
    if (!spec || spec->methodology.empty())
        return mcp::resource_not_found(uri, "resources/list names the domains that have a methodology");
    return mcp::resource_contents{{text_contents(uri, "text/markdown", spec->methodology)}};
}

mcp::reply read_justification(host& h, const std::string& uri, std::string_view rest) {
    const auto slash = std::min(rest.find('/'), rest.size());
    auto text = h.justification(rest.substr(0, slash), rest.substr(std::min(slash + 1, rest.size())));
    if (!text)
        return mcp::resource_not_found(
            uri, "write justification://{domain}/{cache_key}, as receipts tell them; this one may be revoked");
    return mcp::resource_contents{
        {text_contents(uri, "application/json", base::write_json(json::value(std::move(*text))))}};
}

}  // namespace

json::object bundle_report(const offering& now) {
    json::array used, quarantined, incomplete;
    for (const auto& b : now.tools().bundles()) {
        json::object o{{"id", b->id},
                       {"version", b->version},
                       {"license", b->license},
                       {"path", b->folder.string()},
                       {"toolset", b->toolset},
                       {"enabled", b->enabled},
                       {"runtime", b->needs == catalog::runtime::gdal ? "gdal" : "plain"},
                       {"network", b->network},
                       {"signed_by", b->signed_by}};
        json::array tools, domains;
        for (const auto& t : now.tools().tools())
            if (t->bundle == b) tools.emplace_back(t->name);
        for (const auto& s : now.specs().all())
            if (s.source == b->id) domains.emplace_back(s.domain);
        json::array resources;
        for (const auto& r : now.tools().resources())
            if (r.by == b->id) resources.emplace_back(r.what->uri().text());
        o["tools"] = std::move(tools);
        o["resources"] = std::move(resources);
        o["domains"] = std::move(domains);
        used.push_back(std::move(o));
    }
    for (const auto& q : now.tools().quarantine())
        quarantined.push_back(json::object{{"path", q.path.string()}, {"id", q.id}, {"reason", q.reason}});
    for (const auto& i : now.tools().unfinished())
        incomplete.push_back(json::object{{"path", i.path.string()}, {"reason", i.reason}});
    return {
        {"bundles", std::move(used)}, {"quarantined", std::move(quarantined)}, {"incomplete", std::move(incomplete)}};
}

mcp::reply list_resources(host& h) {
    json::array all;
    for (const auto& r : h.results().list()) {
        json::object o{{"uri", r.at("uri")}, {"name", r.at("name")}, {"mimeType", "application/json"}};
        if (const auto* size = r.if_contains("size_bytes")) o["size"] = *size;
        o["description"] = "Managed result, expires " + std::string{base::string_member(json::value(r), "expires")};
        all.push_back(std::move(o));
    }
    all.push_back(
        json::object{{"uri", "catalog://workspace/summary"},
                     {"name", "catalog-summary"},
                     {"title", "What the workspaces hold"},
                     {"description", "Counts of the datasets in the workspaces by kind, driver, CRS and extension."},
                     {"mimeType", "application/json"}});
    all.push_back(json::object{{"uri", "catalog://workspace/all"},
                               {"name", "catalog-all"},
                               {"title", "Datasets in the workspaces"},
                               {"description", "The first 100: path, kind, driver, CRS, size, time of change."},
                               {"mimeType", "application/json"}});
    all.push_back(json::object{{"uri", "reference://glossary/all"},
                               {"name", "glossary"},
                               {"title", "Glossary"},
                               {"description", "The terms of the field that results and questions use."},
                               {"mimeType", "text/markdown"}});
    const auto now = h.offered();
    for (const auto& s : now->specs().all()) {
        if (s.methodology.empty()) continue;
        all.push_back(json::object{
            {"uri", "methodology://" + s.domain},
            {"name", "methodology-" + s.domain},
            {"title", s.title + ": methodology"},
            {"description",
             "How to think about this choice: what must survive, decision aids, when no reason is needed."},
            {"mimeType", "text/markdown"}});
    }
    all.push_back(json::object{{"uri", "schema://justification"},
                               {"name", "schema-justification"},
                               {"description", "JSON Schema of a justification."},
                               {"mimeType", "application/schema+json"}});
    all.push_back(json::object{{"uri", "receipts://recent"},
                               {"name", "receipts-recent"},
                               {"title", "Recent receipts"},
                               {"description", "What was decided about reasons in the last 50 calls that needed one."},
                               {"mimeType", "application/json"}});
    all.push_back(
        json::object{{"uri", "history://operations"},
                     {"name", "history-operations"},
                     {"title", "Recent operations"},
                     {"description", "The last 50 tool calls in this workspace: when, outcome, outputs, receipts."},
                     {"mimeType", "application/json"}});
    all.push_back(json::object{{"uri", "bundles://"},
                               {"name", "bundles"},
                               {"description", "Bundles in use and bundles in quarantine, with reasons."},
                               {"mimeType", "application/json"}});
    for (auto& r : list_bundle_resources(*now)) all.push_back(std::move(r));
    return mcp::resource_listing{std::move(all)};
}

mcp::reply read_resource(reader& r, const std::string& uri, const std::string& files_at,
                         const runner::cancellation& cancel) {
    host& h = r.h;
    if (starts_with(uri, "query://result/")) return read_result(h, uri, files_at);
    if (starts_with(uri, "catalog://")) return told(uri, r.datasets.read(uri, cancel));
    if (starts_with(uri, "metadata://")) return told(uri, read_metadata(r, uri, cancel));
    if (starts_with(uri, "reference://")) return told(uri, read_reference(r, uri, cancel));
    if (starts_with(uri, "methodology://")) return read_methodology(h, uri, uri.substr(14));
    if (starts_with(uri, "justification://")) return read_justification(h, uri, std::string_view{uri}.substr(16));
    if (uri == "schema://justification")
        return mcp::resource_contents{
            {text_contents(uri, "application/schema+json", base::write_json(reflection::justification_schema()))}};
    if (uri == "receipts://recent")
        return mcp::resource_contents{{text_contents(
            uri, "application/json", base::write_json(json::object{{"calls", h.history().governed(recent)}}))}};
    if (uri == "history://operations")
        return mcp::resource_contents{{text_contents(
            uri, "application/json", base::write_json(json::object{{"operations", h.history().operations(recent)}}))}};
    if (uri == "bundles://")
        return mcp::resource_contents{
            {text_contents(uri, "application/json", base::write_json(json::value(bundle_report(*h.offered()))))}};
    return read_bundle_resource(*h.offered(), uri).value_or(mcp::resource_not_found(uri));
}

}  // namespace gdalmcp::app
