#include "app/resources/bundles.hpp"

#include "base/link.hpp"

namespace gdalmcp::app {

namespace {

json::array list(const catalog::snapshot& now, bool templates) {
    json::array all;
    for (const auto& r : now.resources())
        if (r.what->is_template() == templates) all.push_back(r.what->definition());
    return all;
}

std::optional<json::object> contents_of(const catalog::snapshot& now, const std::string& uri) {
    const auto found = now.find_resource(uri);
    if (!found) return std::nullopt;
    return found->what->contents(uri, found->values);
}

}  // namespace

json::array list_bundle_resources(const catalog::snapshot& now) { return list(now, false); }
json::array list_bundle_templates(const catalog::snapshot& now) { return list(now, true); }

std::optional<mcp::reply> read_bundle_resource(const catalog::snapshot& now, const std::string& uri) {
    auto contents = contents_of(now, uri);
    if (!contents) return std::nullopt;
    return mcp::resource_contents{{std::move(*contents)}};
}

base::result<void> embed_bundle_resources(const catalog::snapshot& now, json::array& messages) {
    for (auto& m : messages) {
        auto* inside = m.at("content").as_object().if_contains("resource");
        if (!inside) continue;
        const std::string uri{inside->at("uri").as_string()};
        if (!base::is_embeddable_uri(uri))
            return base::fail(base::code::denied,
                              "a prompt embeds '" + uri + "', which is not the URI of a bundle's resource",
                              "give a URI of the bundle's resources; resources/list lists them");
        auto contents = contents_of(now, uri);
        // A resource of a bundle is always shown with the bundle's content, even if a prompt embeds other content under
        // its URI.
        if (!contents && (inside->as_object().contains("text") || inside->as_object().contains("blob"))) continue;
        if (!contents)
            return base::fail(base::code::not_found, "no bundle has a resource '" + uri + "' to embed",
                              "resources/list lists them");
        *inside = std::move(*contents);
    }
    return {};
}

json::object bundle_report(const tool_set& now) {
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

}  // namespace gdalmcp::app
