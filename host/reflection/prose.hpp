// Values of records as words of a text. Used by methods_text and choice_prose.
#pragma once
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

std::string day_of(std::string_view timestamp);
std::string file_name(std::string_view path);

// Text of a record, on one line, without the final full stop, which the surrounding sentence adds.
std::string quoted(std::string_view words);
// A value, cut to a length that a sentence bears.
std::string plain(const json::value& v);
std::string joined(const json::value* list, const char* between);
std::string capitalised(std::string s);

// "method = fill, operation = condition"; without members that are null.
std::string assignments(const json::object& o);

// " Purpose: hectares per class." unless there are no words.
void add_sentence(std::string& text, const std::string& label, const std::string& words);

}  // namespace gdalmcp::reflection
