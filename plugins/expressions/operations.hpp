// operations.hpp — what an expression can compute: each operation works on arrays of a fixed length.
//
// A missing value is NaN, and an operation with a missing operand has a missing result, comparisons and logic included.
// The result of an operation that is not defined for its operands (x / 0, log of a negative number, overflow) is
// missing as well, and marked: see is_undefined().
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace gdalmcp_expressions {

constexpr std::size_t lane = 1024;  // values that one operation computes
using values = std::array<double, lane>;

// Whether a missing value comes from an operation that is not defined for its operands.
bool is_undefined(double missing);
double undefined_number();

// max_operands: of min and max, which take two or more.
constexpr std::size_t max_operands = 3;

struct operation {
    std::string_view name;
    std::size_t operands;                                                             // 0 to max_operands
    void (*compute)(const double* a, const double* b, const double* c, double* out);  // over `lane` values
    bool truth = false;                                                               // the result is 0 or 1
    bool any_number = false;  // of two operands, repeated for more: min(a, b, c)
};

inline constexpr std::size_t function_count = 29, operator_count = 16, sign_count = 4;

// Functions by the names that expressions use: where(condition, a, b), min, max, …
std::span<const operation> functions();
// Operators with two operands: + - * / ^ ** < <= > >= == != && || and or, strongest last.
struct operator_sign {
    operation does;
    int precedence;  // muParser's
    bool from_right = false;
};
std::span<const operator_sign> operators();
// Signs before an operand: - + ! not.
std::span<const operation> signs();

}  // namespace gdalmcp_expressions
