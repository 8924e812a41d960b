#include "operations.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "datasets/wide_registers.hpp"

namespace gdalmcp_expressions {
namespace {

// A quiet NaN with a bit of its own; processors hand it on through arithmetic.
constexpr std::uint64_t undefined_bits = 0x7ff8'0000'0000'0d1fULL;
const double undefined = std::bit_cast<double>(undefined_bits);
constexpr double pi = 3.14159265358979323846;

// The first missing operand, so that its mark is kept.
double missing_of(double a, double b) { return std::isnan(a) ? a : b; }

template <class F>
void each(const double* a, double* out, F f) {
    for (std::size_t i = 0; i < lane; ++i) out[i] = f(a[i]);
}
template <class F>
void each(const double* a, const double* b, double* out, F f) {
    for (std::size_t i = 0; i < lane; ++i) out[i] = f(a[i], b[i]);
}

// Of operands that are there; a result that is no finite number is undefined.
double defined(double result) { return std::isfinite(result) ? result : undefined; }
template <double (*F)(double)>
void function(const double* a, const double*, const double*, double* out) {
    each(a, out, [](double x) { return std::isnan(x) ? x : defined(F(x)); });
}
template <double (*F)(double, double)>
void function(const double* a, const double* b, const double*, double* out) {
    each(a, b, out,
         [](double x, double y) { return std::isnan(x) || std::isnan(y) ? missing_of(x, y) : defined(F(x, y)); });
}

// Sums, differences and products of finite numbers are at worst infinite.
template <class F>
void arithmetic(const double* a, const double* b, double* out, F f) {
    each(a, b, out, [f](double x, double y) {
        const double r = f(x, y);
        return std::abs(r) == std::numeric_limits<double>::infinity() ? undefined : r;
    });
}
GDALMCP_WIDE_REGISTERS void add(const double* a, const double* b, const double*, double* out) {
    arithmetic(a, b, out, [](double x, double y) { return x + y; });
}
GDALMCP_WIDE_REGISTERS void subtract(const double* a, const double* b, const double*, double* out) {
    arithmetic(a, b, out, [](double x, double y) { return x - y; });
}
GDALMCP_WIDE_REGISTERS void multiply(const double* a, const double* b, const double*, double* out) {
    arithmetic(a, b, out, [](double x, double y) { return x * y; });
}
GDALMCP_WIDE_REGISTERS void divide(const double* a, const double* b, const double*, double* out) {
    each(a, b, out, [](double x, double y) {
        const double r = x / y;
        // 0 / 0 is a NaN without the mark.
        return y == 0 && x == x ? undefined : std::abs(r) == std::numeric_limits<double>::infinity() ? undefined : r;
    });
}

template <class F>
void compare(const double* a, const double* b, double* out, F f) {
    each(a, b, out, [f](double x, double y) { return x != x || y != y ? x + y : f(x, y) ? 1.0 : 0.0; });
}
template <class F>
struct comparison {
    static void compute(const double* a, const double* b, const double*, double* out) { compare(a, b, out, F{}); }
};
struct less {
    bool operator()(double x, double y) const { return x < y; }
};
struct not_above {
    bool operator()(double x, double y) const { return x <= y; }
};
struct greater {
    bool operator()(double x, double y) const { return x > y; }
};
struct not_below {
    bool operator()(double x, double y) const { return x >= y; }
};
struct equal {
    bool operator()(double x, double y) const { return x == y; }
};
struct unequal {
    bool operator()(double x, double y) const { return x != y; }
};
struct both {
    bool operator()(double x, double y) const { return x != 0 && y != 0; }
};
struct either {
    bool operator()(double x, double y) const { return x != 0 || y != 0; }
};

void negate(const double* a, const double*, const double*, double* out) {
    each(a, out, [](double x) { return x != x ? x : -x; });
}
void keep(const double* a, const double*, const double*, double* out) {
    each(a, out, [](double x) { return x; });
}
void invert(const double* a, const double*, const double*, double* out) {
    each(a, out, [](double x) { return x != x ? x : x == 0 ? 1.0 : 0.0; });
}
GDALMCP_WIDE_REGISTERS void smaller(const double* a, const double* b, const double*, double* out) {
    each(a, b, out, [](double x, double y) { return x != x || y != y ? x + y : y < x ? y : x; });
}
GDALMCP_WIDE_REGISTERS void larger(const double* a, const double* b, const double*, double* out) {
    each(a, b, out, [](double x, double y) { return x != x || y != y ? x + y : y > x ? y : x; });
}
// The branch not taken may be missing.
GDALMCP_WIDE_REGISTERS void where(const double* a, const double* b, const double* c, double* out) {
    for (std::size_t i = 0; i < lane; ++i) out[i] = a[i] != a[i] ? a[i] : a[i] != 0 ? b[i] : c[i];
}
void is_nodata(const double* a, const double*, const double*, double* out) {
    each(a, out, [](double x) { return x != x ? 1.0 : 0.0; });
}
void no_data(const double*, const double*, const double*, double* out) {
    for (std::size_t i = 0; i < lane; ++i) out[i] = std::numeric_limits<double>::quiet_NaN();
}
void clip(const double* a, const double* b, const double* c, double* out) {
    values lifted;
    larger(a, b, nullptr, lifted.data());
    smaller(lifted.data(), c, nullptr, out);
}

// Halves to even, as numpy does.
double round_half_even(double x) { return std::nearbyint(x); }
double degrees(double x) { return x * 180 / pi; }
double radians(double x) { return x * pi / 180; }
double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
// Bit n of a whole number, from 0; undefined for fractions, negative numbers and beyond 2^53.
double bit(double x, double n) {
    if (x != std::floor(x) || n != std::floor(n) || x < 0 || n < 0 || x > 0x1p53 || n > 52) return undefined;
    return static_cast<double>(static_cast<std::uint64_t>(x) >> static_cast<unsigned>(n) & 1U);
}
double power(double x, double y) { return std::pow(x, y); }
double remainder_of(double x, double y) {  // with the sign of the divisor, as in Python and SQL's mod of positives
    const double r = std::fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

constexpr operation function_table[] = {
    {"where", 3, where},
    {"min", 2, smaller, false, true},
    {"max", 2, larger, false, true},
    {"clip", 3, clip},
    {"abs", 1, function<std::fabs>},
    {"sign", 1, function<sign>},
    {"sqrt", 1, function<std::sqrt>},
    {"exp", 1, function<std::exp>},
    {"log", 1, function<std::log>},
    {"ln", 1, function<std::log>},
    {"log10", 1, function<std::log10>},
    {"log2", 1, function<std::log2>},
    {"floor", 1, function<std::floor>},
    {"ceil", 1, function<std::ceil>},
    {"round", 1, function<round_half_even>},
    {"sin", 1, function<std::sin>},
    {"cos", 1, function<std::cos>},
    {"tan", 1, function<std::tan>},
    {"asin", 1, function<std::asin>},
    {"acos", 1, function<std::acos>},
    {"atan", 1, function<std::atan>},
    {"atan2", 2, function<std::atan2>},
    {"deg", 1, function<degrees>},
    {"rad", 1, function<radians>},
    {"pow", 2, function<power>},
    {"mod", 2, function<remainder_of>},
    {"bit", 2, function<bit>, true},
    {"isnodata", 1, is_nodata, true},
    {"nodata", 0, no_data},
};

// muParser's scale: or 1, and 2, comparisons 4, sums 5, products 6, powers 7.
constexpr operator_sign operator_table[] = {
    {{"||", 2, comparison<either>::compute, true}, 1},
    {{"or", 2, comparison<either>::compute, true}, 1},
    {{"&&", 2, comparison<both>::compute, true}, 2},
    {{"and", 2, comparison<both>::compute, true}, 2},
    {{"<", 2, comparison<less>::compute, true}, 4},
    {{"<=", 2, comparison<not_above>::compute, true}, 4},
    {{">", 2, comparison<greater>::compute, true}, 4},
    {{">=", 2, comparison<not_below>::compute, true}, 4},
    {{"==", 2, comparison<equal>::compute, true}, 4},
    {{"!=", 2, comparison<unequal>::compute, true}, 4},
    {{"+", 2, add}, 5},
    {{"-", 2, subtract}, 5},
    {{"*", 2, multiply}, 6},
    {{"/", 2, divide}, 6},
    {{"^", 2, function<power>}, 7, true},
    {{"**", 2, function<power>}, 7, true},
};

constexpr operation sign_table[] = {{"-", 1, negate}, {"+", 1, keep}, {"!", 1, invert, true}, {"not", 1, invert, true}};

static_assert(std::size(function_table) == function_count && std::size(operator_table) == operator_count &&
              std::size(sign_table) == sign_count);

}  // namespace

bool is_undefined(double missing) {
    return (std::bit_cast<std::uint64_t>(missing) & 0x7fff'ffff'ffff'ffffULL) == undefined_bits;
}

double undefined_number() { return undefined; }

std::span<const operation> functions() { return function_table; }
std::span<const operator_sign> operators() { return operator_table; }
std::span<const operation> signs() { return sign_table; }

}  // namespace gdalmcp_expressions
