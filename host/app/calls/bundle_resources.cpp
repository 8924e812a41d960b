#include "app/calls/bundle_resources.hpp"

#include "base/link.hpp"

namespace gdalmcp::app {

namespace {

json::array list(const offering& now, bool templates) {
    json::array all;
    for (const auto& r : now.tools().resources())
        if (r.what->is_template() == templates) all.push_back(r.what->definition());
    return all;
}

std::optional<json::object> contents_of(const offering& now, const std::string& uri) {
    const auto found = now.tools().find_resource(uri);
    if (!found) return std::nullopt;
    return found->what->contents(uri, found->values);
}

}  // namespace

json::array list_bundle_resources(const offering& now) { return list(now, false); }
json::array list_bundle_templates(const offering& now) { return list(now, true); }

std::optional<mcp::reply> read_bundle_resource(const offering& now, const std::string& uri) {
    auto contents = contents_of(now, uri);
    if (!contents) return std::nullopt;
    return mcp::resource_contents{{std::move(*contents)}};
}

base::result<void> embed_bundle_resources(const offering& now, json::array& messages) {
    for (auto& m : messages) {
        auto* inside = m.at("content").as_object().if_contains("resource");
        if (!inside) continue;
        const std::string uri{inside->at("uri").as_string()};
        if (!base::is_embeddable_uri(uri))
            return base::fail(base::code::denied, "a prompt embeds '" + uri + "', which is no name of a bundle's own",
                              "give a URI of the bundle's resources; resources/list names those there are");
        auto contents = contents_of(now, uri);
        // What a bundle answers for is never shown with other contents, whatever a prompt brings under its name.
        if (!contents && (inside->as_object().contains("text") || inside->as_object().contains("blob"))) continue;
        if (!contents)
            return base::fail(base::code::not_found, "there is no resource '" + uri + "' of a bundle to embed",
                              "resources/list names those there are");
        *inside = std::move(*contents);
    }
    return {};
}

}  // namespace gdalmcp::app
