// The revisions of MCP, oldest first.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace gdalmcp::mcp {

enum class revision { r2024_11_05, r2025_03_26, r2025_06_18, r2025_11_25, r2026_07_28 };

inline constexpr std::array<std::string_view, 5> revision_names{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25",
                                                                "2026-07-28"};

// The newest that begins with `initialize`, and the first that has no handshake but an envelope on every request.
inline constexpr revision latest_handshake = revision::r2025_11_25;
inline constexpr revision stateless = revision::r2026_07_28;

constexpr std::string_view name_of(revision r) { return revision_names[static_cast<std::size_t>(r)]; }

constexpr std::optional<revision> revision_named(std::string_view name) {
    for (std::size_t i = 0; i < revision_names.size(); ++i)
        if (revision_names[i] == name) return static_cast<revision>(i);
    return std::nullopt;
}

}  // namespace gdalmcp::mcp
