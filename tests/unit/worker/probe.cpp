#include "worker/probe.hpp"

#include "catch.hpp"

#include "../raster/rasters.hpp"

using namespace gdalmcp;
namespace sdk = gdalmcp::gdal;
using rasters::matrix;

namespace {

base::json::object probed(const std::string& path, const char* role = "input-any") {
    GDALAllRegister();
    return worker::probe({"/uri", path, path, role}).value();
}

double at(const base::json::object& o, const char* member, std::size_t i) {
    return o.at(member).at(i).to_number<double>();
}

matrix slope(int columns, int rows, double first) {
    matrix m;
    for (int r = 0; r < rows; ++r) {
        m.emplace_back();
        for (int c = 0; c < columns; ++c) m.back().push_back(first + r + c);
    }
    return m;
}

std::string data(const std::string& name) {
    const char* folder = std::getenv("GDAL_MCP_TEST_DATA");
    const auto path = std::string{folder ? folder : ""} + "/" + name;
    return folder && std::filesystem::exists(path) ? path : std::string{};
}

}  // namespace

TEST_CASE("cells of Web Mercator are smaller on the ground than in the projection, by the cosine of the latitude") {
    const rasters::folder f;
    // 4 x 4 cells of 100 m around 60° N, where y = R ln tan(75°).
    const double y = 6378137 * std::log(std::tan(75 * M_PI / 180));
    rasters::make({slope(4, 4, 1)},
                  {.crs = "EPSG:3857", .geotransform = {-200, 100, 0, y + 200, 0, -100}, .path = f / "a.tif"});
    const auto facts = probed(f / "a.tif");
    // Radii of curvature of the ellipsoid at 60° N over the sphere's: 6394209 m along the parallel, 6383454 m along the
    // meridian; a = 6378137 m, e² = 0.00669438.
    CHECK(at(facts, "cell_m", 0) == Approx(100 * 0.5 * 6394209 / 6378137).epsilon(1e-5));
    CHECK(at(facts, "cell_m", 1) == Approx(100 * 0.5 * 6383454 / 6378137).epsilon(1e-5));
    CHECK(at(facts, "pixel_size", 0) == 100);
}

TEST_CASE("cells of a geographic grid are measured on the ellipsoid") {
    const rasters::folder f;
    rasters::make({slope(2, 2, 1)}, {.crs = "EPSG:4326", .geotransform = {10, 1, 0, 1, 0, -1}, .path = f / "a.tif"});
    const auto facts = probed(f / "a.tif");
    CHECK(at(facts, "cell_m", 0) == Approx(111319.49).epsilon(1e-6));  // a degree of the equator
    CHECK(at(facts, "cell_m", 1) == Approx(110574.28).epsilon(1e-6));  // and of the meridian there
    CHECK(base::canonical_json(facts.at("bounds_wgs84")) == "[10,-1,12,1]");
}

TEST_CASE("feet are feet, and the ground is in metres") {
    const rasters::folder f;
    rasters::make({slope(2, 2, 1)},
                  {.crs = "EPSG:2264", .geotransform = {2000000, 10, 0, 700000, 0, -10}, .path = f / "a.tif"});
    const auto facts = probed(f / "a.tif");
    CHECK(facts.at("crs").at("unit_m").to_number<double>() == Approx(0.3048006096));
    CHECK(at(facts, "cell_m", 0) == Approx(3.048).epsilon(1e-3));
}

TEST_CASE("bounds in degrees follow the curved edge, not the corners") {
    const rasters::folder f;
    // UTM 33N from 12° to 18° E at 60° N is widest in the middle: its northern edge reaches farther north there.
    rasters::make({slope(2, 2, 1)}, {.geotransform = {330000, 170000, 0, 6660000, 0, -10000}, .path = f / "a.tif"});
    const auto facts = probed(f / "a.tif");
    OGRSpatialReference utm = *sdk::parse_crs("EPSG:32633"), degrees = *sdk::parse_crs("EPSG:4326");
    const std::unique_ptr<OGRCoordinateTransformation> t{OGRCreateCoordinateTransformation(&utm, &degrees)};
    double corner[2] = {330000, 6660000}, middle[2] = {500000, 6660000};
    REQUIRE(t->Transform(1, &corner[0], &corner[1]));
    REQUIRE(t->Transform(1, &middle[0], &middle[1]));
    REQUIRE(middle[1] > corner[1] + 0.01);
    CHECK(at(facts, "bounds_wgs84", 3) == Approx(middle[1]).margin(1e-6));
}

