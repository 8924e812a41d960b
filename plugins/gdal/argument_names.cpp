#include "argument_names.hpp"

#include <cctype>
#include <string_view>

namespace gdalmcp_gdal {
namespace {

bool in_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); }
bool is_quote(char c) { return c == '\'' || c == '"'; }

}  // namespace

std::string renamed(std::string text, const argument_names& names) {
    for (const auto& [from, to] : names) {
        const std::string_view name{from};
        const bool a_name_only = name.find('_') != std::string_view::npos,
                   phrase = name.find(' ') != std::string_view::npos;
        for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
            const char before = at ? text[at - 1] : ' ';
            const char after = at + name.size() < text.size() ? text[at + name.size()] : ' ';
            const bool quoted = is_quote(before) && before == after;
            const bool whole = !in_word(before) && !in_word(after);
            if (quoted || phrase || (a_name_only && whole)) text.replace(at, name.size(), to);
        }
    }
    return text;
}

}  // namespace gdalmcp_gdal
