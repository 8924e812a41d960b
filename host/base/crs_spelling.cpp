#include "base/crs_spelling.hpp"

#include <algorithm>
#include <cmath>

#include "base/near_names.hpp"
#include "base/text.hpp"

namespace gdalmcp::base {

std::string crs_spelling(std::string_view text) {
    constexpr std::string_view between = " :-_";
    constexpr std::size_t shortest_code = 4, max_code = 6;  // 2000 … 900913
    const auto code_or_word = trimmed(text);
    std::string authority = "EPSG";
    auto code = code_or_word;
    for (const char* known : {"EPSG", "ESRI"})
        if (folded(code_or_word.substr(0, 4)) == folded(known)) {
            authority = known;
            code.remove_prefix(4);
            code.remove_prefix(std::min(code.find_first_not_of(between), code.size()));
        }
    for (const char* of_ogc : {"CRS84", "CRS83", "CRS27"})
        if (const auto word = folded(code_or_word);
            word == folded(of_ogc) || word == "ogc:" + folded(of_ogc) || word == "ogc" + folded(of_ogc))
            return std::string{"OGC:"} + of_ogc;
    const bool digits = std::all_of(code.begin(), code.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits || code.size() < shortest_code || code.size() > max_code) return std::string{text};
    return authority + ":" + std::string{code};
}

void spell_crs(json::value& v) {
    if (const auto* s = v.if_string()) {
        v = crs_spelling(*s);
        return;
    }
    const bool whole = v.is_number() && v.to_number<double>() == std::trunc(v.to_number<double>());
    if (!whole || std::abs(v.to_number<double>()) > 1e6) return;
    const auto code = std::to_string(static_cast<long>(v.to_number<double>()));
    if (auto spelled = crs_spelling(code); spelled != code) v = std::move(spelled);
}

}  // namespace gdalmcp::base
