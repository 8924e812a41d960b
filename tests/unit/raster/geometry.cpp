#include <gdalmcp/gdal_geometry.hpp>

#include "catch.hpp"
#include "rasters.hpp"

namespace sdk = gdalmcp::gdal;
using sdk::place_geometry;

namespace {

sdk::frame frame(const char* crs, double minx, double miny, double maxx, double maxy) {
    sdk::frame f;
    if (*crs) f.crs = *sdk::parse_crs(crs);
    f.extent.Merge(minx, miny);
    f.extent.Merge(maxx, maxy);
    return f;
}

const auto utm = [] { return frame("EPSG:32633", 500000, 4000000, 600000, 4100000); };
const auto world = [] { return frame("EPSG:4326", -180, -90, 180, 90); };

gdalmcp::geometry box(double minx, double miny, double maxx, double maxy) {
    gdalmcp::geometry g;
    g.bbox = {minx, miny, maxx, maxy};
    return g;
}

gdalmcp::geometry geojson(std::string text) {
    gdalmcp::geometry g;
    g.geojson = std::move(text);
    return g;
}

gdalmcp::geometry square(const std::string& extra = "") {
    return geojson(R"({"type":"Polygon",)" + extra +
                   R"("coordinates":[[[15.1,36.2],[15.9,36.2],[15.9,36.9],[15.1,36.9],[15.1,36.2]]]})");
}

std::string extent(const sdk::placed_geometry& p) {
    OGREnvelope b;
    p.shape->getEnvelope(&b);
    return sdk::box_text(b);
}

const std::optional<gdalmcp::crs> none;

}  // namespace

TEST_CASE("a box is in the dataset's CRS by default") {
    const auto p = place_geometry(box(500000, 4000000, 510000, 4010000), none, utm());
    CHECK(extent(p) == "[500000,4000000,510000,4010000]");
    CHECK(sdk::crs_text(p.given_crs) == "EPSG:32633");
}

TEST_CASE("GeoJSON is in OGC:CRS84 by default and is brought to the dataset's CRS") {
    const auto p = place_geometry(square(), none, utm());
    CHECK(sdk::crs_text(p.given_crs) == "OGC:CRS84");
    OGREnvelope b;
    p.shape->getEnvelope(&b);
    // cs2cs: 15.1 36.2 and 15.9 36.9 in UTM 33N
    CHECK(b.MinX == Approx(508909).margin(100));
    CHECK(b.MaxY == Approx(4084000).margin(1000));
}

TEST_CASE("edges straight in degrees are bent on the map: a parallel is furthest south at the central meridian") {
    const auto p =
        place_geometry(geojson(R"({"type":"Polygon","coordinates":[[[5,60],[25,60],[25,61],[5,61],[5,60]]]})"), none,
                       frame("EPSG:32633", -100000, 6500000, 1100000, 7000000));
    OGREnvelope b;
    p.shape->getEnvelope(&b);
    const auto south_middle = place_geometry(geojson(R"({"type":"Point","coordinates":[15,60]})"), none, utm());
    OGREnvelope m;
    south_middle.shape->getEnvelope(&m);
    CHECK(b.MinY == Approx(m.MinY).margin(0.01));
}

TEST_CASE("a Feature is unwrapped, z is dropped, a FeatureCollection is refused") {
    const auto p = place_geometry(
        geojson(R"({"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[15,36,7]}})"), none,
        world());
    CHECK(p.shape->getGeometryType() == wkbPoint);
    CHECK(rasters::refusal([] {
              place_geometry(geojson(R"({"type":"FeatureCollection","features":[]})"), none, world());
          }).message.find("FeatureCollection") != std::string::npos);
}

