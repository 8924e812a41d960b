#include <raster/distortion.hpp>

#include <cmath>

#include "catch.hpp"

#include <raster/gdal_map_scale.hpp>

using namespace gdalmcp_raster;
namespace sdk = gdalmcp::gdal;

namespace {

constexpr double degree = 3.14159265358979323846 / 180, wgs84_e2 = 0.00669437999014;
const gdalmcp::ellipsoid wgs84{6378137, 298.257223563};

indicatrix scale_at(const char* crs, double longitude, double latitude) {
    const auto srs = sdk::parse_crs(crs);
    REQUIRE(srs);
    const auto scale = map_scale::of(*srs);
    REQUIRE(scale);
    const auto at = scale->at(longitude, latitude);
    REQUIRE(at);
    return *at;
}

// Length scale of Mercator at a latitude: the equator's radius over that of the parallel (Snyder 1987, eq. 7-8).
double mercator_scale(double latitude) {
    const double s = std::sin(latitude * degree);
    return std::sqrt(1 - wgs84_e2 * s * s) / std::cos(latitude * degree);
}

// Areal scale of an equal-area map of a sphere: its radius squared over the product of the ellipsoid's radii of
// curvature.
double of_sphere(double radius, double latitude) {
    const double phi = latitude * degree;
    return radius * radius * std::cos(phi) / (wgs84.parallel_radius(phi) * wgs84.meridian_radius(phi));
}

}  // namespace

TEST_CASE("twice as long and half as wide keeps the area and turns angles by 73.74 degrees") {
    const indicatrix stretched{2.0, 0.5};
    CHECK(stretched.areal() == 1);
    CHECK(stretched.angular_degrees() == Approx(2 * std::asin(0.6) / degree));
    CHECK(indicatrix{3, 3}.angular_degrees() == 0);
}

TEST_CASE("factors that are not finite, not positive or too large are no scale") {
    CHECK_FALSE(indicatrix_of(NAN, 1));
    CHECK_FALSE(indicatrix_of(INFINITY, 1));
    CHECK_FALSE(indicatrix_of(1, 0));
    CHECK_FALSE(indicatrix_of(1, -1));
    CHECK_FALSE(indicatrix_of(0.9, 1));
    CHECK_FALSE(indicatrix_of(2e7, 2e7));
    CHECK(indicatrix_of(1.5, 1));
}

TEST_CASE("a region's distortion is the weighted mean and the extremes of its points") {
    const auto d = summarise({indicatrix{2, 1}, std::nullopt, indicatrix{1, 0.5}}, {1, 5, 3});
    CHECK(d.areal_mean == Approx((1 * 2 + 3 * 0.5) / 4));
    CHECK(d.areal_min == 0.5);
    CHECK(d.areal_max == 2);
    CHECK(d.shortest == 0.5);
    CHECK(d.longest == 2);
    CHECK(d.angular_max == Approx(2 * std::asin(1.0 / 3) / degree));
    CHECK(d.points == 2);
    CHECK(d.undefined == 1);
    CHECK(summarise({std::nullopt}, {1}).points == 0);
}

TEST_CASE("the points integrate: five of them a cubic exactly, many of them what grows without limit") {
    const auto integral = [](const nodes& n, auto f) {
        double sum = 0;
        for (std::size_t i = 0; i < n.at.size(); ++i)
            if (n.weights[i] > 0) sum += n.weights[i] * f(n.at[i]);
        return sum;
    };
    CHECK(integral(simpson_nodes(), [](double x) { return 1 + x * x * x; }) == Approx(1.25));
    CHECK(midpoint_nodes(2).at == std::vector{0.0, 0.25, 0.75, 1.0});
    CHECK(midpoint_nodes(2).weights == std::vector{0.0, 0.5, 0.5, 0.0});
    CHECK(integral(midpoint_nodes(63), [](double x) { return 1 / std::sqrt(x); }) == Approx(2).epsilon(0.04));
}

