// number_texts.hpp — numbers kept as text, which their characters put in another order: '10' before '9'.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gdalmcp_vector {

// 9 of "9", -1.5 of "-1.5"; nothing for other text and for codes such as "007".
std::optional<double> number_in(std::string_view text);

// The values of a text field.
class number_texts {
public:
    void see(std::string_view value);
    void add(const number_texts&);
    std::int64_t values() const { return values_; }  // without empty ones
    std::int64_t numbers() const { return numbers_; }
    // Most values are numbers, none is a code, and they are not in order as text.
    bool misordered() const;

private:
    std::int64_t values_ = 0, numbers_ = 0;
    std::size_t digits_ = 0;  // before the point, of the first number
    bool coded_ = false, unequal_ = false;
};

// The call that computes a field of another: 'vector_calc with {"v": "number(v)"}'.
std::string call_for(const std::string& made, const char* function, const std::string& field);

}  // namespace gdalmcp_vector
