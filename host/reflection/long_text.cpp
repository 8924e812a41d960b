#include "reflection/long_text.hpp"

#include <algorithm>

#include "base/digest.hpp"
#include "base/text.hpp"

namespace gdalmcp::reflection {
namespace {

// PROJCRS["name",… and {"name": "…"}; empty: neither.
std::string name_of_crs(std::string_view text) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    const auto quote = text.find_first_not_of(letters);
    if (quote != std::string_view::npos && quote > 0 && text.substr(quote).starts_with("[\""))
        if (const auto end = text.find('"', quote + 2); end != std::string_view::npos)
            return std::string{text.substr(quote + 2, end - quote - 2)};
    if (!text.starts_with("{")) return {};
    const auto projjson = base::parse_json(text);
    return projjson ? std::string{base::string_member(*projjson, "name")} : std::string{};
}

}  // namespace

std::string in_short(std::string_view text) {
    constexpr std::size_t longest = 100, shown = 60, digits = 8;
    if (text.size() <= longest) return std::string{text};
    const auto name = name_of_crs(text);
    return (name.empty() ? base::shortened(text, shown) : "CRS \"" + base::shortened(name, shown) + "\"") +
           " (sha256 " + base::sha256_hex(text).substr(0, digits) + ")";
}

std::string whole_clauses(std::string_view line, std::size_t most) {
    constexpr std::string_view between = "; ";
    if (line.size() <= most) return std::string{line};
    std::string kept;
    for (auto rest = line; !rest.empty();) {
        const auto end = std::min(rest.find(between), rest.size());
        const auto clause = rest.substr(0, end);
        if (kept.size() + clause.size() + (kept.empty() ? 0 : between.size()) <= most)
            kept.append(kept.empty() ? "" : between).append(clause);
        rest.remove_prefix(std::min(end + between.size(), rest.size()));
    }
    if (!kept.empty()) return kept;
    const auto cut = base::shortened(line, most);
    const auto word = cut.rfind(' ');
    return word == std::string::npos ? cut : cut.substr(0, word) + " …";
}

std::vector<std::string> leave_out_long(json::object& arguments, std::size_t most) {
    std::vector<std::string> names;
    for (auto& a : arguments)
        if (const auto size = base::write_json(a.value()).size(); size > most) {
            a.value() = "<as in your call: " + std::to_string(size) + " bytes>";
            names.emplace_back(a.key());
        }
    return names;
}

}  // namespace gdalmcp::reflection
