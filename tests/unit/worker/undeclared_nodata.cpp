#include "worker/undeclared_nodata.hpp"

#include "catch.hpp"

using namespace gdalmcp::worker;

namespace {

std::vector<double> range(double from, double to, double step) {
    std::vector<double> all;
    for (int i = 0; from + i * step <= to; ++i) all.push_back(from + i * step);
    return all;
}

std::vector<double> with(std::vector<double> cells, double value, std::size_t times) {
    cells.insert(cells.end(), times, value);
    return cells;
}

std::optional<suspected_nodata> suspected(const std::vector<double>& cells, std::vector<unsigned char> valid = {}) {
    if (valid.empty()) valid.assign(cells.size(), 255);
    undeclared_nodata t{1};
    t.see(cells, valid);
    return t.suspected();
}

}  // namespace

TEST_CASE("a fill value far below or above all others is suspected, with its share") {
    const auto heights = range(200, 1199, 1);
    for (const double fill : {-99.0, -999.0, 9999.0, 65535.0, -32767.0, -9999.0, -32768.0, -3.4028234663852886e38,
                              3.4028234663852886e38, 0.0}) {
        const auto s = suspected(with(heights, fill, 250));
        REQUIRE(s);
        CHECK(s->value == fill);
        CHECK(s->share == Approx(0.2));
    }
}

TEST_CASE("nothing is suspected where the values reach the extreme") {
    CHECK_FALSE(suspected(with(range(0, 999, 1), 0, 500)));     // a coast at sea level
    CHECK_FALSE(suspected(with(range(0, 50, 0.01), 0, 5000)));  // rain
    CHECK_FALSE(suspected(with(range(0, 255, 1), 255, 500)));   // bright clouds
    CHECK_FALSE(suspected(with(range(0, 254, 1), 255, 500)));
    CHECK_FALSE(suspected(with(range(-9999, 9999, 1), -9999, 500)));
}

TEST_CASE("other values are never suspected") {
    CHECK_FALSE(suspected(with(range(200, 1199, 1), -1, 250)));
    CHECK_FALSE(suspected(with(range(200, 1199, 1), 65534, 250)));
}

TEST_CASE("a picture with a black frame is suspected only when black is apart") {
    CHECK(suspected(with(range(40, 230, 1), 0, 100)));
    CHECK_FALSE(suspected(with(range(3, 230, 1), 0, 100)));
}

TEST_CASE("the codes 0 and 255 are suspected only outside the usual steps between codes") {
    CHECK_FALSE(suspected({0, 0, 11, 21, 42, 81}));
    CHECK_FALSE(suspected({0, 1, 2, 3}));
    CHECK(suspected({1, 2, 3, 4, 255, 255}));
    CHECK_FALSE(suspected({0, 0, 255, 255}));  // a mask
    CHECK_FALSE(suspected({0, 1, 1, 0}));
    CHECK(suspected({-9999, 7, 7, 7}));
}

TEST_CASE("a thousandth of the cells is too few") {
    CHECK_FALSE(suspected(with(range(1000, 1998, 1), -9999, 1)));
    CHECK(suspected(with(range(1000, 1998, 1), -9999, 2)));
}

TEST_CASE("cells without data and NaN do not count") {
    auto cells = with(range(200, 1199, 1), -9999, 250);
    std::vector<unsigned char> valid(cells.size(), 255);
    std::fill(valid.end() - 250, valid.end(), static_cast<unsigned char>(0));
    CHECK_FALSE(suspected(cells, valid));
    std::fill(cells.end() - 250, cells.end(), NAN);
    CHECK_FALSE(suspected(cells));
}

TEST_CASE("nothing is suspected without cells or with one value") {
    CHECK_FALSE(suspected({}));
    CHECK_FALSE(suspected({-9999, -9999}));
}
