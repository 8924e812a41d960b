#include <maps/gdal_map_frame.hpp>

#include "catch.hpp"

using namespace gdalmcp_maps;

namespace {

layer_place place(const char* name, const char* crs, double minx, double miny, double maxx, double maxy) {
    layer_place p{name, OGRSpatialReference(), {}};
    if (crs) p.crs = *gdalmcp::gdal::parse_crs(crs);
    p.extent.MinX = minx, p.extent.MinY = miny, p.extent.MaxX = maxx, p.extent.MaxY = maxy;
    return p;
}

std::string plane_of(const std::vector<layer_place>& layers, const std::optional<layer_place>& shown = {}) {
    return plane_for(layers, shown, {}).crs.GetName();
}

const auto utm = place("utm", "EPSG:32633", 400000, 5000000, 500000, 5100000);  // around 14.4° E 45.6° N
const auto country = place("country", "EPSG:4326", 13.4, 45.4, 16.6, 46.9);     // Slovenia
const auto same_area = place("same", "EPSG:4326", 13.8, 45.2, 15, 46);
const auto world = place("world", "EPSG:4326", -180, -90, 180, 90);

}  // namespace

TEST_CASE("a map is drawn in the projected CRS of a layer that covers it") {
    CHECK(plane_of({same_area, utm}) == "WGS 84 / UTM zone 33N");
    CHECK(plane_of({world, utm}) == "Equal Earth around 0°");
    CHECK(plane_of({world, utm}, same_area) == "WGS 84 / UTM zone 33N");
}

TEST_CASE("degrees are drawn equal-area around their middle, the world as Equal Earth") {
    CHECK(plane_of({country}) == "Lambert azimuthal equal-area around 46.15°N 15°E");
    CHECK(plane_of({world}) == "Equal Earth around 0°");
    CHECK(plane_of({place("arctic", "EPSG:4326", -180, 60, 180, 90)}) ==
          "Lambert azimuthal equal-area around 90°N 0°E");
    CHECK(plane_of({place("fiji", "EPSG:4326", 177, -19, 183, -16)}) ==
          "Lambert azimuthal equal-area around 17.5°S 180°E");
    CHECK(plane_of({place("west of the antimeridian", "EPSG:4326", 170, 0, 178, 10),
                    place("east of it", "EPSG:4326", -178, 0, -170, 10)}) ==
          "Lambert azimuthal equal-area around 5°N 180°E");
}

TEST_CASE("layers without CRS are drawn as they are, but not with others") {
    const auto plan = place("plan", nullptr, 0, 0, 10, 5);
    CHECK(plane_for({plan}, {}, {}).crs.IsEmpty());
    CHECK_THROWS_AS(plane_for({plan, country}, {}, {}), gdalmcp::error);
    CHECK_THROWS_AS(plane_for({plan}, {}, gdalmcp::crs{"EPSG:4326"}), gdalmcp::error);
}

TEST_CASE("a frame has square pixels, a margin and at most the pixels it is given") {
    OGREnvelope box;
    box.MinX = 0, box.MinY = 0, box.MaxX = 100, box.MaxY = 50;
    const auto f = frame_around({OGRSpatialReference(), ""}, box, 208, 1000);
    CHECK(f.width == 208);
    CHECK(f.height == 104);
    CHECK(f.pixel() == Approx(0.5));
    CHECK(f.column(0) == Approx(4));
    CHECK(f.row(50) == Approx(2));
    CHECK(f.row(f.box.MinY) == Approx(104));
}

TEST_CASE("a frame around one point reaches a kilometre, around a line an eighth of its length") {
    OGREnvelope point;
    point.MinX = point.MaxX = 500000, point.MinY = point.MaxY = 5000000;
    const auto f = frame_around({*gdalmcp::gdal::parse_crs("EPSG:32633"), ""}, point, 100, 100);
    CHECK(f.box.MaxX - f.box.MinX == Approx(1040));
    OGREnvelope line;
    line.MinX = 0, line.MaxX = 800, line.MinY = line.MaxY = 7;
    const auto wide = frame_around({OGRSpatialReference(), ""}, line, 832, 832);
    CHECK(wide.box.MaxY - wide.box.MinY == Approx(100).epsilon(0.01));
}
