#include "base/near_names.hpp"

#include "catch.hpp"

using namespace gdalmcp::base;
using names = std::vector<std::string>;

TEST_CASE("near names are a letter or two off, or differ in case, separators or extension; nearest first") {
    const names known{"bilinear", "cubic", "cubic_spline", "nearest"};
    CHECK(nearest(known, "neerest") == names{"nearest"});
    CHECK(nearest(known, "Cubic-Spline") == names{"cubic_spline"});
    CHECK(nearest(known, "cubik") == names{"cubic"});
    CHECK(nearest(known, "lanczos").empty());
    CHECK(nearest({"abcf", "abxy", "abce"}, "abcd") == names{"abcf", "abce", "abxy"});
    CHECK(nearest({"dem.tif"}, "dem.img") == names{"dem.tif"});
    CHECK(nearest({"a", "b"}, "c").empty());  // all of it would be wrong
}

TEST_CASE("a folded word has no case and no separators") {
    CHECK(folded("Cubic-Spline") == "cubicspline");
    CHECK(folded("cubic_ spline") == "cubicspline");
}
