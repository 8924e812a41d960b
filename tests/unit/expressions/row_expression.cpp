#include <expressions/row_expression.hpp>

#include "catch.hpp"

#include <gdalmcp/tool.hpp>

#include <cmath>
#include <optional>
#include <variant>

using namespace gdalmcp_expressions;

namespace {

// Fields of one row: n = 7, x = 2.5, none = null, t = "Dülmen", empty = "", d and m: dates.
const std::vector<row_input> fields{{"n", value_type::number, true},   {"x", value_type::number},
                                    {"none", value_type::number},      {"t", value_type::text},
                                    {"empty", value_type::text},       {"gone", value_type::text},
                                    {"d", value_type::date},           {"m", value_type::moment},
                                    {"two words", value_type::number}, {"2015_sum", value_type::number}};
column number(double v) {
    column c;
    c.numbers.fill(v);
    return c;
}
column text(const std::optional<std::string>& v) {
    column c;
    c.texts.assign(lane, v.value_or(""));
    c.missing.assign(lane, !v);
    return c;
}
const std::vector<column> row{number(7), number(2.5), number(NAN),        text("Dülmen"),
                              text(""),  text({}),    text("2024-02-28"), text("2024-02-28T18:00:00"),
                              number(4), number(9)};

struct outcome {
    value_type type;
    bool whole, missing, undefined;
    double number;
    std::string text;
};
outcome of(const std::string& expression) {
    row_expression e{expression, fields};
    std::vector<const column*> used;
    for (const auto i : e.uses()) used.push_back(&row[i]);
    const auto& c = e.evaluate(used, 1);
    const bool words = e.type() == value_type::text || e.type() == value_type::date || e.type() == value_type::moment;
    return {e.type(),
            e.whole(),
            words ? c.missing[0] != 0 : std::isnan(c.numbers[0]),
            e.undefined(0),
            words ? 0 : c.numbers[0],
            words && !c.missing[0] ? c.texts[0] : ""};
}
double number_of(const std::string& e) { return of(e).number; }
std::string text_of(const std::string& e) { return of(e).text; }

std::string row_refusal(const std::string& text) {
    try {
        row_expression{text, fields};
    } catch (const gdalmcp::error& e) {
        return e.message + " | " + e.hint;
    }
    return "accepted";
}

}  // namespace

TEST_CASE("fields are named with or without quotes, whatever their case") {
    CHECK(number_of("n / x") == 2.8);
    CHECK(number_of("N + \"two words\"") == 11);
    CHECK(number_of("\"x\" * 1e1") == 25);
    CHECK(text_of("t") == "Dülmen");
    CHECK(text_of("'it''s'") == "it's");
    CHECK(number_of("5") == 5);
}

TEST_CASE("a field that needs quotes and has none is named with them") {
    using Catch::Matchers::ContainsSubstring;
    CHECK_THAT(row_refusal("100 * 2015_SUM / n"),
               ContainsSubstring("names '2015_sum' without quotes | put it in double quotes, \"2015_sum\""));
    CHECK_THAT(row_refusal("two words + 1"), ContainsSubstring("\"two words\""));
    const std::vector<row_input> odd{
        {"x", value_type::number}, {"abs(x)", value_type::number}, {"km (sq)", value_type::number}};
    CHECK_NOTHROW(row_expression{"abs(x)", odd});
    CHECK_THROWS_WITH((row_expression{"km (sq)", odd}), ContainsSubstring("'km (sq)' without quotes"));
    CHECK_THAT(row_refusal("two word + 1"), ContainsSubstring("names 'two', which is no field"));
    CHECK(number_of("\"2015_sum\" + 2015") == 2024);
    CHECK(number_of("1e1 + .5") == 10.5);
}

TEST_CASE("text functions count characters, not bytes") {
    CHECK(number_of("length(t)") == 6);
    CHECK(text_of("upper(t)") == "DÜLMEN");
    CHECK(text_of("lower('ÄÖ')") == "äö");
    CHECK(text_of("left(t, 2)") == "Dü");
    CHECK(text_of("right(t, 3)") == "men");
    CHECK(text_of("substr(t, 2, 3)") == "ülm");
    CHECK(text_of("left(t, 99)") == "Dülmen");
    CHECK(of("substr(t, 0, 3)").undefined);
    CHECK(text_of("trim('  a b ')") == "a b");
    CHECK(text_of("replace('a.b.c', '.', '--')") == "a--b--c");
    CHECK(number_of("contains(t, 'lm') and startswith(t, 'D') and not endswith(t, 'x')") == 1);
}

