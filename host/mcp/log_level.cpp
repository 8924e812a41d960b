#include "mcp/log_level.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gdalmcp::mcp {
namespace {
constexpr std::array<std::string_view, 8> levels{"debug", "info",     "notice", "warning",
                                                 "error", "critical", "alert",  "emergency"};
}

bool is_log_level(const base::json::value& v) {
    const auto* s = v.if_string();
    return s && std::find(levels.begin(), levels.end(), std::string_view{*s}) != levels.end();
}

std::string log_level_names() {
    std::string out;
    for (const auto l : levels) out.append(out.empty() ? "" : ", ").append(l);
    return out;
}

}  // namespace gdalmcp::mcp
