// "Did you mean …": existing names close to the given one.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gdalmcp::base {

// Folds spelling variants: "Cubic-Spline", "cubic spline" and "cubic_spline" are equal.
std::string folded(std::string_view word);

// Levenshtein distance in bytes.
std::size_t edit_distance(const std::string& a, const std::string& b);

// Up to three of `known`, nearest first: a letter or two off, another case, other separators, another extension.
std::vector<std::string> nearest(const std::vector<std::string>& known, const std::string& wanted);

std::string joined(const std::vector<std::string>& names);  // "'a', 'b'"

}  // namespace gdalmcp::base
