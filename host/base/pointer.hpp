// JSON Pointer (RFC 6901) on JSON values.
#pragma once
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::base {

// Whether `at` is "", or tokens that each follow a '/', in which '~' stands before 0 or 1 only; in UTF-8.
bool is_pointer(std::string_view at);

// The value at `at` ("" is the whole), or nullptr. "/a/0/b": array members by decimal index; ~0 and ~1 are unescaped.
const json::value* at_pointer(const json::value& root, std::string_view at);
json::value* at_pointer(json::value& root, std::string_view at);

// Writes `v` at `at`, creating intermediate objects; "-" or the next index appends to an array (intermediate arrays are
// created when the next token is "-" or "0"). False, with nothing changed, if `at` is not a pointer, or a scalar or a
// gap is in the way.
bool put_at_pointer(json::value& root, std::string_view at, json::value v);

// One reference token, escaped: "a/b" -> "a~1b".
std::string escape_token(std::string_view token);

}  // namespace gdalmcp::base