TEST_CASE("text is joined, and made of numbers and back") {
    CHECK(text_of("concat(t, ' ', n, '/', x)") == "Dülmen 7/2.5");
    CHECK(text_of("t + '!'") == "Dülmen!");
    CHECK(text_of("text(x)") == "2.5");
    CHECK(text_of("text(n)") == "7");
    CHECK(number_of("number(' -1.5e2 ') + 1") == -149);
    CHECK(number_of("number('9007199254740992')") == 0x1p53);
    CHECK(of("number('9007199254740993')").undefined);
    CHECK(number_of("number('1,234.5')") == 1234.5);
    CHECK(number_of("number('1 234 567.5')") == 1234567.5);
    CHECK(number_of("number('1,24,42,373')") == 12442373);
    CHECK(number_of("number('421\u2019878')") == 421878);
    CHECK(number_of("number('1 234')") == 1234);
    CHECK(number_of("number('$3.10')") == 3.1);
    CHECK(number_of("number('(1200)')") == -1200);
    CHECK(number_of("number('\u22125')") == -5);
    CHECK(number_of("number('+2E+3')") == 2000);
    // In one column with 55.980 and 1,234.5 these would be read by another rule, or are 1234 or 1.234.
    CHECK(number_of("number('55.980')") == 55.98);
    for (const char* text : {"1.512.491", "1.234.567,5", "1 234,5", "12,5", "1,234", ",5"})
        CHECK(of("number('" + std::string{text} + "')").undefined);
    CHECK(number_of("number(replace('1.512.491', '.', ''))") == 1512491);
    for (const char* text : {"12.5%", "10*", "1,2,3", "1 23", "1.2.3", "e5", "1e", "-", ".", "--5", "1-2"})
        CHECK(of("number('" + std::string{text} + "')").undefined);
    CHECK(of("number('')").missing);
    CHECK_FALSE(of("number(' ')").undefined);
    CHECK(of("number('nan')").undefined);
    CHECK(of("number('0x10')").undefined);
}

TEST_CASE("numbers in another notation are told apart") {
    using enum other_notation;
    for (const char* text : {"11,010", "-1,234", " 999,999 "}) CHECK(notation_of(text) == comma_between_thousands);
    for (const char* text : {"12,5", "0,125", "1234,567", ",5", "1 234,567"})
        CHECK(notation_of(text) == comma_before_decimals);
    for (const char* text : {"1.234,5", "1.512.491", "-1.234.567,25"})
        CHECK(notation_of(text) == points_between_thousands);
    for (const char* text : {"unknown", "", "5%", "1.23,4", "1,", "1.5", "12,x", "1,2,3"})
        CHECK(notation_of(text) == none);
    row_expression e{"number(t) + number(lower(gone))", fields};
    const column given = text("11,010"), other = text("1,5");
    e.evaluate({&given, &other}, 2);
    REQUIRE(e.unread().size() == 2);
    CHECK((e.unread()[0].of == "t" && e.unread()[0].first == "11,010" && e.unread()[0].texts == 2));
    CHECK((e.unread()[1].of.empty() && e.unread()[1].notation == comma_before_decimals));
    CHECK((e.calls("lower") && !e.calls("date")));
}

TEST_CASE("comparisons are of numbers, texts or dates") {
    CHECK(number_of("t == 'Dülmen'") == 1);
    CHECK(number_of("t != 'Dülmen'") == 0);
    CHECK(number_of("'a' < 'b' and 'b' > 'a' and 'a' <= 'a' and 'b' >= 'a'") == 1);
    CHECK(number_of("d < date('2024-03-01')") == 1);
    CHECK(number_of("m > d") == 1);
    CHECK(number_of("d == date('2024/02/28')") == 1);
    CHECK_THAT(row_refusal("t == 5"),
               Catch::Matchers::ContainsSubstring(
                   "'==' takes two numbers, two texts or two dates, and is given text and a number"));
    CHECK_THAT(row_refusal("d > '2024-01-01'"), Catch::Matchers::ContainsSubstring("date(text)"));
}

TEST_CASE("a missing operand has a missing result, but where null is asked for") {
    for (const char* e : {"none + 1", "none > 1", "upper(gone)", "concat(t, gone)", "concat(none, t)", "gone == 'a'",
                          "length(gone)", "year(date(gone))"}) {
        INFO(e);
        CHECK(of(e).missing);
        CHECK_FALSE(of(e).undefined);
    }
    CHECK(number_of("isnull(none) and isnull(gone) and not isnull(empty)") == 1);
    // What decides alone needs no other, as in SQL.
    CHECK(number_of("isnull(none) or none == 3") == 1);
    CHECK(number_of("none == 3 || n == 7") == 1);
    CHECK(number_of("none == 3 and n == 8") == 0);
    CHECK(of("none == 3 and n == 7").missing);
    CHECK(of("none == 3 or n == 8").missing);
    CHECK(number_of("coalesce(none, n)") == 7);
    CHECK(text_of("coalesce(gone, gone, t)") == "Dülmen");
    CHECK(of("coalesce(gone, gone)").missing);
    CHECK(text_of("where(n > 5, 'many', gone)") == "many");
    CHECK(of("where(none > 5, 'many', 'few')").missing);
    CHECK(of("where(n > 5, null(), t)").missing);
    CHECK(of("where(n > 5, null(), 1)").missing);
    CHECK(of("n / 0").undefined);
}

