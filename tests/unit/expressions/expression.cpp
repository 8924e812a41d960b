#include <expressions/expression.hpp>

#include "catch.hpp"

#include <gdalmcp/tool.hpp>

#include <cmath>
#include <limits>

using gdalmcp_expressions::expression;
using gdalmcp_expressions::is_undefined;
using list = std::vector<double>;

namespace {

const double nan_value = std::numeric_limits<double>::quiet_NaN();

// The value of an expression without inputs, or with A and B.
double value(const std::string& text, double a = 0, double b = 0) {
    const expression e{text, {"A", "B"}};
    gdalmcp_expressions::expression_memory memory;
    double out = -1;
    e.evaluate({&a, &b}, 1, &out, memory);
    return out;
}

bool missing(const std::string& text, double a = 0, double b = 0) { return std::isnan(value(text, a, b)); }

std::string refusal(const std::string& text) {
    try {
        const expression e{text, {"A", "B"}};
    } catch (const gdalmcp::error& e) {
        return e.message + " | " + e.hint;
    }
    return "accepted";
}

}  // namespace

TEST_CASE("operators bind as in arithmetic") {
    CHECK(value("1 + 2 * 3") == 7);
    CHECK(value("(1 + 2) * 3") == 9);
    CHECK(value("7 - 2 - 1") == 4);
    CHECK(value("8 / 2 / 2") == 2);
    CHECK(value("2 ^ 3 ^ 2") == 512);
    CHECK(value("2 ** 3") == 8);
    CHECK(value("-2 ^ 2") == -4);
    CHECK(value("-A * 3", 2) == -6);
    CHECK(value("2 * -A", 2) == -4);
    CHECK(value("1 + 2 > 2") == 1);
    CHECK(value("1 < 2 and 3 < 2 or 1 < 2") == 1);
    CHECK(value("not A > 1", 2) == 0);
    CHECK(value("!(A > 1) && B == 3", 0, 3) == 1);
    CHECK(value("1e-3 * 1000") == 1);
    CHECK(value("A", 4) == 4);
    CHECK(value("pi") == Approx(3.141592653589793));
}

TEST_CASE("functions have their usual values") {
    CHECK(value("where(A > 1, 10, 20)", 2) == 10);
    CHECK(value("where(A > 1, 10, 20)", 1) == 20);
    CHECK(value("min(3, 1, 2)") == 1);
    CHECK(value("max(A, B)", 2, 5) == 5);
    CHECK(value("clip(A, 0, 1)", 7) == 1);
    CHECK(value("clip(A, 0, 1)", -7) == 0);
    CHECK(value("log(exp(2))") == Approx(2));
    CHECK(value("ln(A)", std::exp(3)) == Approx(3));
    CHECK(value("log10(1000) + log2(8)") == Approx(6));
    CHECK(value("sin(rad(30))") == Approx(0.5));
    CHECK(value("deg(atan2(1, 1))") == Approx(45));
    CHECK(value("round(2.5) + round(3.5)") == 6);
    CHECK(value("floor(-1.5) + ceil(1.2)") == 0);
    CHECK(value("sign(-3) + abs(-3)") == 2);
    CHECK(value("mod(-1, 3)") == 2);
    CHECK(value("bit(A, 3)", 8) == 1);
    CHECK(value("bit(A, 2)", 8) == 0);
}

TEST_CASE("a missing operand leaves no result, in comparisons and logic as well") {
    for (const char* text : {"A + B", "A * 0", "A > 1", "A == A", "A and 0", "1 or A", "not A", "-A", "A ^ 0",
                             "min(A, 1)", "max(1, A)", "clip(A, 0, 1)", "where(A, 1, 2)", "abs(A)", "mod(A, 2)"})
        CHECK(missing(text, nan_value, 1));
    CHECK(value("isnodata(A)", nan_value) == 1);
    CHECK(value("isnodata(A)", 3) == 0);
    CHECK(value("where(isnodata(A), B, A)", nan_value, 5) == 5);
    CHECK(value("where(1, A, B)", 3, nan_value) == 3);
    CHECK(missing("nodata()"));
    CHECK_FALSE(is_undefined(value("nodata()")));
    CHECK_FALSE(is_undefined(value("A + 1", nan_value)));
}

