#include "vector/ogr_transformation.hpp"

#include "layers.hpp"

using namespace gdalmcp_vector;

namespace {

OGRSpatialReference crs(const char* text) {
    GDALAllRegister();
    return *gdalmcp::gdal::parse_crs(text);
}
const std::array<double, 4> oslo{10, 59, 11, 60};

}  // namespace

TEST_CASE("a map projection is exact, and 15 E on the equator is the origin of zone 33") {
    std::vector<std::string> said;
    transformation t{crs("EPSG:4326"), crs("EPSG:32633"), oslo, false, [&](const auto& s) { said.push_back(s); }};
    CHECK(t.about().accuracy == 0.0);
    CHECK_FALSE(t.about().ballpark);
    CHECK(said.empty());
    const auto p = t.apply(*wkt("POINT Z (15 0 7)"), false);
    REQUIRE(p);
    CHECK(p->toPoint()->getX() == Approx(500000));
    CHECK(p->toPoint()->getY() == Approx(0).margin(1e-6));
    CHECK(p->toPoint()->getZ() == 7);
}

TEST_CASE("the same CRS in another spelling changes nothing") {
    transformation t{crs("EPSG:4326"), crs("OGC:CRS84"), std::nullopt, false, [](const auto&) {}};
    CHECK(t.about().name.substr(0, 4) == "none");
    CHECK(wkt(*t.apply(*wkt("POINT (15 60)"), false)) == "POINT (15 60)");
}

TEST_CASE("a ballpark transformation is refused unless it is allowed") {
    const auto unknown_datum = crs("+proj=longlat +ellps=intl +no_defs");
    std::vector<std::string> said;
    const notice hear = [&](const std::string& s) { said.push_back(s); };
    try {
        const transformation t{unknown_datum, crs("EPSG:32633"), oslo, false, hear};
        FAIL("accepted");
    } catch (const gdalmcp::error& e) {
        CHECK(e.message.find("ballpark") != std::string::npos);
        CHECK(e.hint.find("allow_ballpark: true") != std::string::npos);
    }
    const transformation t{unknown_datum, crs("EPSG:32633"), oslo, true, hear};
    CHECK(t.about().ballpark);
    CHECK_FALSE(t.about().accuracy);
    REQUIRE(said.size() == 1);
    CHECK(said[0].substr(0, 8) == "ballpark");
}

TEST_CASE("a vertex without a place in the target fails its whole geometry") {
    transformation t{crs("EPSG:4326"), crs("EPSG:32633"), oslo, false, [](const auto&) {}};
    CHECK(t.apply(*wkt("LINESTRING (15 60, 105 0)"), false) == nullptr);
    CHECK(t.apply(*wkt("LINESTRING (15 60, 16 60)"), false) != nullptr);
}

TEST_CASE("m values survive") {
    transformation t{crs("EPSG:4326"), crs("EPSG:3857"), oslo, false, [](const auto&) {}};
    const auto p = t.apply(*wkt("POINT ZM (0 0 7 9)"), false);
    REQUIRE(p);
    CHECK(p->toPoint()->getM() == 9);
    CHECK(p->toPoint()->getZ() == 7);
}
