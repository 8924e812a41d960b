// written_number.hpp — a number as people and programs write it.
#pragma once
#include <optional>
#include <string>

namespace gdalmcp_expressions {

// 1234.5 of "1234.5", "1,234.5", "1 234.5", "1'234.5", "$1,234.50" and "1.2345e3"; -1200 of "(1,200.0)" and of a
// Unicode minus. A point stands before decimals in all of them, so that the texts of one column agree: nothing for
// "1.234.567", "1.234,5" and "12,5", nor for "1,234", which may be 1234 or 1.234, for whole numbers that a double
// rounds ("9007199254740993"), and for other text: "12.5%", "10*".
std::optional<double> written_number(const std::string& text);

// What a number that written_number() does not read has: a comma between thousands ("11,010", which may be 11.01 as
// well), a comma before decimals ("12,5"), or points between thousands ("1.234,5", "1.234.567"), or more digits than a
// double. none: it is no number.
enum class other_notation {
    none,
    comma_between_thousands,
    comma_before_decimals,
    points_between_thousands,
    beyond_doubles
};
other_notation notation_of(const std::string& text);

}  // namespace gdalmcp_expressions
