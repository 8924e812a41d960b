// Numbers as a reader needs them.
#pragma once
#include "base/json.hpp"

namespace gdalmcp::reflection {

// The nearest number with so many significant decimal digits: significant(1234.5, 3) = 1230. Not finite: unchanged.
double significant(double v, int digits);

// Every double of a value rounded in this way; whole numbers and text stay as they are.
void round_numbers(boost::json::value& v, int digits);

}  // namespace gdalmcp::reflection
