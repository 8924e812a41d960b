#include "transport/media_types.hpp"

#include <string>

#include "base/text.hpp"

namespace gdalmcp::transport {
namespace {

// The part before the separator, which is taken off the front of `rest`.
std::string_view next(std::string_view& rest, char separator) {
    const auto end = rest.find(separator);
    const auto part = base::trimmed(rest.substr(0, end));
    rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
    return part;
}

// "q=0", "q=0.", "q=0.000"
bool is_refusal(std::string_view parameter) {
    return parameter.substr(0, 3) == "q=0" && parameter.substr(3).find_first_not_of(".0") == parameter.npos;
}

}  // namespace

bool accepts(std::optional<std::string_view> field, std::string_view type) {
    if (!field || base::trimmed(*field).empty()) return true;
    const auto text = base::lower_ascii(*field);
    const auto any_of_kind = std::string{type.substr(0, type.find('/'))} + "/*";
    int nearest = 0;  // 1: of all types, 2: of this kind, 3: this one
    bool admitted = false;
    for (std::string_view ranges = text; !ranges.empty();) {
        auto range = next(ranges, ',');
        const auto name = next(range, ';');
        const int near = name == type ? 3 : name == any_of_kind ? 2 : name == "*/*" ? 1 : 0;
        if (near <= nearest) continue;
        nearest = near;
        admitted = true;
        while (!range.empty())
            if (is_refusal(next(range, ';'))) admitted = false;
    }
    return admitted;
}

}  // namespace gdalmcp::transport
