// JSON in and out. Boost.JSON holds the values; parsing is bounded and strict, writing has its own code, because
// Boost.JSON 1.81 prints NaN literally, 100.5 as 1.005E2, and lets invalid UTF-8 through.
#pragma once
#include <boost/json.hpp>
#include <limits>
#include <string>
#include <string_view>

#include "base/problem.hpp"

namespace gdalmcp::base {

namespace json = boost::json;

inline constexpr std::size_t deepest_json = 64;  // levels of arrays and objects

// Parses one JSON text (RFC 8259) of at most deepest_json levels. Whole-valued doubles (1.0, 1e3) within +-2^53 become
// integers, so that later comparisons, schemas and keys see one number. A number too large for a double (1e400) is
// refused. max_values: of scalars, arrays and objects; a value takes a dozen times the room of its text. More is
// refused.
result<json::value> parse_json(std::string_view text, std::size_t max_values = std::numeric_limits<std::size_t>::max());

// One line of JSON: integers exact, doubles in their shortest ECMAScript form, NaN and infinities as null, invalid
// UTF-8 replaced by U+FFFD, hidden characters (find_hidden) as \u202e. Member order is kept.
std::string write_json(const json::value& v);

// RFC 8785 (JCS): members sorted by UTF-16 code units, ECMAScript numbers, -0 -> 0, strings unescaped but for control
// characters. Integers beyond +-2^53 are written as the double nearest to them, as JCS requires.
// REQUIRES: no NaN or infinity (they cannot come out of parse_json).
std::string canonical_json(const json::value& v);

// The shortest text that reads back as this double (ECMAScript Number::toString); "null" for NaN and infinities.
std::string format_number(double v);

// Member lookups that never throw: nullptr, fallback or "" when the member is missing or of another type.
const json::value* find_member(const json::value& v, std::string_view name);
std::string_view string_member(const json::value& v, std::string_view name, std::string_view fallback = {});
bool bool_member(const json::value& v, std::string_view name, bool fallback = false);
// The same of an object; without these overloads it would be copied into a value, and the returned pointer would
// dangle.
const json::value* find_member(const json::object& o, std::string_view name);
std::string_view string_member(const json::object& o, std::string_view name, std::string_view fallback = {});

}  // namespace gdalmcp::base
