#include <vector/field_marks.hpp>

#include <limits>
#include <vector>

#include "catch.hpp"

using gdalmcp_vector::field_marks;

namespace {

// The marks among these values.
std::vector<double> marks_among(const std::vector<double>& values) {
    field_marks m;
    for (const double v : values) m.see(v);
    std::vector<double> found;
    for (const auto& mark : m.found()) found.push_back(mark.value);
    return found;
}

using numbers = std::vector<double>;

}  // namespace

TEST_CASE("a known number apart from all others marks missing values") {
    for (const double mark : {-9999.0, -99999.0, -999.0, -99.0, 9999.0, 99999.0, 1e20, -3.4e38, 32767.0})
        CHECK(marks_among({12.5, mark, 16, 10}) == numbers{mark});
    CHECK(marks_among({-999, 12, 9999}) == numbers{-999, 9999});
    // Others that are not negative make the negative one a mark, however far they reach.
    CHECK(marks_among({-99, 0, 20000}) == numbers{-99});
    CHECK(marks_among({-9999, 5, 1e6}) == numbers{-9999});
}

TEST_CASE("numbers among others are values") {
    CHECK(marks_among({9997, 9998, 9999}).empty());        // as in a row of ids
    CHECK(marks_among({1, 5000, 9999}).empty());           // the others span as much
    CHECK(marks_among({-10500, -9999, -20}).empty());      // a depth
    CHECK(marks_among({-9999, -9990, -9000, 0}).empty());  // depths
    CHECK(marks_among({-99, -85, -70}).empty());           // longitudes
    CHECK(marks_among({-100, -99, -1}).empty());           // no end of the values
    CHECK(marks_among({0, 0, 120}).empty());
    CHECK(marks_among({255, 3}).empty());
    CHECK(marks_among({12, 14}).empty());
    CHECK(marks_among({}).empty());
}

TEST_CASE("alone, only what is never measured marks missing values") {
    CHECK(marks_among({-9999, -9999}) == numbers{-9999});
    CHECK(marks_among({-99, -99}).empty());
}

TEST_CASE("marks are counted, missing values are not") {
    field_marks m;
    for (const double v :
         {-999.0, 1.0, std::numeric_limits<double>::quiet_NaN(), -999.0, -std::numeric_limits<double>::infinity()})
        m.see(v);
    REQUIRE(m.found().size() == 1);
    CHECK(m.found().front().rows == 2);
}