TEST_CASE("a legacy crs member is used and reported; one that contradicts geometry_crs is refused") {
    const std::string member = R"("crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4258"}},)";
    const auto p = place_geometry(square(member), none, utm());
    CHECK(sdk::crs_text(p.given_crs) == "EPSG:4258");
    REQUIRE(p.said.size() == 1);
    CHECK(p.said[0].find("EPSG::4258") != std::string::npos);
    CHECK(rasters::refusal([&] {
              place_geometry(square(member), gdalmcp::crs{"EPSG:4326"}, utm());
          }).message.find("4258") != std::string::npos);
}

TEST_CASE("a box in degrees on a projected dataset is refused with the corrected call") {
    const auto e = rasters::refusal([] { place_geometry(box(15, 36, 16, 37), none, utm()); });
    CHECK(e.status == GDALMCP_INVALID_ARGUMENT);
    CHECK(e.hint.find(R"("geometry": [15,36,16,37], "geometry_crs": "OGC:CRS84")") != std::string::npos);
    CHECK_NOTHROW(place_geometry(box(15, 36.2, 16, 36.9), gdalmcp::crs{"OGC:CRS84"}, utm()));
}

TEST_CASE("a dataset whose own coordinates are small takes small boxes") {
    CHECK(extent(place_geometry(box(1, 1, 2, 2), none, frame("EPSG:32633", 0, 0, 40, 30))) == "[1,1,2,2]");
}

TEST_CASE("GeoJSON outside longitude and latitude is refused with the corrected call") {
    const auto e = rasters::refusal(
        [] { place_geometry(geojson(R"({"type":"Point","coordinates":[500000,4000000]})"), none, utm()); });
    CHECK(e.hint.find(R"("geometry_crs": "EPSG:32633")") != std::string::npos);
}

TEST_CASE("swapped axes that leave the latitudes are refused") {
    CHECK(rasters::refusal([] {
              place_geometry(box(36, 150, 37, 160), gdalmcp::crs{"EPSG:4326"}, utm());
          }).hint.find("longitude before latitude") != std::string::npos);
}

TEST_CASE("minx > maxx crosses the antimeridian in a geographic CRS and is an error elsewhere") {
    const auto p = place_geometry(box(170, -20, -170, -10), none, world());
    CHECK(wkbFlatten(p.shape->getGeometryType()) == wkbMultiPolygon);
    CHECK(*sdk::ellipsoidal_area(*p.shape, world().crs) ==
          Approx(*sdk::ellipsoidal_area(*place_geometry(box(0, -20, 20, -10), none, world()).shape, world().crs)));
    CHECK(rasters::refusal([] {
              place_geometry(box(510000, 4000000, 500000, 4010000), none, utm());
          }).hint.find("[500000,4000000,510000,4010000]") != std::string::npos);
}

TEST_CASE("over the antimeridian onto a UTM zone the two halves are one piece again") {
    const auto p = place_geometry(box(178, -20, -178, -10), gdalmcp::crs{"OGC:CRS84"},
                                  frame("EPSG:32760", 300000, 7000000, 1100000, 9000000));
    CHECK(wkbFlatten(p.shape->getGeometryType()) == wkbPolygon);
}

TEST_CASE("a grid of 0 to 360 degrees finds western longitudes") {
    const auto p = place_geometry(box(-20, 0, -10, 10), none, frame("EPSG:4326", 0, -90, 360, 90));
    CHECK(extent(p) == "[340,0,350,10]");
}

TEST_CASE("a box over the end of a grid is one area, wherever the grid begins") {
    struct seam {
        OGREnvelope grid;
        std::array<double, 4> box;
        double area;  // square degrees
    };
    const auto [extent, given, area] =
        GENERATE(values<seam>({{frame("EPSG:4326", 0, -90, 360, 90).extent, {-20, 0, 20, 10}, 400},
                               {frame("EPSG:4326", 170, -20, 190, -10).extent, {175, -18, -175, -14}, 40},
                               {frame("EPSG:4326", -190, -20, -170, -10).extent, {175, -18, -175, -14}, 40},
                               {frame("EPSG:4326", 170, -20, 190, -10).extent, {100, -18, -160, -14}, 400}}));
    sdk::frame on{*sdk::parse_crs("EPSG:4326"), extent};
    const auto p = place_geometry(box(given[0], given[1], given[2], given[3]), none, on);
    CHECK(OGR_G_Area(OGRGeometry::ToHandle(p.shape.get())) == Approx(area));
}

