#include "catalog/icon.hpp"

#include "base/image.hpp"
#include "base/text.hpp"
#include "base/text_pattern.hpp"

namespace gdalmcp::catalog {
namespace {

using base::fail;
namespace code = base::code;

constexpr std::size_t max_icon = 8u << 10;

// The first chunk of a PNG is IHDR, 13 bytes long, which begins with width and height: 4 bytes each, most significant
// first, neither of them zero (W3C PNG, section 11.2.1).
bool has_size(std::string_view png) {
    constexpr std::string_view header{"\0\0\0\rIHDR", 8};
    constexpr std::string_view zero{"\0\0\0\0", 4};
    constexpr std::size_t signature = 8, chunk = 4 + 4 + 13 + 4;
    return png.size() >= signature + chunk && png.substr(signature, header.size()) == header &&
           png.substr(16, 4) != zero && png.substr(20, 4) != zero;
}

struct danger {
    const char* pattern;  // of SVG in lower case
    const char* what;
};

// Clients draw icons in their own pages, where an SVG has the rights of the page.
constexpr danger dangers[] = {
    {R"(<\s*([a-z0-9_.-]+:)?(script|foreignobject|iframe|object|embed|handler)\b)", "an element that runs code"},
    {R"([\s"'/]on[a-z]+\s*=)", "an event handler"},
    {R"(\b(java|vb|live)script\s*:)", "a URI that runs code"},
    {R"((href|src)\s*=\s*("\s*[^#"\s]|'\s*[^#'\s]|[^"'\s]))", "a reference to something outside of it"},
    {R"(url\(\s*["']?\s*[^#"'\s])", "a reference to something outside of it"},
    {R"(attributename\s*=\s*["']?\s*([a-z0-9_.-]+:)?href)", "a reference that changes"},
    {R"(@import|<\?xml-stylesheet)", "a style sheet outside of it"},
    {R"(<!\s*(doctype|entity))", "a document type"}};

}  // namespace

base::result<icon> icon::read(const std::string& name, std::string bytes) {
    const auto refuse = [&](const std::string& why, const char* hint) {
        return fail(code::quarantined, "the icon '" + name + "' " + why, hint);
    };
    if (bytes.size() > max_icon)
        return refuse("has " + std::to_string(bytes.size()) + " bytes; " + std::to_string(max_icon) + " are allowed",
                      "it is sent with every tool: simplify the drawing");
    if (base::is_image(bytes, "image/png")) {
        if (has_size(bytes)) return icon{"image/png", std::move(bytes)};
        return refuse("begins like a PNG, but has no header with a width and a height", "export it as PNG again");
    }
    if (!base::is_image(bytes, "image/svg+xml"))
        return refuse("is neither SVG nor PNG", "save it as SVG or PNG, whatever its extension");
    const auto text = base::lower_ascii(bytes);
    for (const auto& d : dangers)
        if (base::matches(d.pattern, text))
            return refuse(std::string{"holds "} + d.what, "keep shapes and colours only; draw the rest as paths");
    return icon{"image/svg+xml", std::move(bytes)};
}

}  // namespace gdalmcp::catalog
