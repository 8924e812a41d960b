#include "catalog/resource.hpp"

#include "base/hidden_characters.hpp"
#include "base/text.hpp"

namespace gdalmcp::catalog {
namespace {

using base::fail;
using base::result;

// The text as the inside of a JSON string.
std::string in_json(const std::string& s) {
    const auto quoted = base::write_json(json::value(s));
    return quoted.substr(1, quoted.size() - 2);
}

std::string in_markup(const std::string& s) {
    std::string out;
    for (const char c : s) switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    return out;
}

base::text_template::escaping escaping_of(const std::string& media_type) {
    const auto type = base::lower_ascii(media_type.substr(0, media_type.find(';')));
    if (type == "application/json" || type.ends_with("+json")) return in_json;
    if (type == "text/html" || type.ends_with("/xml") || type.ends_with("+xml")) return in_markup;
    return base::text_template::unescaped;
}

// Some programs begin UTF-8 files with U+FEFF.
std::string_view without_signature(std::string_view text) {
    constexpr std::string_view signature = "\xEF\xBB\xBF";
    return text.starts_with(signature) ? text.substr(signature.size()) : text;
}

}  // namespace

result<std::shared_ptr<const resource>> resource::read(const json::value& text, std::string content) {
    auto r = std::make_shared<resource>();
    const bool plain = base::find_member(text, "uri") != nullptr;
    if (plain == (base::find_member(text, "uri_template") != nullptr))
        return fail(base::code::quarantined, "a resource has either a uri or a uri_template");
    const char* member = plain ? "uri" : "uri_template";
    auto uri = uri_template::parse(base::string_member(text, member));
    if (!uri) return fail(uri.error().code, uri.error().message, uri.error().hint, std::string{"/"} + member);
    r->uri_ = std::move(*uri);
    if (plain == r->is_template())
        return fail(
            base::code::quarantined,
            "'" + r->uri_.text() + "' has " + (plain ? "a {name}; that is a uri_template" : "no {name}; that is a uri"),
            "", std::string{"/"} + member);
    r->name_ = base::string_member(text, "name");
    r->title_ = base::string_member(text, "title");
    r->description_ = base::string_member(text, "description");
    r->media_type_ = base::string_member(text, "mime_type");
    r->content_ = std::move(content);
    const bool is_text = base::is_text_type(r->media_type_);
    if (is_text && !base::is_utf8(r->content_))
        return fail(base::code::quarantined, "its file is " + r->media_type_ + ", but not UTF-8", "save it as UTF-8",
                    "/file");
    if (is_text)
        if (const auto ok = base::check_nothing_hidden(without_signature(r->content_)); !ok)
            return fail(base::code::quarantined, "its file, in " + ok.error().message, ok.error().hint, "/file");
    if (plain) return r;
    if (!is_text)
        return fail(base::code::quarantined, "mime_type is " + r->media_type_ + ", but a template must be text", "",
                    "/mime_type");
    auto filled_in = base::text_template::parse(r->content_);
    if (!filled_in)
        return fail(base::code::quarantined,
                    "line " + std::to_string(filled_in.error().line) + " of its file: " + filled_in.error().message,
                    filled_in.error().hint, "/file");
    const auto& names = r->uri_.names();
    for (const auto& use : filled_in->uses())
        if (std::find(names.begin(), names.end(), use.name) == names.end())
            return fail(base::code::quarantined,
                        "line " + std::to_string(use.line) + " of its file uses {{" + use.name +
                            "}}, which the URI does not declare",
                        "", "/file");
    r->filled_in_ = std::move(*filled_in);
    return r;
}

json::object resource::definition() const {
    json::object o{{is_template() ? "uriTemplate" : "uri", uri_.text()}, {"name", name_}};
    if (!title_.empty()) o["title"] = title_;
    o["description"] = description_;
    o["mimeType"] = media_type_;
    if (!is_template()) o["size"] = content_.size();
    return o;
}

json::object resource::contents(std::string_view asked_for, const json::object& values) const {
    json::object o{{"uri", asked_for}, {"mimeType", media_type_}};
    if (filled_in_)
        o["text"] = filled_in_->render(values, escaping_of(media_type_));
    else if (base::is_text_type(media_type_))
        o["text"] = content_;
    else
        o["blob"] = base::base64(content_);
    return o;
}

bool clash(const resource& a, const resource& b) {
    return a.uri().shape() == b.uri().shape() || (!a.is_template() && b.uri().match(a.uri().text())) ||
           (!b.is_template() && a.uri().match(b.uri().text()));
}

}  // namespace gdalmcp::catalog
