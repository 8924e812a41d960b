// expression.hpp — an expression over named arrays, such as "where(B > 0, (B - A) / (B + A), nodata())".
//
//   const expression ndvi{"(B - A) / (B + A)", {"A", "B"}};
//   ndvi.evaluate({red, infrared}, count, out, memory);
//
// Operators: + - * / ^ (also **), < <= > >= == !=, and && or || not !. Functions: those of operations.hpp. Comparisons
// and logic give 0 or 1; log is the natural logarithm, angles are radians. Numbers are double throughout.
#pragma once
#include <string>
#include <vector>

#include "formula.hpp"

namespace gdalmcp_expressions {

// Arrays that calls of one thread share.
using expression_memory = std::vector<values>;

class expression {
public:
    // names: in the order of evaluate()'s inputs. Throws as parse() does.
    expression(const std::string& text, const std::vector<std::string>& names);

    // Whether the text names the input at all.
    bool uses(std::size_t input) const { return used_[input]; }
    // Every result is 0, 1 or missing.
    bool truth() const { return truth_; }

    const formula& steps() const { return does_; }

    // `count` values of each input, NaN = missing; see operations.hpp for missing results.
    void evaluate(const std::vector<const double*>& inputs, std::size_t count, double* out,
                  expression_memory& memory) const;

private:
    formula does_;
    std::vector<bool> used_;
    bool truth_ = false;
};

}  // namespace gdalmcp_expressions
