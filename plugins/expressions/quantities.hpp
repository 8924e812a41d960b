// quantities.hpp — how an expression uses its inputs, for telling whether their values can be used so.
#pragma once
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "formula.hpp"

namespace gdalmcp_expressions {

struct input_use {
    // Enters arithmetic. Not counted, since codes bear it: comparisons and logic, the operands of where(), isnodata,
    // bit, mod, the product with a truth value or with a power of ten from 10 on (A * 100 + B numbers combinations),
    // and floor(A / 100), which takes the leading digits.
    bool computed = false;
    bool turned = false;          // the operand of sin, cos or tan as it is
    std::vector<double> factors;  // constants it is multiplied by, as it is; of A / 4, 0.25
};

// What an expression chooses its results from, as where(A == 3, 1, A) and A * (A > 2) do.
struct choice_of_values {
    std::set<std::size_t> inputs;  // by number; empty: constants only
    // Of the whole constants among the results; the first is greater where there is none.
    double lowest = std::numeric_limits<double>::infinity(), highest = -std::numeric_limits<double>::infinity();
};

// What the values of an expression are made of, where their unit or kind follows from it: 1.05 * (A + B), A - 3,
// 10 * log10(A). Constants have the unit of what they are added to or chosen beside.
struct origin {
    std::set<std::size_t> inputs{};  // by number
    // Units by definition: dB of 10 * log10(x) and 20 * log10(x), degrees of deg(atan2(y, x)), rad of atan2(y, x).
    std::set<std::string> units{};
    bool shifted = false;       // by a constant
    bool added = false;         // one to another, or one from another
    double times = 1;           // the constant all of it is multiplied by; NaN: parts by different ones
    bool difference = false;    // of directions: mod(A - B + 540, 360), still to be shifted back
    std::string turned_into{};  // "rad" of rad(A), "degrees" of deg(A): the unit of angles
};

struct quantities {
    std::vector<input_use> inputs;
    // Pairs of inputs, smaller number first, that are added, subtracted or compared in the units they are given in:
    // nothing before has multiplied or transformed one of them.
    std::vector<std::pair<std::size_t, std::size_t>> together;
    // Of these, those that are added.
    std::vector<std::pair<std::size_t, std::size_t>> added;
    // The inputs whose unit the result has, as clip(A, 0, 1), max(A, 0), round(A), A * 1 or mod(A + 180, 360) do; empty
    // where arithmetic changes it, or nothing has one.
    std::set<std::size_t> of_unit;
    std::optional<origin> from;
    bool modulo = false;  // mod() is used, as for differences of directions
    // Where each result is the value of an input, a whole constant or missing.
    std::optional<choice_of_values> chosen;
};

// inputs: how many names the formula was parsed with.
quantities quantities_of(const formula& f, std::size_t inputs);

}  // namespace gdalmcp_expressions
