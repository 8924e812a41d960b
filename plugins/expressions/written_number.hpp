// written_number.hpp — a number as people and programs write it.
#pragma once
#include <optional>
#include <string>

namespace gdalmcp_expressions {

// 1234.5 of "1234.5", "1,234.5", "1.234,5", "1 234,5", "1'234.5", "$1,234.50" and "1.2345e3"; -1200 of "(1,200)" and of
// a Unicode minus. Nothing for what may be one number or another, as "1,234" may be 1234 or 1.234, and for other text:
// "12.5%", "10*".
std::optional<double> written_number(const std::string& text);

}  // namespace gdalmcp_expressions
