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

TEST_CASE("edges that two polygons share stay shared, and areas are those of edges that were straight") {
    transformation t{crs("EPSG:4326"), crs("EPSG:3035"), std::array<double, 4>{9, 48, 12, 51}, false,
                     [](const auto&) {}};
    const auto west = t.apply_by_edges(*wkt("POLYGON ((9 48, 10.3 48.1, 10.7 50.9, 9 51, 9 48))")),
               east = t.apply_by_edges(*wkt("POLYGON ((12 48, 12 51, 10.7 50.9, 10.3 48.1, 12 48))"));
    REQUIRE(west);
    REQUIRE(east);
    std::unique_ptr<OGRGeometry> common{west->Intersection(east.get())}, both{west->Union(east.get())};
    CHECK(common->getDimension() == 1);
    const double sum = west->toPolygon()->get_Area() + east->toPolygon()->get_Area();
    CHECK(both->toPolygon()->get_Area() == Approx(sum).epsilon(1e-13));
    const auto exact = t.apply_densified(*wkt("POLYGON ((9 48, 10.3 48.1, 10.7 50.9, 9 51, 9 48))"));
    CHECK(west->toPolygon()->get_Area() == Approx(exact->toPolygon()->get_Area()).epsilon(3e-6));
    CHECK(west->toPolygon()->getExteriorRing()->getNumPoints() > 10);
    CHECK(t.apply_by_edges(*wkt("POINT Z (9 48 5)"))->Is3D() == FALSE);
    CHECK(t.apply_by_edges(*wkt("MULTILINESTRING ((9 48, 9 48), (9 48, 10 48))")));
}

TEST_CASE("what reaches across 180 degrees is cut there, and edges that are just long are not") {
    const auto area = [](const OGRGeometry& g) { return gdalmcp::gdal::detail::extent_measure(g); };
    transformation polar{crs("EPSG:3031"), crs("EPSG:4326"), std::nullopt, false, [](const auto&) {}};
    const auto across = polar.apply(
        *wkt("POLYGON ((-500000 -3000000,500000 -3000000,500000 -1000000,-500000 -1000000,-500000 -3000000))"), false);
    const auto opposite = polar.apply_densified(
        *wkt("POLYGON ((-500000 3000000,500000 3000000,500000 1000000,-500000 1000000,-500000 3000000))"));
    REQUIRE(across);
    CHECK(across->toMultiPolygon()->getNumGeometries() == 2);
    CHECK(area(*across) == Approx(area(*opposite)).epsilon(1e-5));
    CHECK(polar.apply(*wkt("LINESTRING (-500000 -3000000,500000 -3000000)"), false)
              ->toMultiLineString()
              ->getNumGeometries() == 2);

    transformation mercator{crs("EPSG:3395"), crs("EPSG:4326"), std::nullopt, false, [](const auto&) {}};
    const auto world = mercator.apply(
        *wkt("POLYGON ((-19000000 0,19000000 0,19000000 1000000,-19000000 1000000,-19000000 0))"), false);
    CHECK(world->toPolygon()->getExteriorRing()->getNumPoints() == 5);
}