TEST_CASE("a degree of latitude on WGS 84 is 110 574 m at the equator and 111 694 m at the pole") {
    CHECK(degree_at(0, wgs84).latitude == Approx(110574).margin(1));
    CHECK(degree_at(90, wgs84).latitude == Approx(111694).margin(1));
    CHECK(degree_at(0, wgs84).longitude == Approx(6378137 * degree));
    CHECK(relative_area(60, {6378137, 0}) == Approx(0.5));
}

TEST_CASE("Mercator on the ellipsoid has the scale of its closed form") {
    for (const double latitude : {0.0, 20.0, 37.3, 60.0, -45.0}) {
        const auto at = scale_at("EPSG:3395", 12, latitude);
        CAPTURE(latitude);
        CHECK(at.areal() == Approx(mercator_scale(latitude) * mercator_scale(latitude)).epsilon(1e-6));
        CHECK(at.angular_degrees() < 1e-4);
    }
}

TEST_CASE("Web Mercator shows areas 1.583 times too large at 37.3 degrees north") {
    const auto at = scale_at("EPSG:3857", -113, 37.3);
    CHECK(at.areal() == Approx(1.583).margin(0.0005));
    // A sphere's formula on the ellipsoid's latitude: 1 / cos along the parallel's and the meridian's true radius.
    const double w = std::sqrt(1 - wgs84_e2 * std::pow(std::sin(37.3 * degree), 2)), k = 1 / std::cos(37.3 * degree);
    CHECK(at.areal() == Approx(k * w * k * w * w * w / (1 - wgs84_e2)).epsilon(1e-6));
    CHECK(at.angular_degrees() == Approx(0.2438).margin(0.001));
}

TEST_CASE("UTM has 0.9996 on its central meridian, and an equal-area CRS keeps areas everywhere") {
    CHECK(scale_at("EPSG:32633", 15, 40).longest == Approx(0.9996).epsilon(1e-6));
    for (const double latitude : {0.0, 30.0, 70.0}) {
        CHECK(scale_at("EPSG:6933", 100, latitude).areal() == Approx(1).epsilon(1e-6));
        CHECK(scale_at("+proj=laea +lat_0=50 +lon_0=90", 100, latitude).areal() == Approx(1).epsilon(1e-6));
    }
}

TEST_CASE("axis order, feet, grads, Paris and a vertical component do not change the scale") {
    CHECK(scale_at("EPSG:3006", 15, 60).areal() == Approx(0.9992).margin(1e-4));              // north first
    CHECK(scale_at("EPSG:2180", 19, 52).areal() == Approx(0.9993 * 0.9993).margin(1e-5));     // north first
    CHECK(scale_at("EPSG:2193", 173, -41).areal() == Approx(0.9996 * 0.9996).margin(1e-5));   // north first
    CHECK(scale_at("EPSG:2264", -79, 35.3).areal() == Approx(0.99975).margin(2e-4));          // US survey feet
    CHECK(scale_at("EPSG:27572", 2.3372, 46.8).longest == Approx(0.99987742).epsilon(1e-6));  // grads from Paris
    CHECK(scale_at("EPSG:5972", 9, 60).longest == Approx(0.9996).epsilon(1e-6));              // UTM 32N + height
    CHECK(scale_at("+proj=utm +zone=33 +datum=WGS84 +towgs84=1,2,3", 15, 40).longest == Approx(0.9996).epsilon(1e-6));
}

TEST_CASE("a geographic CRS has no scale, and neither has the pole of Mercator") {
    CHECK_FALSE(map_scale::of(*sdk::parse_crs("EPSG:4326")));
    const auto mercator = map_scale::of(*sdk::parse_crs("EPSG:3857"));
    REQUIRE(mercator);
    CHECK_FALSE(mercator->at(10, 90));
}

TEST_CASE("an equal-area projection keeps areas at a pole, where PROJ's derivatives end") {
    CHECK(scale_at("ESRI:54009", 10, -90).areal() == Approx(of_sphere(6378137, -89.9)).margin(1e-3));  // Mollweide
    CHECK(scale_at("EPSG:6932", 10, -90).areal() == Approx(1).margin(1e-3));  // around the South Pole
}

