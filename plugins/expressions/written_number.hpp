// written_number.hpp — a number as people and programs write it.
#pragma once
#include <optional>
#include <string>

namespace gdalmcp_expressions {

// 1234.5 of "1234.5", "1,234.5", "1 234.5", "1'234.5", "$1,234.50" and "1.2345e3"; -1200 of "(1,200.0)" and of a
// Unicode minus. A point stands before decimals in all of them, so that the texts of one column agree: nothing for
// "1.234.567", "1.234,5" and "12,5", nor for "1,234", which may be 1234 or 1.234, and for other text: "12.5%", "10*".
std::optional<double> written_number(const std::string& text);

}  // namespace gdalmcp_expressions
