#include "reflection/prompt_message.hpp"

#include <array>
#include <filesystem>

#include "base/hidden_characters.hpp"
#include "base/image.hpp"
#include "base/link.hpp"
#include "base/text.hpp"
#include "base/text_template.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> media_types = {{{".png", "image/png"},
                                                                                        {".jpg", "image/jpeg"},
                                                                                        {".jpeg", "image/jpeg"},
                                                                                        {".gif", "image/gif"},
                                                                                        {".webp", "image/webp"},
                                                                                        {".svg", "image/svg+xml"},
                                                                                        {".wav", "audio/wav"},
                                                                                        {".mp3", "audio/mpeg"},
                                                                                        {".ogg", "audio/ogg"},
                                                                                        {".txt", "text/plain"},
                                                                                        {".json", "application/json"},
                                                                                        {".md", "text/markdown"}}};

std::string_view media_type_of(std::string_view file) {
    const auto extension = base::lower_ascii(std::filesystem::path{file}.extension().string());
    for (const auto& [known, type] : media_types)
        if (known == extension) return type;
    return {};
}

result<void> take_file(prompt_message& m, const json::value& from, const std::string& at, const prompt_files& files) {
    const std::string name{base::string_member(from, "file")};
    const auto* bytes = files ? files(name) : nullptr;
    if (!bytes)
        return fail(code::not_found, "there is no file '" + name + "' beside the prompt",
                    "list it with the bundle's PROMPTS", at + "/file");
    m.bytes = *bytes;
    m.has_file = true;
    m.mime_type = base::string_member(from, "mime_type", media_type_of(name));
    if (m.mime_type.empty())
        return fail(code::invalid_argument, "the media type of '" + name + "' cannot be determined from its name",
                    "add mime_type", at);
    if (m.what == prompt_message::kind::resource && base::is_text_type(m.mime_type) && !base::is_utf8(m.bytes))
        return fail(code::invalid_argument, "'" + name + "' is " + m.mime_type + ", but not UTF-8",
                    "save it as UTF-8, or name another mime_type", at + "/file");
    if (m.what == prompt_message::kind::resource && base::is_text_type(m.mime_type))
        if (const auto ok = base::check_nothing_hidden(m.bytes); !ok)
            return fail(code::invalid_argument, "'" + name + "', in " + ok.error().message, ok.error().hint,
                        at + "/file");
    return {};
}

result<void> take_template(std::string& into, const json::value& from, const char* member, const std::string& at) {
    into = base::string_member(from, member);
    if (const auto t = base::text_template::parse(into); !t)
        return fail(code::invalid_argument, t.error().message, t.error().hint, at + "/" + member);
    return {};
}

}  // namespace

json::object prompt_message::wire(const json::object& values) const {
    const auto filled = [&](const std::string& s) { return base::text_template::parse(s)->render(values); };
    json::object content;
    if (what == kind::text) {
        content = {{"type", "text"}, {"text", filled(text)}};
    } else if (what == kind::resource) {
        json::object inside{{"uri", filled(uri)}};
        if (has_file) {
            inside["mimeType"] = mime_type;
            if (base::is_text_type(mime_type))
                inside["text"] = bytes;
            else
                inside["blob"] = base::base64(bytes);
        }
        content = {{"type", "resource"}, {"resource", std::move(inside)}};
    } else {
        content = {
            {"type", what == kind::image ? "image" : "audio"}, {"data", base::base64(bytes)}, {"mimeType", mime_type}};
    }
    return {{"role", role}, {"content", std::move(content)}};
}

result<prompt_message> parse_prompt_message(const json::value& text, const prompt_files& files) {
    prompt_message m;
    m.role = base::string_member(text, "role");
    if (text.get_object().size() != 2)
        return fail(code::invalid_argument, "a message has a role and one of text, image, audio, resource", "", "");
    if (text.get_object().contains("text")) return take_template(m.text, text, "text", "").map([&] { return m; });
    if (const auto* resource = base::find_member(text, "resource")) {
        m.what = prompt_message::kind::resource;
        if (auto ok = take_template(m.uri, *resource, "uri", "/resource"); !ok) return tl::unexpected{ok.error()};
        const auto scheme = std::string_view{m.uri}.substr(0, m.uri.find(':'));
        // A scheme from an argument is checked when the prompt is requested.
        if (scheme.find("{{") == std::string_view::npos &&
            (scheme.size() == m.uri.size() || base::is_taken_scheme(base::lower_ascii(scheme))))
            return fail(code::invalid_argument, "'" + m.uri + "' has no scheme of a bundle's own",
                        "write something like acme://limits", "/resource/uri");
        if (!base::find_member(*resource, "file")) return m;
        return take_file(m, *resource, "/resource", files).map([&] { return m; });
    }
    const bool image = base::find_member(text, "image") != nullptr;
    m.what = image ? prompt_message::kind::image : prompt_message::kind::audio;
    const std::string name = image ? "image" : "audio";
    if (auto ok = take_file(m, *base::find_member(text, name), "/" + name, files); !ok)
        return tl::unexpected{ok.error()};
    if (!m.mime_type.starts_with(name + "/"))
        return fail(code::invalid_argument, "mime_type is '" + m.mime_type + "', which is not of type " + name, "",
                    "/" + name);
    if (image && !base::is_image(m.bytes, m.mime_type))
        return fail(code::invalid_argument, "the file is not " + m.mime_type,
                    "save it as PNG, JPEG, GIF, WebP or SVG, and name its type", "/image");
    return m;
}

}  // namespace gdalmcp::reflection
