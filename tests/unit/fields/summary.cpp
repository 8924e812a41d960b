#include <fields/summary.hpp>

#include <catch.hpp>

#include <cmath>

using gdalmcp_fields::correlation;
using gdalmcp_fields::number_summary;
using gdalmcp_fields::text_summary;

namespace {

number_summary of(std::initializer_list<double> values, bool keep = true) {
    number_summary s{keep};
    std::int64_t row = 10;
    for (const double v : values) s.add(v, row++);
    s.finish();
    return s;
}

}  // namespace

TEST_CASE("numbers are summarised") {
    const auto s = of({4, 1, 4, 7});
    CHECK(s.count() == 4);
    CHECK(s.sum() == 16);
    CHECK(s.mean() == 4);
    CHECK(s.min() == 1);
    CHECK(s.max() == 7);
    CHECK(s.min_row() == 11);
    CHECK(s.max_row() == 13);
    CHECK(s.median() == 4);
    CHECK(s.stdev() == std::sqrt(18 / 4.0));
    CHECK(s.stdev(true) == std::sqrt(18 / 3.0));
    CHECK(s.variety() == 3);
    CHECK(s.majority() == 4);
}

TEST_CASE("percentiles lie between values") {
    const auto s = of({10, 20, 30, 40});
    CHECK(s.percentile(0) == 10);
    CHECK(s.percentile(25) == 17.5);
    CHECK(s.percentile(50) == 25);
    CHECK(s.percentile(100) == 40);
}

TEST_CASE("of nothing only the count is known") {
    const auto s = of({});
    CHECK(s.count() == 0);
    CHECK(std::isnan(s.sum()));
    CHECK(std::isnan(s.mean()));
    CHECK(std::isnan(s.median()));
    CHECK(std::isnan(s.stdev()));
    CHECK(s.min_row() == gdalmcp_fields::no_row);
    CHECK(s.variety() == 0);
}

TEST_CASE("one value has no deviation of a sample") {
    CHECK(of({5}).stdev() == 0);
    CHECK(std::isnan(of({5}).stdev(true)));
}

TEST_CASE("a small spread around a large number is kept") {
    CHECK(of({1e15, 1e15 + 1, 1e15 + 2}).stdev() == std::sqrt(2 / 3.0));
    CHECK(of({1e16, 1, -1e16}).sum() == 1);
}

TEST_CASE("the first of equal extremes, the smallest of equally frequent values") {
    const auto s = of({3, 2, 2, 3});
    CHECK(s.min_row() == 11);
    CHECK(s.max_row() == 10);
    CHECK(s.majority() == 2);
    CHECK(s.occurrences() == std::vector<std::pair<double, std::int64_t>>{{2, 2}, {3, 2}});
}

TEST_CASE("texts are summarised") {
    text_summary s;
    for (const char* v : {"b", "a", "c", "a"}) s.add(v, s.count());
    CHECK(s.count() == 4);
    CHECK(s.variety() == 3);
    CHECK(s.min() == "a");
    CHECK(s.max() == "c");
    CHECK(s.majority() == "a");
}

TEST_CASE("dates are ordered by time, whatever their zones") {
    text_summary s;
    s.add("2024-01-01T10:00:00+05:00", 1, 5 * 3600);
    s.add("2024-01-01T08:00:00Z", 2, 8 * 3600);
    s.add("2024-01-01T09:30:00+02:00", 3, 7.5 * 3600);
    CHECK(s.min() == "2024-01-01T10:00:00+05:00");
    CHECK(s.max() == "2024-01-01T08:00:00Z");
}

TEST_CASE("numbers among texts are counted, and the first that is none is kept") {
    text_summary s;
    for (const char* v : {"10", "", "9.5", "abc", "x", "1e5"}) s.add(v, s.count());
    CHECK(s.numbers().numbers() == 3);
    CHECK(s.filled() == 5);
    CHECK(s.first_word() == "abc");
    CHECK(s.first_word_row() == 3);
}

TEST_CASE("correlation of a line is 1 or -1, of a constant nothing") {
    correlation rising, falling, flat, few;
    for (int i = 0; i < 5; ++i) rising.add(i, 2 * i + 1), falling.add(i, -i), flat.add(i, 3);
    few.add(1, 2);
    CHECK(std::abs(rising.value() - 1) < 1e-15);
    CHECK(std::abs(falling.value() + 1) < 1e-15);
    CHECK(std::isnan(flat.value()));
    CHECK(std::isnan(few.value()));
}