TEST_CASE("a raster without CRS has no place on the Earth") {
    const rasters::folder f;
    rasters::make({slope(2, 2, 1)}, {.crs = "", .path = f / "a.tif"});
    const auto facts = probed(f / "a.tif");
    CHECK_FALSE(facts.contains("bounds_wgs84"));
    CHECK_FALSE(facts.contains("cell_m"));
    CHECK(facts.at("crs").at("kind") == "none");
}

TEST_CASE("every band has its kind, and the dataset that of the first") {
    const rasters::folder f;
    {
        const auto d = rasters::make({slope(3, 3, 1), slope(3, 3, 1)}, {.path = f / "a.tif"});
        d->GetRasterBand(1)->SetUnitType("degrees");
        d->GetRasterBand(2)->SetUnitType("%");
    }
    const auto facts = probed(f / "a.tif");
    CHECK(facts.at("kind") == "angle");
    CHECK(facts.at("kind_certain") == true);
    CHECK(facts.at("kind_why") == "its unit is 'degrees'");
    CHECK(facts.at("bands").at(1).at("kind") == "ratio");
}

TEST_CASE("a vertical CRS makes heights of whole numbers") {
    const rasters::folder f;
    rasters::make(
        {slope(3, 3, 1)},
        {.type = GDT_Int16, .crs = "EPSG:7415", .geotransform = {100000, 10, 0, 400000, 0, -10}, .path = f / "a.tif"});
    const auto facts = probed(f / "a.tif");
    CHECK(facts.at("kind") == "elevation");
    CHECK(facts.at("crs").at("vertical") == "NAP height");
}

TEST_CASE("red, green and blue bytes are imagery, a transparent band of them too") {
    const rasters::folder f;
    {
        const auto d = rasters::make({slope(3, 3, 1), slope(3, 3, 2), slope(3, 3, 3), slope(3, 3, 4)},
                                     {.type = GDT_Byte, .path = f / "a.tif"});
        int band = 1;
        for (const auto c : {GCI_RedBand, GCI_GreenBand, GCI_BlueBand, GCI_AlphaBand})
            d->GetRasterBand(band++)->SetColorInterpretation(c);
    }
    const auto facts = probed(f / "a.tif");
    CHECK(facts.at("kind") == "imagery");
    CHECK(facts.at("kind_certain") == true);
}

TEST_CASE("declared nodata is counted, undeclared nodata is suspected") {
    const rasters::folder f;
    auto cells = slope(10, 10, 500);
    for (int i = 0; i < 10; ++i) cells[0][static_cast<std::size_t>(i)] = -9999;
    rasters::make({cells}, {.type = GDT_Float32, .nodata = -9999, .path = f / "declared.tif"});
    rasters::make({cells}, {.type = GDT_Float32, .path = f / "undeclared.tif"});
    const auto declared = probed(f / "declared.tif").at("bands").at(0).as_object();
    CHECK(declared.at("nodata_share").to_number<double>() == Approx(0.1));
    CHECK_FALSE(declared.contains("nodata_suspected"));
    const auto undeclared = probed(f / "undeclared.tif").at("bands").at(0).as_object();
    CHECK_FALSE(undeclared.contains("nodata_share"));
    CHECK(undeclared.at("nodata_suspected").at("value").to_number<double>() == -9999);
    CHECK(undeclared.at("nodata_suspected").at("share").to_number<double>() == Approx(0.1));
}