TEST_CASE("a dataset whose coordinates cannot be degrees is reported as having a wrong CRS") {
    const auto e = rasters::refusal([] {
        place_geometry(box(410000, 5010000, 420000, 5020000), none,
                       frame("EPSG:4326", 400000, 5000000, 500000, 5100000));
    });
    CHECK(e.message.find("cannot be degrees of EPSG:4326") != std::string::npos);
    CHECK(e.hint.find("src_crs") != std::string::npos);
}

TEST_CASE("a box on a site grid is in its coordinates, small as they are") {
    sdk::frame site{*sdk::parse_crs("LOCAL_CS[\"site\",UNIT[\"metre\",1]]"), {}};
    site.extent.Merge(0, 0);
    site.extent.Merge(1000, 1000);
    CHECK(extent(place_geometry(box(15, 43.75, 35, 75), none, site)) == "[15,43.75,35,75]");
}

TEST_CASE("a sliver that collapses on the map costs nothing of the shape") {
    // Two vertices of the hole are 7e-15 degrees apart, which metres do not tell apart.
    const auto p = place_geometry(
        geojson(R"({"type":"Polygon","coordinates":[[[14.5,60.2],[15.5,60.2],[15.5,60.8],[14.5,60.8],[14.5,60.2]],)"
                R"([[15,60.5],[15.0001,60.5001],[15,60.50000000000001],[15,60.5]]]})"),
        none, frame("EPSG:32633", 450000, 6650000, 550000, 6800000));
    CHECK(wkbFlatten(p.shape->getGeometryType()) == wkbPolygon);
    CHECK(p.shape->IsValid());
    const auto& polygon = *p.shape->toPolygon();
    CHECK(polygon.get_Area() == Approx(polygon.getExteriorRing()->get_Area()).epsilon(1e-12));
}

TEST_CASE("a bow-tie is refused with GEOS' reason and place") {
    const auto e = rasters::refusal([] {
        place_geometry(geojson(R"({"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]})"), none, world());
    });
    CHECK(e.message.find("Self-intersection at or near point 0.5 0.5") != std::string::npos);
    CHECK(CPLGetLastErrorType() != CE_Failure);
}

TEST_CASE("empty, unclosed and unknown geometries are refused") {
    const auto message = [](const char* text) {
        return rasters::refusal([&] { place_geometry(geojson(text), none, world()); }).message;
    };
    CHECK(message(R"({"type":"Polygon","coordinates":[]})").find("empty") != std::string::npos);
    CHECK(message(R"({"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0]]]})").find("closed") != std::string::npos);
    CHECK(message(R"({"type":"Feature","geometry":null})").find("without a geometry") != std::string::npos);
    CHECK(message(R"({"type":"Oval"})").find("Oval") != std::string::npos);
    CHECK(message("{").find("not JSON") != std::string::npos);
    CHECK(rasters::refusal([] { place_geometry(box(1, 1, 1, 2), none, world()); }).message.find("no area") !=
          std::string::npos);
}

TEST_CASE("without a CRS only boxes in the dataset's own coordinates can be placed") {
    CHECK(extent(place_geometry(box(0, 0, 10, 10), none, frame("", 0, 0, 20, 20))) == "[0,0,10,10]");
    CHECK_THROWS_AS(place_geometry(square(), none, frame("", 0, 0, 20, 20)), gdalmcp::error);
    CHECK_THROWS_AS(place_geometry(box(0, 0, 10, 10), gdalmcp::crs{"EPSG:4326"}, frame("", 0, 0, 20, 20)),
                    gdalmcp::error);
}

