// "Did you mean …": which of the names that exist were nearly given.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gdalmcp::base {

// A word without what people spell differently: "Cubic-Spline", "cubic spline" and "cubic_spline" are one.
std::string folded(std::string_view word);

// Up to three of `known`, nearest first: a letter or two off, another case, other separators, another extension.
std::vector<std::string> nearest(const std::vector<std::string>& known, const std::string& wanted);

std::string joined(const std::vector<std::string>& names);  // "'a', 'b'"

}  // namespace gdalmcp::base
