#include "expressions/quantities.hpp"

#include <cmath>

#include "catch.hpp"

using gdalmcp_expressions::parse;

namespace {

auto use_of(const std::string& text) { return quantities_of(parse(text, {"A", "B"}), 2); }
bool computes(const std::string& text) { return use_of(text).inputs[0].computed; }
bool together(const std::string& text) { return !use_of(text).together.empty(); }

}  // namespace

TEST_CASE("an input is computed with in arithmetic, not where it is compared or chosen") {
    for (const char* text :
         {"A * 1.5", "(A + B) / 2", "sqrt(A)", "max(A, B)", "-A + 1", "where(B > 1, A, 0) * 2", "A / B"}) {
        INFO(text);
        CHECK(computes(text));
    }
    for (const char* text :
         {"A == 3", "A > B", "where(A == 1, B * 2, 0)", "where(B > 1, A, nodata())", "isnodata(A)", "bit(A, 3)",
          "A * (B > 1)", "A * 100 + B", "B + 1000 * A", "floor(A / 100)", "mod(A, 10)", "A"}) {
        INFO(text);
        CHECK_FALSE(computes(text));
    }
}

TEST_CASE("inputs stand together where they are added or compared in their own units") {
    for (const char* text : {"A - B", "A > B", "where(A < 3, B, A)", "abs(A) + B", "(A - 3) / (A + B)", "min(A, B)"}) {
        INFO(text);
        CHECK(together(text));
    }
    for (const char* text : {"A * B", "A * 0.3048 + B", "A / 10 > B", "where(A > 1, B, 0)", "sqrt(A) - B", "A - A"}) {
        INFO(text);
        CHECK_FALSE(together(text));
    }
}

TEST_CASE("constant factors of an input are those it is multiplied by as it is") {
    CHECK(use_of("A * 0.5").inputs[0].factors == std::vector<double>{0.5});
    CHECK(use_of("2 * A - B").inputs[0].factors == std::vector<double>{2});
    CHECK(use_of("A / 4").inputs[0].factors == std::vector<double>{0.25});
    CHECK(use_of("(A + 1) * 3").inputs[0].factors.empty());
    CHECK(use_of("4 / A").inputs[0].factors.empty());
}

TEST_CASE("the result has the unit of inputs whose values only move within it") {
    using inputs = std::set<std::size_t>;
    for (const char* text : {"A", "clip(A, 0, 1)", "max(A, 0)", "round(A)", "A * 1", "A + 0", "-A", "A * (B > 1)",
                             "where(B > 1, A, 0.5)", "mod(A + 180, 360)"}) {
        INFO(text);
        CHECK(use_of(text).of_unit == inputs{0});
    }
    CHECK(use_of("min(A, B)").of_unit == inputs{0, 1});
    for (const char* text : {"A * 2", "A - 273.15", "A - B", "A + B", "sqrt(A)", "mod(A, 10)", "A > 1", "5"}) {
        INFO(text);
        CHECK(use_of(text).of_unit.empty());
    }
    CHECK(use_of("(A + B) / 2").added.size() == 1);
    CHECK(use_of("A - B").added.empty());
}

TEST_CASE("what values are made of is followed through sums, constants and choices") {
    const auto from = [](const char* text) { return use_of(text).from.value(); };
    using inputs = std::set<std::size_t>;
    CHECK(from("A + B").added);
    CHECK(from("A + B").inputs == inputs{0, 1});
    CHECK(from("A + B").times == 1);
    CHECK(from("A * 1.05").times == 1.05);
    CHECK(from("-A / 2").times == 0.5);
    CHECK(from("where(A > 0, A * (9 / 5), 0)").times == 1.8);
    CHECK(std::isnan(from("A * 2 + B").times));
    CHECK(from("(A + B) * 3").times == 3);
    CHECK(from("A - 3").shifted);
    CHECK(from("360 - A").shifted);
    CHECK_FALSE(from("A + 0").shifted);
    CHECK_FALSE(from("mod(A + 180, 360)").shifted);
    for (const char* text : {"A * B", "A / B", "2 / A", "sqrt(A)", "A ^ 2", "A > 1", "mod(A - B + 540, 360) - 180"}) {
        INFO(text);
        CHECK_FALSE(use_of(text).from);
    }
}

TEST_CASE("levels and directions have their unit by definition") {
    using units = std::set<std::string>;
    for (const char* text :
         {"10 * log10(A)", "log10(A / B) * 10", "20 * log10(A) - 3", "10 * log(A) / log(10)", "10 * (ln(A) / log(10))",
          "-10 * log10(A)", "where(A > 0, 10 * log10(A), -99)", "10 * log10(10 ^ (A / 10) + 10 ^ (B / 10))"}) {
        INFO(text);
        CHECK(use_of(text).from.value().units == units{"dB"});
    }
    CHECK(use_of("mod(deg(atan2(A, B)) + 360, 360)").from.value().units == units{"degrees"});
    CHECK(use_of("atan2(A, B)").from.value().units == units{"rad"});
    CHECK(use_of("rad(A)").from.value().turned_into == "rad");
    CHECK(use_of("deg(A) + 10").from.value().turned_into == "degrees");
    CHECK(use_of("rad(A)").of_unit.empty());
    CHECK_FALSE(use_of("rad(A) + B").from);
    for (const char* text : {"log10(A)", "10 * log(A)", "deg(atan(A))", "10 * log10(A) * B"}) {
        INFO(text);
        CHECK((!use_of(text).from || use_of(text).from->units.empty()));
    }
}

TEST_CASE("angles as they are enter sin, cos and tan, which take radians") {
    CHECK(use_of("sin(A)").inputs[0].turned);
    CHECK_FALSE(use_of("sin(rad(A))").inputs[0].turned);
    CHECK(use_of("mod(A - B + 540, 360)").modulo);
}

TEST_CASE("an expression that chooses between inputs and whole constants keeps their codes") {
    using inputs = std::set<std::size_t>;
    const auto chosen = [](const char* text) { return use_of(text).chosen.value().inputs; };
    CHECK(chosen("A") == inputs{0});
    CHECK(chosen("where(A == 3, nodata(), A)") == inputs{0});
    CHECK(chosen("A * (A > 2)") == inputs{0});
    CHECK(chosen("where(isnodata(A), B, where(A == 2, 7, A))") == inputs{0, 1});
    for (const char* text : {"A == 3", "where(A == 1, 2, 3)", "where(A == 1, B > 2, nodata())"}) {
        INFO(text);
        CHECK(chosen(text).empty());
    }
    for (const char* text : {"A + 1", "where(A == 3, 0.5, A)", "where(B > 0, A * 2, A)"}) {
        INFO(text);
        CHECK_FALSE(use_of(text).chosen);
    }
}

TEST_CASE("the whole constants among the results of a choice") {
    const auto constants = [](const char* text) {
        const auto c = use_of(text).chosen.value();
        return std::pair{c.lowest, c.highest};
    };
    CHECK(constants("where(A == 1, 2, where(A == 2, -7, A))") == std::pair{-7.0, 2.0});
    CHECK(constants("where(A > 5, 3, A * (A > 2))") == std::pair{0.0, 3.0});
    CHECK(constants("where(A > 5, A > B, 4)") == std::pair{0.0, 4.0});
    const auto [lowest, highest] = constants("where(A > 5, A, nodata())");
    CHECK(lowest > highest);
}
