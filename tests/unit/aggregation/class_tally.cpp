#include <aggregation/class_tally.hpp>

#include "catch.hpp"

#include <array>

using namespace gdalmcp_aggregation;

namespace {

constexpr auto none = class_code::none;

value_share counted(std::int64_t value, std::int64_t against, double cells, double area) {
    return {class_code{value, against}.packed(), cells, area};
}

}  // namespace

TEST_CASE("a number holds every pair of codes, and the lack of one") {
    for (const auto value :
         {-class_code::limit, std::int64_t{-1}, std::int64_t{0}, std::int64_t{7}, class_code::limit, none})
        for (const auto against :
             {-class_code::limit, std::int64_t{-1}, std::int64_t{0}, std::int64_t{7}, class_code::limit, none}) {
            const class_code code{value, against};
            CHECK(class_code::of(code.packed()) == code);
        }
    // The greatest number is 2^52 - 1, which a double tells from its neighbours.
    CHECK(class_code{}.packed() == 4503599627370495.0);
}

TEST_CASE("cells with data are classified, the others are not") {
    const auto t =
        tally_of({counted(1, none, 2, 200), counted(none, none, 0.5, 50), counted(3, none, 1, 300)}, false, {});
    REQUIRE(t.rows.size() == 2);
    CHECK(t.rows[0].code.value == 1);
    CHECK(t.rows[1].code.value == 3);
    CHECK(t.classified.cells == 3);
    CHECK(t.classified.area == 500);
    CHECK(t.unclassified.cells == 0.5);
    CHECK(t.unlisted.area == 50);
    CHECK(t.share_of(t.rows[0]) == 0.4);  // of the area, not of the cells
}

TEST_CASE("without areas, shares are those of cells") {
    const auto t = tally_of({counted(1, none, 1, 0), counted(2, none, 3, 0)}, false, {});
    CHECK(t.share_of(t.rows[1]) == 0.75);
}

TEST_CASE("the parts of a raster are added up") {
    const auto t = tally_of({counted(1, none, 1, 10), counted(2, none, 1, 10), counted(1, none, 2, 20)}, false, {});
    REQUIRE(t.rows.size() == 2);
    CHECK(t.rows[0].extent.cells == 3);
    CHECK(t.rows[0].extent.area == 30);
}

TEST_CASE("what was not asked for is other classes, and still classified") {
    const auto t =
        tally_of({counted(1, none, 1, 10), counted(2, none, 3, 30), counted(none, none, 1, 10)}, false, {2, 9});
    REQUIRE(t.rows.size() == 2);
    CHECK(t.rows[0].code.value == 2);
    CHECK(t.share_of(t.rows[0]) == 0.75);
    CHECK(t.other.cells == 1);
    CHECK(t.unclassified.cells == 1);
}

TEST_CASE("a class asked for that does not occur has a row of 0, unless nothing is classified") {
    const auto t = tally_of({counted(5, none, 2, 20)}, false, {5, 1, 9});
    REQUIRE(t.rows.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(t.rows[i].code.value == std::array<std::int64_t, 3>{1, 5, 9}[i]);
        CHECK(t.rows[i].extent.cells == (i == 1 ? 2 : 0));
        CHECK(t.share_of(t.rows[i]) == (i == 1 ? 1 : 0));
    }
    CHECK(tally_of({counted(none, none, 2, 20)}, false, {5}).rows.empty());
}

TEST_CASE("a pair is classified where both rasters have data") {
    const auto t = tally_of(
        {counted(1, 5, 4, 40), counted(1, none, 1, 10), counted(none, 5, 2, 20), counted(none, none, 8, 80)}, true, {});
    REQUIRE(t.rows.size() == 3);
    CHECK(t.classified.cells == 4);
    CHECK(t.unclassified.cells == 11);
    CHECK(t.unlisted.cells == 8);  // of neither raster
    for (const auto& row : t.rows) CHECK(row.classified == (row.code.value != none && row.code.against != none));
    CHECK(!t.share_of(t.rows[1]));

    const auto some = tally_of({counted(1, 5, 4, 40), counted(2, none, 1, 10), counted(none, 5, 2, 20)}, true, {1});
    CHECK(some.rows.size() == 1);
    CHECK(some.unlisted.cells == 3);
}

TEST_CASE("an empty zone holds nothing") {
    const auto t = tally_of({}, false, {});
    CHECK(t.rows.empty());
    CHECK(t.classified.cells == 0);
}