TEST_CASE("a box around the world on a UTM dataset is cut to the dataset first, with a note") {
    const auto p = place_geometry(box(-180, -90, 180, 90), gdalmcp::crs{"OGC:CRS84"}, utm());
    REQUIRE(p.warnings.size() == 1);
    CHECK(p.warnings[0].find("cut") != std::string::npos);
    OGREnvelope b;
    p.shape->getEnvelope(&b);
    CHECK(b.Contains(utm().extent));
}

TEST_CASE("placing without a known datum shift gives a warning") {
    const auto p = place_geometry(box(-81, 35, -80, 36), gdalmcp::crs{"+proj=longlat +ellps=bessel"}, world());
    REQUIRE(p.warnings.size() == 1);
    CHECK(p.warnings[0].find("datum shift") != std::string::npos);
}

TEST_CASE("the extent of data on another datum is the one that GDAL's TransformBounds() finds") {
    struct place {
        const char* crs;
        OGREnvelope box;
    };
    const auto at = [](double x0, double y0, double x1, double y1) {
        OGREnvelope e;
        e.Merge(x0, y0);
        e.Merge(x1, y1);
        return e;
    };
    const auto [crs, extent] = GENERATE_COPY(values<place>({{"EPSG:4267", at(-84, 33, -75, 36)},
                                                            {"EPSG:4267", at(-179.9, 51, -130, 71)},
                                                            {"EPSG:4301", at(130, 31, 142, 41)},
                                                            {"EPSG:4807", at(2, 48, 7, 54)},
                                                            {"EPSG:4277", at(-5, 50, 1, 58)}}));
    CAPTURE(crs);
    const auto srs = *sdk::parse_crs(crs);
    const auto b = sdk::wgs84_bounds(extent, srs);
    REQUIRE(b);
    std::array<double, 4> o{};
    REQUIRE(sdk::to_wgs84(srs)->TransformBounds(extent.MinX, extent.MinY, extent.MaxX, extent.MaxY, &o[0], &o[1], &o[2],
                                                &o[3], 21));
    for (std::size_t i = 0; i < 4; ++i) CHECK((*b)[i] == Approx(o[i]).margin(1e-9));
}

TEST_CASE("an extent larger than the map of the Earth is that of the places on it") {
    struct world {
        const char *crs, *name;
        std::array<double, 4> box, expected;
        double tolerance;
    };
    const auto w = GENERATE(values<world>(
        {{"ESRI:54009", "Mollweide", {-18041000, -9000000, 18041000, 9000000}, {-180, -89.09, 180, 89.09}, 0.5},
         {"+proj=sinu +R=6371007.181 +units=m",
          "sinusoidal tile at the edge",
          {-20015109.354, 0, -18903158.834, 1111950.52},
          {-180, 0, -170, 10},
          0.1},
         {"+proj=geos +h=35785831 +lon_0=0 +ellps=WGS84",
          "full disk",
          {-5570000, -5570000, 5570000, 5570000},
          {-81.3, -81.3, 81.3, 81.3},
          1.0}}));
    CAPTURE(w.name);
    OGREnvelope e;
    e.Merge(w.box[0], w.box[1]);
    e.Merge(w.box[2], w.box[3]);
    const auto b = sdk::wgs84_bounds(e, *sdk::parse_crs(w.crs));
    REQUIRE(b);
    for (std::size_t i = 0; i < 4; ++i) CHECK(std::abs((*b)[i] - w.expected[i]) < w.tolerance);
}

