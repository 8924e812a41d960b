#include "app/call/tool_content.hpp"

#include "base/hidden_characters.hpp"
#include "base/image.hpp"
#include "base/link.hpp"
#include "base/pointer.hpp"
#include "base/text.hpp"

namespace gdalmcp::app {

namespace json = base::json;
using base::fail;
using base::result;
namespace code = base::code;

namespace {

tl::unexpected<base::problem> denied(const std::string& what) {
    return fail(code::denied, what, "this is a defect of the tool; report it to its author");
}

// The bytes of a base64 attachment. The frame may be forged.
result<std::string> bytes_of(const json::value& base64) {
    if (auto bytes = base::from_base64(base64.get_string())) return std::move(*bytes);
    return denied("the tool attaches data that is not base64");
}

json::string shown(std::string_view words) { return json::string(base::with_hidden_shown(words)); }

// Embedded resources follow the rules for a bundle's resource URIs and may not use a URI of another bundle.
result<json::object> embedded_resource(std::string_view uri, const json::value& attachment, const catalog::tool& t,
                                       const catalog::snapshot& now) {
    if (!base::is_embeddable_uri(uri))
        return denied("the tool embeds a resource as '" + std::string{uri} + "', a URI that bundles may not use");
    if (const auto answer = now.find_resource(uri); answer && answer->by != t.bundle->id)
        return denied("the tool embeds a resource as '" + std::string{uri} + "', which belongs to the bundle '" +
                      answer->by + "'");
    json::object resource{{"uri", uri}};
    if (const auto type = base::string_member(attachment, "media_type"); !type.empty())
        resource["mimeType"] = shown(type);
    for (const char* as : {"text", "blob"})
        if (const auto* bytes = base::find_member(attachment, as)) resource[as] = *bytes;
    if (const auto* blob = resource.if_contains("blob"))
        if (const auto ok = bytes_of(*blob); !ok) return tl::unexpected{ok.error()};
    return json::object{{"type", "resource"}, {"resource", std::move(resource)}};
}

}  // namespace

result<json::object> content_block(const json::value& attachment, const catalog::tool& t,
                                   const catalog::snapshot& now) {
    const auto media_type = base::with_hidden_shown(attachment.at("media_type").get_string());
    if (const auto* image = base::find_member(attachment, "image")) {
        const auto bytes = bytes_of(*image);
        if (!bytes) return tl::unexpected{bytes.error()};
        if (!base::is_image(*bytes, media_type))
            return denied("the tool attaches an image that is not '" + media_type + "', as it declares");
        return json::object{{"type", "image"}, {"data", *image}, {"mimeType", media_type}};
    }
    if (const auto* audio = base::find_member(attachment, "audio")) {
        if (const auto ok = bytes_of(*audio); !ok) return tl::unexpected{ok.error()};
        return json::object{{"type", "audio"}, {"data", *audio}, {"mimeType", media_type}};
    }
    if (const auto* uri = base::find_member(attachment, "resource"))
        return embedded_resource(uri->get_string(), attachment, t, now);
    if (const auto* text = base::find_member(attachment, "text"))
        return json::object{{"type", "text"}, {"text", *text}};
    const auto link = base::string_member(attachment, "link");
    if (!base::is_offerable_link(link))
        return denied("the tool links to '" + std::string{link} + "'; only https:// pages may be linked");
    json::object block{{"type", "resource_link"}, {"uri", link}, {"name", shown(attachment.at("name").get_string())}};
    if (const auto about = base::string_member(attachment, "description"); !about.empty())
        block["description"] = shown(about);
    if (!media_type.empty()) block["mimeType"] = media_type;
    return block;
}

}  // namespace gdalmcp::app
