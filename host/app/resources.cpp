#include "app/resources.hpp"

#include <charconv>

#include "app/bundle_resources.hpp"
#include "base/text.hpp"
#include "reflection/answer.hpp"

namespace gdalmcp::app {

namespace {

constexpr std::size_t recent = 50;              // calls that receipts:// and history:// tell of
constexpr std::size_t largest_read = 1u << 20;  // bytes of a result's file in one read

json::object text_contents(const std::string& uri, const char* type, std::string text) {
    return {{"uri", uri}, {"mimeType", type}, {"text", std::move(text)}};
}

bool starts_with(std::string_view s, std::string_view prefix) { return s.substr(0, prefix.size()) == prefix; }

// offset=0&length=1024 -> one number; fallback when the name is not there.
std::optional<std::uint64_t> query_number(std::string_view query, std::string_view name, std::uint64_t fallback) {
    while (!query.empty()) {
        const auto part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), part.size() + 1));
        const auto equals = part.find('=');
        if (part.substr(0, equals) != name || equals == std::string_view::npos) continue;
        const auto text = part.substr(equals + 1);
        std::uint64_t n = 0;
        const auto [p, ec] = std::from_chars(text.data(), text.data() + text.size(), n);
        if (ec != std::errc{} || p != text.data() + text.size()) return std::nullopt;
        return n;
    }
    return fallback;
}

mcp::reply failed(const std::string& uri, const base::problem& p) {
    return mcp::rpc_error{mcp::rpc_code::invalid_params, p.message,
                          json::object{{"uri", uri}, {"code", p.code}, {"hint", p.hint}}};
}

mcp::reply read_result(host& h, const std::string& uri) {
    std::string_view rest{uri};
    rest.remove_prefix(std::string_view{"query://result/"}.size());
    const auto id = rest.substr(0, rest.find_first_of("/?"));
    rest.remove_prefix(id.size());
    if (rest.empty()) {
        auto about = h.results().describe(id);
        if (!about) return failed(uri, about.error());
        return mcp::resource_contents{
            {text_contents(uri, "application/json", base::write_json(json::value(std::move(*about))))}};
    }
    if (!starts_with(rest, "/data")) return mcp::resource_not_found(uri);
    rest.remove_prefix(5);
    if (!rest.empty() && rest.front() != '?') return mcp::resource_not_found(uri);
    const auto query = rest.empty() ? rest : rest.substr(1);
    const auto offset = query_number(query, "offset", 0), length = query_number(query, "length", largest_read);
    if (!offset || !length)
        return failed(uri, {base::code::invalid_argument, "offset and length are whole numbers of bytes", "", ""});
    auto bytes = h.results().read(id, *offset, std::min<std::size_t>(*length, largest_read));
    if (!bytes) return failed(uri, bytes.error());
    return mcp::resource_contents{
        {json::object{{"uri", uri}, {"mimeType", "application/octet-stream"}, {"blob", base::base64(*bytes)}}}};
}

mcp::reply read_methodology(host& h, const std::string& uri, const std::string& domain) {
    const auto now = h.offered();
    const auto* spec = now->specs().find(domain);
    if (!spec || spec->methodology.empty()) return mcp::resource_not_found(uri);
    return mcp::resource_contents{{text_contents(uri, "text/markdown", spec->methodology)}};
}

mcp::reply read_justification(host& h, const std::string& uri, std::string_view rest) {
    const auto slash = rest.find('/');
    if (slash == std::string_view::npos) return mcp::resource_not_found(uri);
    auto text = h.justification(rest.substr(0, slash), rest.substr(slash + 1));
    if (!text) return mcp::resource_not_found(uri);
    return mcp::resource_contents{
        {text_contents(uri, "application/json", base::write_json(json::value(std::move(*text))))}};
}

}  // namespace

json::object bundle_report(const offering& now) {
    json::array used, quarantined;
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
        o["tools"] = std::move(tools);
        o["domains"] = std::move(domains);
        used.push_back(std::move(o));
    }
    for (const auto& q : now.tools().quarantine())
        quarantined.push_back(json::object{{"path", q.path.string()}, {"id", q.id}, {"reason", q.reason}});
    return {{"bundles", std::move(used)}, {"quarantined", std::move(quarantined)}};
}

mcp::reply list_resources(host& h) {
    json::array all;
    for (const auto& r : h.results().list()) {
        json::object o{{"uri", r.at("uri")}, {"name", r.at("name")}, {"mimeType", "application/json"}};
        if (const auto* size = r.if_contains("size_bytes")) o["size"] = *size;
        o["description"] = "Managed result, expires " + std::string{base::string_member(json::value(r), "expires")};
        all.push_back(std::move(o));
    }
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

mcp::reply read_resource(host& h, const std::string& uri) {
    if (starts_with(uri, "query://result/")) return read_result(h, uri);
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
