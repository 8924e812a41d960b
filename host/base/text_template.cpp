#include "base/text_template.hpp"

#include <algorithm>
#include <charconv>
#include <kainjow/mustache.hpp>
#include <optional>

#include "base/text.hpp"

namespace gdalmcp::base {
namespace {

constexpr int deepest = 32;  // sections; mustache copies the text of each and descends into it by recursion

std::size_t lines_in(const std::string& text, std::size_t from, std::size_t to) {
    const auto at = [&](std::size_t offset) {
        return text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
    };
    return static_cast<std::size_t>(std::count(at(from), at(to), '\n'));
}
std::size_t line_of(const std::string& text, std::size_t offset) { return 1 + lines_in(text, 0, offset); }

text_template::defect unclosed_tag(const std::string& text, std::size_t at, bool unescaped) {
    const auto name = text.find_first_not_of('{', at);
    const auto end = std::min(text.find_first_of("{}\n", name), text.size());
    return {"the tag '" + shortened(std::string_view{text}.substr(at, end - at), 60) + "' is not closed",
            line_of(text, at), std::string{"close it with "} + (unescaped ? "}}}" : "}}")};
}

// Finds unclosed tags, sections nested too deep and unsupported tags by walking over the tags as mustache does. Changed
// delimiters would mislead this walk and the search for names; partials have no source.
std::optional<text_template::defect> refused_tag(const std::string& text) {
    int depth = 0;
    for (auto at = text.find("{{"); at != std::string::npos;) {
        const bool unescaped = text.compare(at, 3, "{{{") == 0;
        const auto begin = std::min(text.find_first_not_of(" \t\r\n\v\f", at + (unescaped ? 3 : 2)), text.size());
        const auto end = text.find(unescaped ? "}}}" : "}}", at + (unescaped ? 3 : 2));
        // Mustache takes everything up to the next }} for the name of a tag, even other tags.
        if (end == std::string::npos || text.find_first_of("{}", begin) < end) return unclosed_tag(text, at, unescaped);
        const char kind = begin < end && !unescaped ? text[begin] : ' ';
        if (kind == '=') return text_template::defect{"the delimiters cannot be changed", line_of(text, at)};
        if (kind == '>')
            return text_template::defect{
                "a partial, {{>, is not filled in here; write its text in its place, or name an argument with {{name}}",
                line_of(text, at)};
        if (kind == '#' || kind == '^') ++depth;
        if (kind == '/') --depth;
        if (depth > deepest)
            return text_template::defect{"sections are nested deeper than " + std::to_string(deepest) + " levels",
                                         line_of(text, at)};
        at = text.find("{{", end + (unescaped ? 3 : 2));
    }
    return std::nullopt;
}

// Mustache ends its messages with " at <offset>", and those about a section name it in quotes before that.
text_template::defect located(const std::string& text, const std::string& message) {
    const auto at = message.rfind(" at ");
    std::size_t offset = 0;
    if (at == std::string::npos) return {message, 0};
    const auto* end = message.data() + message.size();
    const auto [p, ec] = std::from_chars(message.data() + at + 4, end, offset);
    if (ec != std::errc{} || p != end) return {message, 0};
    text_template::defect d{message.substr(0, at), line_of(text, offset)};
    const auto quote = d.message.find('"');
    if (d.message.starts_with("Unclosed section"))
        d.hint = "close it with {{/" + d.message.substr(quote + 1, d.message.size() - quote - 2) + "}}";
    if (d.message.starts_with("Unopened section")) d.hint = "remove the tag, or open the section before it";
    return d;
}

}  // namespace

std::string plain_text(const json::value& v) {
    if (v.is_null()) return {};
    return v.is_string() ? std::string{v.get_string()} : canonical_json(v);
}

text_template::text_template(std::string text) : text_{std::move(text)} {
    std::size_t line = 1, counted = 0;
    for (auto at = text_.find("{{"); at != std::string::npos; at = text_.find("{{", at)) {
        const auto begin = text_.find_first_not_of("{#/^& ", at);
        if (begin == std::string::npos) break;
        const auto end = std::min(text_.find_first_of("} ", begin), text_.size());
        line += lines_in(text_, counted, at);
        counted = at;
        uses_.push_back({text_.substr(begin, end - begin), line});
        at = end;
    }
}

tl::expected<text_template, text_template::defect> text_template::parse(std::string text) {
    if (auto d = refused_tag(text)) return tl::unexpected{std::move(*d)};
    if (const kainjow::mustache::mustache m{text}; !m.is_valid())
        return tl::unexpected{located(text, m.error_message())};
    return text_template{std::move(text)};
}

std::string text_template::render(const json::object& values, const escaping& escape) const {
    kainjow::mustache::data context;
    for (const auto& v : values) {
        const auto text = plain_text(v.value());
        if (text.empty())
            context.set(std::string{v.key()}, kainjow::mustache::data{kainjow::mustache::data::type::bool_false});
        else
            context.set(std::string{v.key()}, text);
    }
    kainjow::mustache::mustache m{text_};
    m.set_custom_escape(escape);
    return m.render(context);
}

}  // namespace gdalmcp::base
