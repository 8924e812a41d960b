// Texts too long for a sentence or a refusal: the WKT of a CRS without a code, an outline of many corners.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

// A text of at most 100 bytes as it is. Of WKT or PROJJSON its name, of any other text its beginning; then the first
// digits of its SHA-256: CRS "unnamed" (sha256 4ddd2a1f).
std::string in_short(std::string_view text);

// The clauses of a line, separated by "; ", that fit into `most` bytes, in their order; the beginning of the first one
// where none does.
std::string whole_clauses(std::string_view line, std::size_t most);

// Replaces each member of more than `most` bytes of JSON by "<as in your call: 61234 bytes>", which no tool takes for a
// value of its own, and returns the names of these members.
std::vector<std::string> leave_out_long(json::object& arguments, std::size_t most);

}  // namespace gdalmcp::reflection
