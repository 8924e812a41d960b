// formula.hpp — what muParser reads in an expression: steps over operands, in the order to compute them.
#pragma once
#include <string>
#include <vector>

#include "operations.hpp"

namespace gdalmcp_expressions {

enum class source { input, constant, step };
struct operand {
    source from = source::constant;
    std::size_t number = 0;  // of the input or step
    double value = 0;
};
struct formula_step {
    const operation* does;
    std::array<operand, max_operands> of;
};
struct formula {
    std::vector<formula_step> steps{};
    operand result{};
};

// names: what the text may name, in the order of the inputs' numbers. Throws gdalmcp::error with what is wrong where,
// and for an unknown name with those there are.
formula parse(const std::string& text, const std::vector<std::string>& names);

// The same, with text_functions(), for a text in which each input stands as a mark of one byte, since names of fields
// are not always words. `shown`: what the caller wrote, as long as `marked`, for errors; names: of the inputs,
// likewise.
formula parse_marked(const std::string& marked, const std::string& shown, const std::vector<std::string>& names);
constexpr std::size_t first_mark = 0x80, max_marked = 128;
std::string mark_of(std::size_t input);

}  // namespace gdalmcp_expressions