TEST_CASE("what is not defined is noted within other functions, where the row needs it") {
    for (const char* e :
         {"n / 0", "year(date(t))", "length(text(1 / 0))", "where(number(t) > 1, 'a', 'b')", "coalesce(number(t), 0)",
          "isnull(date(t))", "concat(t, text(date(t)))", "where(n > 5, number(t), 1)", "coalesce(none, number(t))"}) {
        INFO(e);
        CHECK(of(e).undefined);
    }
    for (const char* e : {"where(n < 5, number(t), 1)", "where(n != 0, 1 / n, n / 0)", "coalesce(n, number(t))",
                          "where(none > 1, number(t), 1)", "coalesce(t, text(date(t)))", "year(date(gone))"}) {
        INFO(e);
        CHECK_FALSE(of(e).undefined);
    }
}

TEST_CASE("dates") {
    CHECK(number_of("year(d) * 10000 + month(d) * 100 + day(d)") == 20240228);
    CHECK(number_of("weekday(d)") == 3);  // a Wednesday
    CHECK(text_of("adddays(d, 2)") == "2024-03-01");
    CHECK(text_of("adddays(m, 0.5)") == "2024-02-29T06:00:00");
    CHECK(text_of("adddays(m, 0.0001)") == "2024-02-28T18:00:08.640");
    CHECK(of("adddays(d, 0.5)").undefined);
    CHECK(number_of("days(date('2024-03-01'), d)") == 2);
    CHECK(number_of("days(m, d)") == 0.75);
    CHECK(of("date('2023-02-29')").undefined);
    CHECK(of("date('31.12.2023')").undefined);
    CHECK(of("date('24-01-31')").undefined);
    CHECK(of("date('12024-01-31')").undefined);
}

TEST_CASE("moments have zones") {
    double a = 0, b = 0;
    CHECK(days_of("2024-01-01T00:00:00Z", a));
    CHECK(days_of("2024-01-01 02:00:00+02:00", b));
    CHECK(a == b);
    CHECK_FALSE(days_of("2024-01-01X", a));
    CHECK(text_of("date('2024-01-01T00:30:00+02:00')") == "2024-01-01");
    CHECK(text_of("date('2023-12-31T23:15:00-05:00')") == "2023-12-31");
    CHECK(text_of("date('2023-12-31T23:15:00Z')") == "2023-12-31");
    CHECK(text_of("datetime('2023-12-31 23:15Z')") == "2023-12-31T23:15:00Z");
    CHECK(text_of("datetime('2023-12-31T23:15:07.25-05:00')") == "2023-12-31T23:15:07.250-05:00");
    CHECK(text_of("datetime(d)") == "2024-02-28T00:00:00");
    CHECK(of("datetime('noon')").undefined);
    CHECK(number_of("m > datetime('2024-02-28T17:59:59Z')") == 1);
    CHECK(number_of("m > datetime('2024-02-28T18:00:01Z')") == 0);
    CHECK_FALSE(days_of("2024-13-01", a));
}

TEST_CASE("an expression knows its type and whether it has decimals") {
    CHECK(of("n * 2 - 1").whole);
    CHECK_FALSE(of("n / 2").whole);
    CHECK_FALSE(of("n + x").whole);
    CHECK(of("round(x)").whole);
    CHECK(of("where(x > 1, n, 0)").whole);
    CHECK(of("n > 1").type == value_type::truth);
    CHECK(of("d").type == value_type::date);
    CHECK(of("adddays(m, 1)").type == value_type::moment);
    CHECK(of("null()").type == value_type::null);
    CHECK(of("where(n > 1, d, null())").type == value_type::date);
}

TEST_CASE("mistakes of an expression over fields") {
    CHECK(row_refusal("n + popul") ==
          "'n + popul' names 'popul', which is no field | fields: n, x, none, t, empty, gone, d, m, two words, "
          "2015_sum; text "
          "stands in single quotes");
    CHECK_THAT(row_refusal("upper(n)"),
               Catch::Matchers::ContainsSubstring("'upper' takes text, and is given a number"));
    CHECK_THAT(row_refusal("n + t"), Catch::Matchers::ContainsSubstring(
                                         "'+' takes numbers, or text and text, and is given a number and text"));
    CHECK_THAT(row_refusal("where(n, t, x)"), Catch::Matchers::ContainsSubstring("values of one type"));
    CHECK_THAT(row_refusal("t == 'Dülmen"), Catch::Matchers::ContainsSubstring("is not closed"));
    CHECK_THAT(row_refusal("CASE WHEN n > 1 THEN 1 END"),
               Catch::Matchers::ContainsSubstring("use where(condition, a, b)"));
    CHECK_THAT(row_refusal("round(x, 2)"),
               Catch::Matchers::ContainsSubstring("round(x * 100) / 100 keeps two decimals"));
    CHECK_THAT(row_refusal("uper(t)"), Catch::Matchers::ContainsSubstring("upper"));
    CHECK_THAT(row_refusal("\"two words\" + "), Catch::Matchers::ContainsSubstring("cannot be read"));
    CHECK_THAT(row_refusal("n t"), Catch::Matchers::ContainsSubstring("character 3 of 'n t'"));
}
