#include "base/text_template.hpp"

#include <algorithm>
#include <charconv>
#include <kainjow/mustache.hpp>

namespace gdalmcp::base {
namespace {

std::size_t line_of(const std::string& text, std::size_t offset) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
    return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

// Mustache ends its messages with " at <offset>".
text_template::defect located(const std::string& text, const std::string& message) {
    const auto at = message.rfind(" at ");
    std::size_t offset = 0;
    if (at == std::string::npos) return {message, 0};
    const auto* end = message.data() + message.size();
    const auto [p, ec] = std::from_chars(message.data() + at + 4, end, offset);
    if (ec != std::errc{} || p != end) return {message, 0};
    return {message.substr(0, at), line_of(text, offset)};
}

}  // namespace

std::string plain_text(const json::value& v) {
    if (v.is_null()) return {};
    return v.is_string() ? std::string{v.get_string()} : canonical_json(v);
}

text_template::text_template(std::string text) : text_{std::move(text)} {
    for (auto at = text_.find("{{"); at != std::string::npos; at = text_.find("{{", at)) {
        const auto begin = text_.find_first_not_of("{#/^& ", at);
        if (begin == std::string::npos) break;
        const auto end = std::min(text_.find_first_of("} ", begin), text_.size());
        uses_.push_back({text_.substr(begin, end - begin), line_of(text_, at)});
        at = begin;
    }
}

tl::expected<text_template, text_template::defect> text_template::parse(std::string text) {
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