TEST_CASE("a single point in a projected CRS has its place, as has a small box") {
    struct point {
        const char* crs;
        double x, y, longitude, latitude;
    };
    const auto p = GENERATE(values<point>({{"EPSG:27700", 530000, 180000, -0.1287, 51.5039},
                                           {"EPSG:2154", 700000, 6600000, 3, 46.5},
                                           {"EPSG:2056", 2600000, 1200000, 7.4386, 46.9511},
                                           {"EPSG:31467", 3500000, 5500000, 9, 49.637},
                                           {"EPSG:2263", 1000000, 200000, -73.9462, 40.7156},  // in feet
                                           {"EPSG:3857", 1113194.9, 0, 10, 0}}));
    CAPTURE(p.crs);
    for (const double side : {0, 400}) {
        OGREnvelope e;
        e.Merge(p.x, p.y);
        e.Merge(p.x + side, p.y + side);
        const auto b = sdk::wgs84_bounds(e, *sdk::parse_crs(p.crs));
        REQUIRE(b);
        for (const std::size_t i : {0, 2}) CHECK(std::abs((*b)[i] - p.longitude) < 0.01);
        for (const std::size_t i : {1, 3}) CHECK(std::abs((*b)[i] - p.latitude) < 0.01);
    }
}

TEST_CASE("longitudes of any turn become those of WGS 84; coordinates that cannot be degrees have none") {
    struct turn {
        std::array<double, 4> box;
        std::optional<std::array<double, 4>> expected;
    };
    const auto [given, expected] = GENERATE(values<turn>({
        {{0, -90, 360, 90}, std::array<double, 4>{-180, -90, 180, 90}},
        {{170, -20, 190, -10}, std::array<double, 4>{170, -20, -170, -10}},
        {{-190, -20, -170, -10}, std::array<double, 4>{170, -20, -170, -10}},
        {{-180.5, -90.5, 179.5, 90.5}, std::array<double, 4>{-180, -90, 180, 90}},  // cell centres on the poles
        {{200, 0, 210, 5}, std::array<double, 4>{-160, 0, -150, 5}},
        {{170, 0, 180, 5}, std::array<double, 4>{170, 0, 180, 5}},
        {{400000, 5000000, 500000, 5100000}, std::nullopt},
        {{10, 100, 11, 101}, std::nullopt},
    }));
    OGREnvelope e;
    e.Merge(given[0], given[1]);
    e.Merge(given[2], given[3]);
    CHECK(sdk::wgs84_bounds(e, *sdk::parse_crs("EPSG:4326")) == expected);
}

TEST_CASE("data outside the area of use of their CRS are reported, with both boxes") {
    CHECK(sdk::misplaced(utm().extent, utm().crs).empty());
    const auto web = frame("EPSG:32633", 4900000, 6100000, 5000000, 6200000);
    const auto said = sdk::misplaced(web.extent, web.crs);
    CHECK(said.find("outside the area of use of EPSG:32633, [12,0,18,84]") != std::string::npos);
    const auto degrees = frame("EPSG:32633", 15, 44, 16, 45);  // read as metres they lie 1.5 degrees beside it
    CHECK(sdk::misplaced(degrees.extent, degrees.crs).find("outside the area of use") != std::string::npos);
    // Kirkenes, in the CRS of all of Norway; Swellendam, in that of the zone beside.
    for (const auto& beside : {frame("EPSG:25833", 1080000, 7780000, 1090000, 7790000),
                               frame("EPSG:32733", 967000, 6230000, 990000, 6250000)})
        CHECK(sdk::misplaced(beside.extent, beside.crs).empty());
    const auto fiji = frame("EPSG:3460", 1800000, 3500000, 2200000, 4200000);
    CHECK(sdk::misplaced(fiji.extent, fiji.crs).empty());  // on both sides of the antimeridian
}

TEST_CASE("an extent is reported in its own CRS and in WGS 84") {
    const auto f = utm();
    const auto b = sdk::wgs84_bounds(f.extent, f.crs);
    REQUIRE(b);
    CHECK((*b)[0] == Approx(15));  // the central meridian of zone 33
    CHECK(sdk::extent_text(f.extent, f.crs).find("[500000,4000000,600000,4100000] in EPSG:32633, [15,") == 0);
    CHECK_FALSE(sdk::wgs84_bounds(f.extent, OGRSpatialReference{}));
}