TEST_CASE("what is not defined has no result and is marked, inside a larger expression as well") {
    for (const char* text : {"1 / A", "0 / A", "1 / (1 / A)", "A / A", "log(A)", "log(A - 1)", "sqrt(A - 1)", "acos(2)",
                             "exp(1000)", "1e308 * 10", "0 * (1 / A) + 1", "(-8) ^ 0.5", "mod(1, A)", "bit(0.5, 1)"}) {
        INFO(text);
        CHECK(is_undefined(value(text, 0)));
    }
    CHECK(value("where(A == 0, 7, 1 / A)", 0) == 7);
}

TEST_CASE("arrays of any length have the values of their members") {
    const expression e{"(B - A) / (B + A)", {"A", "B"}};
    for (const std::size_t n : {std::size_t{1}, std::size_t{1023}, std::size_t{1024}, std::size_t{3000}}) {
        list a(n), b(n), out(n);
        for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<double>(i), b[i] = 3 * a[i] + 1;
        gdalmcp_expressions::expression_memory memory;
        e.evaluate({a.data(), b.data()}, n, out.data(), memory);
        for (std::size_t i = 0; i < n; ++i) CHECK(out[i] == (b[i] - a[i]) / (b[i] + a[i]));
    }
}

TEST_CASE("an expression knows its inputs and whether it is a truth value") {
    const expression e{"B > 3 and B < 5", {"A", "B"}};
    CHECK_FALSE(e.uses(0));
    CHECK(e.uses(1));
    CHECK(e.truth());
    CHECK_FALSE(expression("A + (B > 3)", {"A", "B"}).truth());
}

TEST_CASE("a mistake is refused with its place and with what there is") {
    CHECK(refusal("A + C") ==
          "'expression' names 'C', which is neither an input nor a function | inputs: A, B; functions: "
          "where, min, max, clip, abs, sign, sqrt, exp, log, ln, log10, log2, floor, ceil, round, sin, "
          "cos, tan, asin, acos, atan, atan2, deg, rad, pow, mod, bit, isnodata, nodata");
    CHECK_THAT(refusal("A & 8"), Catch::Matchers::ContainsSubstring("bit(A, n)"));
    CHECK_THAT(refusal("A > 1 ? 2 : 3"), Catch::Matchers::ContainsSubstring("where(condition, a, b)"));
    CHECK(refusal({"A\0B", 3}) == "'expression' has a NUL at character 2 | remove it");
    CHECK(refusal(std::string(3000, '(') + "A").size() < 500);
    CHECK_THAT(refusal("(A + B"), Catch::Matchers::ContainsSubstring("cannot be read"));
    CHECK_THAT(refusal("A B"), Catch::Matchers::ContainsSubstring("character 3"));
    CHECK_THAT(refusal("where(A, 1)"), Catch::Matchers::ContainsSubstring("where"));
    CHECK_THAT(refusal("min(A)"), Catch::Matchers::ContainsSubstring("gives min one value, of two or more"));
    CHECK_THAT(refusal("A, B"), Catch::Matchers::ContainsSubstring("2 results"));
    CHECK_THAT(refusal(""), Catch::Matchers::ContainsSubstring("cannot be read"));
    CHECK_THAT(refusal("A = 3"), Catch::Matchers::ContainsSubstring("=="));
    CHECK_THROWS_WITH(expression("min", {"min"}), Catch::Matchers::ContainsSubstring("gives it a meaning"));
    CHECK_THROWS_WITH(expression("1 < A < 3", {"A"}), Catch::Matchers::ContainsSubstring("compares the 0 or 1 of '<'"));
    CHECK_NOTHROW(expression("(A > 1) == (A < 3)", {"A"}));
    CHECK_THROWS_WITH(expression("1", {"a b"}), Catch::Matchers::ContainsSubstring("cannot name an input"));
}
