// Normal forms of key arguments: one form for all spellings of a choice.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "reflection/crs.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

enum class form { crs, synonym, geometry, number, lower, text };

struct normaliser {
    form how = form::text;
    bool list = false;                            // several values: unique, sorted, joined by '+'
    std::map<std::string, std::string> synonyms;  // lower-case spelling -> name
    std::vector<std::string> ignore;              // list members that are not choices
};

// The normal form of one value; null stands for absent (null for numbers, "" for everything else).
// `geometry_crs` is read by form::geometry only: the normal form of the CRS the coordinates are in.
// Errors: invalid_argument with the value named; `at` is left to the caller.
base::result<json::value> normal_form(const normaliser& n, const json::value& given, const crs_lookup& crs,
                                      std::string_view geometry_crs = {});

// "projjson-sha256:" and 64 hexadecimal digits: the normal form of a CRS without a code.
bool is_projjson_hash(std::string_view s);

// NFC, trimmed, inner white space (Unicode White_Space) collapsed to one blank.
std::string normal_text(std::string_view s);

}  // namespace gdalmcp::reflection
