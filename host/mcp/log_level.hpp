// The severities of MCP logging, numbered as in RFC 5424: 0 emergency … 7 debug.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace gdalmcp::mcp {

inline constexpr std::array<std::string_view, 8> log_levels{"emergency", "alert",  "critical", "error",
                                                            "warning",   "notice", "info",     "debug"};
inline constexpr int log_level_info = 6;

constexpr std::optional<int> log_level_named(std::string_view name) {
    for (std::size_t i = 0; i < log_levels.size(); ++i)
        if (log_levels[i] == name) return static_cast<int>(i);
    return std::nullopt;
}

std::string log_level_names();  // "debug, info, …"

}  // namespace gdalmcp::mcp