TEST_CASE("a second mark beside a declared nodata value is suspected, the ends of a picture are not") {
    const rasters::folder f;
    for (const auto& [mark, suspected] : {std::pair{-999.0, true}, {9999.0, true}, {0.0, false}, {255.0, false}}) {
        auto cells = slope(10, 10, 500);
        for (std::size_t i = 0; i < 10; ++i) cells[0][i] = mark, cells[1][i] = -99;
        rasters::make({cells}, {.type = GDT_Float32, .nodata = -99, .path = f / "a.tif"});
        CHECK(probed(f / "a.tif").at("bands").at(0).as_object().contains("nodata_suspected") == suspected);
    }
}

TEST_CASE("NaN and infinite nodata count as declared") {
    const rasters::folder f;
    auto cells = slope(10, 10, 500);
    cells[0][0] = NAN;
    rasters::make({cells}, {.type = GDT_Float32, .nodata = NAN, .path = f / "a.tif"});
    const auto band = probed(f / "a.tif").at("bands").at(0).as_object();
    CHECK(band.at("nodata") == "nan");
    CHECK(band.at("nodata_share").to_number<double>() == Approx(0.01));
}

TEST_CASE("unreadable cells leave the kind unknown, with the reason") {
    const rasters::folder f;
    rasters::make({slope(300, 300, 1)}, {.type = GDT_Int16, .path = f / "a.tif"});
    std::filesystem::resize_file(f / "a.tif", std::filesystem::file_size(f / "a.tif") / 2);
    const auto facts = probed(f / "a.tif");
    CHECK(facts.at("kind") == "unknown");
    CHECK(facts.at("kind_why") == "its cells cannot be read");
}

TEST_CASE("a layer has its number of features and their dimension") {
    const rasters::folder f;
    GDALAllRegister();
    const std::vector<std::pair<std::string, OGRwkbGeometryType>> layers{
        {"points", wkbMultiPoint25D}, {"lines", wkbLineStringM}, {"areas", wkbCurvePolygon}, {"any", wkbUnknown}};
    for (const auto& [name, type] : layers) {
        const sdk::dataset_ptr d{GetGDALDriverManager()->GetDriverByName("GPKG")->Create(
            (f / (name + ".gpkg")).c_str(), 0, 0, 0, GDT_Unknown, nullptr)};
        auto* l = d->CreateLayer(name.c_str(), nullptr, type);
        OGRFeature feature{l->GetLayerDefn()};
        REQUIRE(l->CreateFeature(&feature) == OGRERR_NONE);
    }
    CHECK(probed(f / "points.gpkg").at("dimension") == 0);
    CHECK(probed(f / "lines.gpkg").at("dimension") == 1);
    CHECK(probed(f / "areas.gpkg").at("dimension") == 2);
    CHECK_FALSE(probed(f / "any.gpkg").contains("dimension"));
    CHECK(probed(f / "points.gpkg").at("features") == 1);
}

TEST_CASE("real files have the right kinds") {
    const auto kind = [](const char* name) {
        const auto path = data(name);
        if (path.empty()) {
            WARN("skipped: " << name << " is not in GDAL_MCP_TEST_DATA");
            return std::string{};
        }
        return std::string{probed(path).at("kind").as_string()};
    };
    const std::pair<const char*, const char*> files[] = {{"zion/nlcd.tif", "class"},
                                                         {"landsat8/l8_BQA.tif", "qa_bits"},
                                                         {"landsat8/l8_B4.tif", "unknown"},
                                                         {"dem/mt_rainier_90m.tif", "unknown"},
                                                         {"hydro_eno/enogeo.tif", "continuous"},
                                                         {"olinda/L7_ETMs.tif", "imagery"}};
    for (const auto& [name, expected] : files) {
        const auto found = kind(name);
        INFO(name);
        if (!found.empty()) CHECK(found == expected);
    }
}

TEST_CASE("the zero corners of a reprojected elevation model are suspected nodata") {
    const auto path = data("swellendam/srtm_41_19.tif");
    if (path.empty()) {
        WARN("skipped: no swellendam/srtm_41_19.tif in GDAL_MCP_TEST_DATA");
        return;
    }
    const auto band = probed(path).at("bands").at(0).as_object();
    CHECK(band.at("nodata_suspected").at("value").to_number<double>() == 0);
}
