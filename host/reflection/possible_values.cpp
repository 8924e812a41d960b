#include "reflection/possible_values.hpp"

#include <algorithm>

#include "base/pointer.hpp"

namespace gdalmcp::reflection {

using base::find_member;
using base::string_member;

base::result<crs_identity> any_crs(std::string_view spelling) { return crs_identity{std::string{spelling}}; }

std::optional<json::array> values_of(const schema_place& place) {
    if (!place.possible) return json::array{nullptr};
    if (!place.schema) return std::nullopt;
    json::array all;
    if (const auto* listed = find_member(*place.schema, "enum"); listed && listed->is_array())
        all = listed->get_array();
    else if (string_member(*place.schema, "type") == "boolean")
        all = {true, false};
    else
        return std::nullopt;
    if (!place.always) all.push_back(nullptr);
    return all;
}

std::optional<json::array> values_of_key(const spec& s, const key_argument& k, const std::string& tool,
                                         const json::value& arguments) {
    const auto& mapped = s.tools.find(tool)->second;
    const auto sources = mapped.find(k.name);
    if (sources == mapped.end() || sources->second.size() != 1 || k.normal.how == form::geometry) return std::nullopt;
    const auto& source = sources->second.front();
    std::optional<json::array> given;
    if (source.from == key_source::origin::literal) given = json::array{source.value};
    if (source.from == key_source::origin::argument) given = values_of(find_place(arguments, source.at));
    if (!given || k.normal.how == form::crs) return std::nullopt;
    json::array all;
    for (const auto& v : *given)
        if (const auto normal = normal_form(k.normal, v, any_crs); normal && (k.optional || !is_absent(&v)))
            all.push_back(*normal);
    return all;
}

}  // namespace gdalmcp::reflection