TEST_CASE("maps of a sphere are measured against the ellipsoid") {
    for (const double latitude : {0.5, 30.5, 60.5, 85.5}) {
        CHECK(scale_at("ESRI:54009", 20, latitude).areal() == Approx(of_sphere(6378137, latitude)).epsilon(1e-5));
        CHECK(scale_at("+proj=cea +lat_ts=30 +R=6371228 +units=m +type=crs", 20, latitude).areal() ==
              Approx(of_sphere(6371228, latitude)).epsilon(1e-5));
        CHECK(scale_at("+proj=sinu +R=6371007.181 +units=m +type=crs", 20, latitude).areal() ==
              Approx(of_sphere(6371007.181, latitude)).epsilon(1e-5));
        CHECK(scale_at("EPSG:8857", 20, latitude).areal() == Approx(1).epsilon(1e-5));
        CHECK(scale_at("EPSG:6933", 20, latitude).areal() == Approx(1).epsilon(1e-5));
    }
}

TEST_CASE("on a cut of an interrupted map the scale is that beside it, not the gap's") {
    for (const double longitude : {-180.0, -100.0, -40.0, 0.0, 20.0, 80.0, 180.0})
        for (const double latitude : {-60.0, -45.0, 45.0, 60.0})
            CHECK(scale_at("ESRI:54052", longitude, latitude).areal() ==
                  Approx(of_sphere(6378137, latitude)).epsilon(1e-3));  // Goode's homolosine
}

TEST_CASE("an extent lies inside, partly in or outside an area of use") {
    const std::array<double, 4> zone_33{12, 0, 18, 84};
    CHECK(covers(zone_33, {13, 40, 17, 50}) == coverage::inside);
    CHECK(covers(zone_33, {11.995, 40, 17, 50}) == coverage::inside);  // as far as areas are written down
    CHECK(covers(zone_33, {11, 40, 17, 50}) == coverage::partly);
    CHECK(covers(zone_33, {13, -1, 17, 50}) == coverage::partly);
    CHECK(covers(zone_33, {20, 40, 21, 50}) == coverage::outside);
    CHECK(covers(zone_33, {13, -20, 17, -10}) == coverage::outside);
    CHECK(covers(zone_33, {15, 40, 15, 40}) == coverage::inside);  // a point
}

TEST_CASE("areas of use and extents may cross the antimeridian") {
    const std::array<double, 4> new_zealand{160.6, -55.95, -171.2, -25.88}, world{-180, -85.06, 180, 85.06};
    CHECK(covers(new_zealand, {166, -47, 179, -34}) == coverage::inside);
    CHECK(covers(new_zealand, {170, -47, -175, -34}) == coverage::inside);
    CHECK(covers(new_zealand, {170, -47, -160, -34}) == coverage::partly);
    CHECK(covers(new_zealand, {-100, -47, -90, -34}) == coverage::outside);
    CHECK(covers(world, {170, -47, -175, -34}) == coverage::inside);
    CHECK(covers(world, {0, -80, 360, 80}) == coverage::inside);
    CHECK(covers(world, {-180, -90, 180, 90}) == coverage::partly);
    CHECK(covers({12, 0, 18, 84}, {-180, -90, 180, 90}) == coverage::partly);
}

TEST_CASE("the registry's area of use is read, and a PROJ string has none") {
    const auto use = area_of_use_of(*sdk::parse_crs("EPSG:32633"));
    REQUIRE(use);
    CHECK(use->box == std::array<double, 4>{12, 0, 18, 84});
    CHECK_FALSE(area_of_use_of(*sdk::parse_crs("+proj=robin")));
}

TEST_CASE("the greatest departure from the truth is that of areas or of lengths, larger or smaller") {
    const auto of = [](const std::vector<std::optional<indicatrix>>& at) {
        return greatest_departure(summarise(at, std::vector<double>(at.size(), 1.0)));
    };
    CHECK(of({indicatrix{1, 1}}) == 0);
    CHECK(of({indicatrix{2, 0.5}}) == Approx(1));                            // equal-area, lengths doubled
    CHECK(of({indicatrix{0.9996, 0.9996}}) == Approx(1 - 0.9996 * 0.9996));  // on the central meridian of UTM
    CHECK(of({indicatrix{1, 1}, indicatrix{1.1, 1.1}}) == Approx(0.21));
}
