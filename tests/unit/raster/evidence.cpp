// gdalmcp/evidence.hpp: what evidence tools of any bundle say.
#include <gdalmcp/evidence.hpp>
#include <gdalmcp/testing.hpp>

#include "catch.hpp"

namespace evidence = gdalmcp::evidence;

namespace {

// The result of a tool that puts `s` and nothing else.
std::string put(const evidence::comparison& s) {
    static evidence::comparison given;
    given = s;
    static const gdalmcp::tool tool{
        {.name = "compare", .title = "Compare", .about = "Compares.", .behaviour = GDALMCP_READ_ONLY},
        [](gdalmcp::call& c) { evidence::put_spread(c, given); },
        {},
        {evidence::spread}};
    gdalmcp::testing::run r{tool.abi()};
    r.arguments("{}");
    REQUIRE(r.status() == GDALMCP_OK);
    return r.has("/spread/low")
               ? r.text("/spread/low_by") + " " + evidence::text(r.number("/spread/low")) + ", " +
                     r.text("/spread/high_by") + " " + evidence::text(r.number("/spread/high")) + ", " +
                     evidence::text(r.number("/spread/relative")) + ", " + std::to_string(r.size("/spread/candidates"))
               : "nothing";
}

}  // namespace

TEST_CASE("numbers are written with three digits, thousands whole, and in millions") {
    CHECK(evidence::text(0) == "0");
    CHECK(evidence::text(1.2345) == "1.23");
    CHECK(evidence::text(0.0012345) == "0.00123");
    CHECK(evidence::text(12.0) == "12");
    CHECK(evidence::text(-2.5) == "-2.5");
    CHECK(evidence::text(12345.6) == "12346");
    CHECK(evidence::text(12345678) == "12.3 million");
    CHECK(evidence::text(-4.2e9) == "-4.2 billion");
    CHECK(evidence::text(3.4e38) == "3.40e+38");
    CHECK(evidence::text(1e-12) == "1.00e-12");
}

TEST_CASE("a factor near one keeps two decimals") {
    CHECK(evidence::ratio(1) == "1.00");
    CHECK(evidence::ratio(1.583) == "1.58");
    CHECK(evidence::ratio(0.0123) == "0.0123");
    CHECK(evidence::ratio(1234) == "1234");
}

TEST_CASE("shares are written in percent, and tiny ones as under 0.01 %") {
    CHECK(evidence::percent(0) == "0 %");
    CHECK(evidence::percent(0.123) == "12.3 %");
    CHECK(evidence::percent(1e-6) == "under 0.01 %");
    CHECK(evidence::percent(-0.5) == "-50 %");
    CHECK(evidence::percent(0.9999) == "over 99.9 %");
    CHECK(evidence::percent(1) == "100 %");
}

TEST_CASE("a summary has at most 200 characters, and clauses that do not fit are left out whole") {
    CHECK(evidence::line({"a", "", "b"}) == "a; b");
    const std::string longer(150, 'x'), late(60, 'y');
    CHECK(evidence::line({longer, late, "z"}) == longer + "; z");
    CHECK(evidence::line({std::string(198, 'x')}).size() == 198);
    CHECK(evidence::line({}).empty());
}

TEST_CASE("a small raster is read whole, a large one in sixteen blocks from corner to corner") {
    CHECK(evidence::spread_blocks(1024, 1024) == std::vector<evidence::block>{{0, 0, 1024, 1024}});
    const auto blocks = evidence::spread_blocks(4000, 3000);
    REQUIRE(blocks.size() == 16);
    CHECK(blocks.front() == evidence::block{0, 0, 256, 256});
    CHECK(blocks.back() == evidence::block{4000 - 256, 3000 - 256, 256, 256});
    const auto strip = evidence::spread_blocks(2'000'000'000, 2);
    REQUIRE(strip.size() == 4);
    CHECK(strip.back() == evidence::block{2'000'000'000 - 256, 0, 256, 2});
}

TEST_CASE("a relative difference is a share of the larger magnitude") {
    CHECK(evidence::relative_difference(4, 5) == Approx(0.2));
    CHECK(evidence::relative_difference(-5, -4) == Approx(0.2));
    CHECK(evidence::relative_difference(-1, 1) == 2);
    CHECK(evidence::relative_difference(0, 0) == 0);
}

TEST_CASE("a spread names the lowest and the highest candidate, and each candidate once") {
    CHECK(put({"mean", {{"mode", 3}, {"nearest", 1}, {"average", 2}}, 0.5}) == "nearest 1, mode 3, 0.5, 3");
    CHECK(put({"area", {{"a", 0.9}, {"a", 1.2}, {"geodesic", 1}}, 0.2}) == "a 0.9, a 1.2, 0.2, 2");
    CHECK(put({"mean", {{"nearest", 7}, {"mode", 7}}, 0}) == "nearest 7, nearest 7, 0, 2");
}

TEST_CASE("a comparison of less than two finite values puts no spread") {
    CHECK(put({"mean", {}, 0}) == "nothing");
    CHECK(put({"mean", {{"nearest", 1}}, 0}) == "nothing");
    CHECK(put({"mean", {{"nearest", 1}, {"mode", NAN}}, 0}) == "nothing");
    CHECK(put({"mean", {{"nearest", 1}, {"mode", 1}}, NAN}) == "nothing");
}
