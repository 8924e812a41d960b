#include <aggregation/gdal_areas.hpp>
#include <gdalmcp/gdal_geometry.hpp>

#include "catch.hpp"

#include <cmath>

using namespace gdalmcp_aggregation;

namespace {

OGRSpatialReference crs(const char* text) {
    OGRSpatialReference srs;
    REQUIRE(srs.SetFromUserInput(text) == OGRERR_NONE);
    srs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    return srs;
}

}  // namespace

TEST_CASE("areas of small and of large zones are those of edges split until nothing changes") {
    for (const char* name : {"EPSG:4326", "EPSG:32633", "EPSG:3857"}) {
        CAPTURE(name);
        const bool degrees = std::string{name} == "EPSG:4326";
        const double x = degrees ? 16 : 560000, y = degrees ? 60 : 6650000;
        zone_areas areas{crs(name)};
        for (const double side : {100.0, 20000.0, 900000.0}) {
            const double s = degrees ? side / 111000 : side;
            OGRGeometry* read = nullptr;
            const auto at = [&](double dx, double dy) {
                return std::to_string(x + dx * s) + " " + std::to_string(y + dy * s);
            };
            const std::string wkt =
                "POLYGON((" + at(0, 0) + "," + at(1, 0.1) + "," + at(0.3, 0.9) + "," + at(0, 0) + "))";
            REQUIRE(OGRGeometryFactory::createFromWkt(wkt.c_str(), nullptr, &read) == OGRERR_NONE);
            const gdalmcp::gdal::geometry_ptr shape{read}, fine{read->clone()};
            fine->segmentize(s / 512);
            // Split as finely as that, the SDK's area is good to 1e-9.
            CHECK(*areas.of(*shape) == Approx(*gdalmcp::gdal::ellipsoidal_area(*fine, crs(name))).epsilon(1e-6));
        }
    }
    CHECK_FALSE(zone_areas{OGRSpatialReference{}}.of(*gdalmcp::gdal::detail::rectangle(0, 0, 1, 1)));
}
