// row_expression.hpp — an expression over the fields of rows: numbers, text, dates and truth values, each of which may
// be missing.
//
//   const row_expression e{"where(pop > 1000, 'city', upper(kind))", {{"pop", value_type::number}, {"kind",
//   value_type::text}}}; e.evaluate(columns, 1024);  // columns: of the inputs, in this order
//
// Operators and functions are those of expression.hpp and text_functions.hpp. Fields stand by their names, in double
// quotes where these are not words; text in single quotes. A missing operand has a missing result, except in isnull,
// coalesce, the branch of a where that is not taken, and beside what decides an and or an or alone.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formula.hpp"
#include "text_functions.hpp"
#include "written_number.hpp"

namespace gdalmcp_expressions {

struct row_input {
    std::string name;
    value_type type;
    bool whole = false;  // a number without decimals
};

// Texts that number() did not read, though they are numbers in another notation.
struct unread_numbers {
    std::string of;  // the field; "": what the expression made
    other_notation notation;
    std::string first;
    std::int64_t texts = 0;
};

// Up to `lane` values. Numbers and truth values: NaN where missing.
struct column {
    values numbers{};
    std::vector<std::string> texts{};
    std::vector<char> missing{};  // of text and dates
};

class row_expression {
public:
    // inputs: every field there is; names match whatever their case. Throws gdalmcp::error with what is wrong where.
    row_expression(const std::string& text, const std::vector<row_input>& inputs);

    value_type type() const { return type_of(result_); }
    // A number without decimals, as far as the expression tells.
    bool whole() const { return whole_of(result_); }
    // The inputs the expression names, by their places in the list it was made with.
    const std::vector<std::size_t>& uses() const { return uses_; }

    // REQUIRES: count <= lane; a column for each of uses(), in that order. The result stays until the next call.
    const column& evaluate(const std::vector<const column*>& inputs, std::size_t count);
    // Of the last evaluate(): whether the row needed a value that is not defined, wherever in the expression. A branch
    // of where that is not taken, and what coalesce does not come to, is not needed.
    bool undefined(std::size_t row) const {
        return result_.from == source::step && steps_[result_.number].undefined[row] != 0;
    }
    // Of all rows: the first time whose date was taken by its own clock, and is another in UTC; "": none.
    const std::string& other_day() const { return other_day_; }
    // Of all rows: the first text of which date() left out a time of day; "": none.
    const std::string& time_left_out() const { return time_left_out_; }
    // Of all rows, a field and notation each.
    const std::vector<unread_numbers>& unread() const { return unread_; }
    // Whether it uses a function or operator.
    bool calls(std::string_view function) const;

private:
    // Which operands a row needs.
    enum class needs { all, chosen, until_there };
    struct step {
        const operation* does;
        const row_function* of_rows;  // its compute is nullptr where the operation on numbers does it
        std::array<operand, max_operands> of;
        value_type type;
        bool whole;
        needs needed;
        bool takes_day;   // of a time, if there is one
        bool reads_date;  // of a text
        bool reads_number;
        column result;
        std::vector<char> undefined{};  // rows that needed what is not defined
    };
    friend class marking;
    value_type type_of(const operand&) const;
    bool whole_of(const operand&) const;
    bool whole_result(const operation&, const formula_step&) const;
    const column& column_of(const operand&, const std::vector<const column*>& inputs) const;
    void run(step&, const std::vector<const column*>& inputs, std::size_t count);
    bool needs_operand(const step&, std::size_t operand, const std::vector<const column*>& inputs,
                       std::size_t row) const;
    void note_other_day(const step&, const cell&);
    void note_time_left_out(const step&, const cell&);
    void note_unread(const step&, const std::string& text);
    void note_undefined(step&, const std::vector<const column*>& inputs, std::size_t count) const;

    std::vector<step> steps_;
    operand result_;
    std::vector<row_input> named_;     // those in use, then the literals
    std::vector<column> literals_;     // the same value in all rows
    std::vector<column> constants_{};  // likewise, of the numbers in the text
    std::vector<std::size_t> uses_;
    std::string other_day_{}, time_left_out_{};
    std::vector<unread_numbers> unread_{};
};

}  // namespace gdalmcp_expressions
