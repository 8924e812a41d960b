// RFC 9110, 12.5.1: which media types a client accepts.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace gdalmcp::transport {

// Whether an Accept field (nothing or blank: anything goes) admits `type`, "application/json": of the ranges it matches
// the most specific decides, and q=0 refuses. Preferences between types are ignored.
bool accepts(std::optional<std::string_view> field, std::string_view type);

}  // namespace gdalmcp::transport
