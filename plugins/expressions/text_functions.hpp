// text_functions.hpp — functions of expressions over fields, of text, dates and nulls; those of numbers are in
// operations.hpp.
#pragma once
#include <span>
#include <string>

#include "operations.hpp"

namespace gdalmcp_expressions {

// What an operand or a result is. Dates are "2024-05-31" and moments "2024-05-31T12:00:00", as text.
enum class value_type { null, number, truth, text, date, moment };

// One value; the member of its type holds it.
struct cell {
    bool missing = true;
    double number = 0;
    std::string text{};
};

inline constexpr std::size_t text_function_count = 25;

// Their compute is not used: what they do depends on the types of their operands (find_row_function).
std::span<const operation> text_functions();

// A function or operator for operands of certain types.
struct row_function {
    // Each operand is one of: n a number (or truth), t text, d a date or moment, a any, s any but the same in all.
    const char* name;
    const char* operands;
    // The same letters, and T truth, D date, M moment; s: that of the operands; d: that of the first.
    char result;
    // nullptr: the operation on numbers does it. A missing operand makes the result missing before it is called, unless
    // takes_missing.
    void (*compute)(const cell* of, cell& result) = nullptr;
    bool takes_missing = false;
};

// The one of this name that fits, with the type of its result. Throws gdalmcp::error naming what the function takes and
// what it was given.
struct found_function {
    const row_function* does;
    value_type result;
};
found_function find_row_function(const operation& does, const value_type* operands);

const char* name_of(value_type);

// A number as people write it: without an exponent from 1e-7 to below 1e21, as ECMAScript has it, with as many digits
// as tell it from all others.
std::string digits_of(double);

// Days since 1970-01-01, with a fraction for a moment, in UTC where its offset is stated; nothing for a text that is no
// date with the year first.
bool days_of(const std::string& text, double& days);
// The same by the clock as it is written, without the offset. zone: where the offset stands in the text, or its end.
bool clock_of(const std::string& text, double& days, std::size_t& zone);

}  // namespace gdalmcp_expressions
