#include <aggregation/gdal_zones.hpp>

#include "catch.hpp"

#include <gdal_rat.h>
#include <aggregation/coverage.hpp>
#include <cmath>

using namespace gdalmcp_aggregation;

namespace {

// A raster in memory, 4 x 3 cells of 10 units, values 1..12 by row.
struct memory_raster {
    std::string path = "/vsimem/values.tif";

    memory_raster(const char* crs, std::array<double, 6> transform, GDALDataType type = GDT_Float32) {
        GDALAllRegister();
        const gdalmcp::gdal::dataset_ptr file{
            GetGDALDriverManager()->GetDriverByName("GTiff")->Create(path.c_str(), 4, 3, 1, type, nullptr)};
        REQUIRE(file);
        REQUIRE(file->SetGeoTransform(transform.data()) == CE_None);
        if (*crs) {
            OGRSpatialReference srs;
            REQUIRE(srs.SetFromUserInput(crs) == OGRERR_NONE);
            REQUIRE(file->SetSpatialRef(&srs) == CE_None);
        }
        std::array<double, 12> values;
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) + 1;
        auto& band = *file->GetRasterBand(1);
        REQUIRE(band.SetNoDataValue(12) == CE_None);
        REQUIRE(band.RasterIO(GF_Write, 0, 0, 4, 3, values.data(), 4, 3, GDT_Float64, 0, 0) == CE_None);
    }
    ~memory_raster() { VSIUnlink(path.c_str()); }

    value_raster open() const { return value_raster{gdalmcp::raster{path}}; }
};

constexpr std::array<double, 6> utm_grid{500000, 10, 0, 4000030, 0, -10};
constexpr std::array<double, 6> degree_grid{10, 1, 0, 50, 0, -1};

zone_layer zones_of(const std::string& geojson, const value_raster& raster, const zone_layer::options& chosen = {}) {
    return zone_layer{gdalmcp::vector{geojson}, chosen, raster};
}

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const gdalmcp::error& e) {
        return e.message;
    }
    return "";
}

const std::string box_on_degrees = R"({"type":"Polygon","coordinates":[[[11,48],[13,48],[13,49],[11,49],[11,48]]]})";

}  // namespace

TEST_CASE("a block is read with nodata marked") {
    const memory_raster file{"EPSG:32633", utm_grid};
    const auto values = file.open().read(1, {1, 2, 2, 2});
    CHECK(values.value == std::vector<double>{7, 8, 11, 12});
    CHECK(values.valid[0] != 0);
    CHECK(values.valid[3] == 0);
}

TEST_CASE("zones on the raster's own CRS land on its cells") {
    const memory_raster file{"EPSG:4326", degree_grid};
    const auto raster = file.open();
    auto zones = zones_of(box_on_degrees, raster);
    const auto z = zones.next();
    REQUIRE(z);
    CHECK(cover(z->outline, {0, 0, 3, 4}, coverage_rule::fraction) ==
          std::vector<double>{0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0});
    CHECK(zones.id_field() == "FID");
    CHECK(zones.warnings().empty());
    CHECK_FALSE(zones.next());
}

TEST_CASE("a south-up and a rotated raster are covered like any other") {
    const memory_raster south_up{"EPSG:4326", {10, 1, 0, 47, 0, 1}};
    auto z = zones_of(box_on_degrees, south_up.open()).next();
    CHECK(cover(z->outline, {0, 0, 3, 4}, coverage_rule::fraction) ==
          std::vector<double>{0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0});
    const memory_raster turned{"EPSG:4326", {10, 0, 1, 50, -1, 0}};  // columns run south, rows run east
    z = zones_of(box_on_degrees, turned.open()).next();
    CHECK(cover(z->outline, {0, 0, 3, 4}, coverage_rule::fraction) ==
          std::vector<double>{0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0});
}

TEST_CASE("zones in another CRS are transformed, with a note") {
    const memory_raster file{"EPSG:32633", utm_grid};
    const auto raster = file.open();
    // The whole raster lies within a hundredth of a degree of 15 E, 36.14 N.
    auto zones = zones_of(
        R"({"type":"Polygon","coordinates":[[[14.9,36.1],[15.1,36.1],[15.1,36.2],[14.9,36.2],[14.9,36.1]]]})", raster);
    const auto z = zones.next();
    CHECK(cover(z->outline, {0, 0, 3, 4}, coverage_rule::fraction) == std::vector<double>(12, 1.0));
    REQUIRE(zones.warnings().size() == 1);
    CHECK(zones.warnings()[0].find("EPSG:32633") != std::string::npos);
    CHECK(*z->area == Approx(0.2 * 0.1 * 111000 * 111000 * std::cos(0.631)).epsilon(0.01));
}

TEST_CASE("zones that are only counted in cells are placed by their vertices, and may be skipped") {
    const memory_raster file{"EPSG:32633", utm_grid};
    const auto raster = file.open();
    const std::string three = R"({"type":"FeatureCollection","features":[)" + [] {
        std::string all;
        for (const char* x : {"15.00", "15.01", "15.02"})
            all += (all.empty() ? "" : ",") +
                   std::string{R"({"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":[[[)"} +
                   x + ",36],[15.03,36],[15.03,36.01],[" + x + ",36]]]}}";
        return all;
    }() + "]}";
    auto exact = zones_of(three, raster),
         quick = zones_of(three, raster, {.layer = {}, .id_field = {}, .crs = {}, .quick = true});
    exact.skip(1);
    quick.skip(1);
    const auto a = exact.next(), b = quick.next();
    REQUIRE(a);
    REQUIRE(b);
    CHECK(a->id == b->id);
    CHECK(area_of(b->outline) == Approx(area_of(a->outline)).epsilon(1e-4));
    CHECK(a->area);
    CHECK_FALSE(b->area);
    quick.skip(5);
    CHECK_FALSE(quick.next());
}

TEST_CASE("invalid zones are left out, repaired or refused") {
    const memory_raster file{"EPSG:32633", utm_grid};
    const auto raster = file.open();
    // A bow-tie of two triangles, each of 1/4 of a square of 2 x 2 cells, in the CRS of the raster.
    const std::string bow_tie =
        R"({"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":[[[500000,4000000],)"
        R"([500020,4000020],[500020,4000000],[500000,4000020],[500000,4000000]]]}})";
    const auto placed = [&](invalid_zones handling) {
        zone_layer::options o;
        o.crs = gdalmcp::crs{"EPSG:32633"};
        o.invalid = handling;
        auto zones = zones_of(bow_tie, raster, o);
        return std::pair{*zones.next(), zones.warnings()};
    };
    CHECK(placed(invalid_zones::leave_out).first.problem.find("Self-intersection") != std::string::npos);
    const auto [repaired, warnings] = placed(invalid_zones::repair);
    CHECK(repaired.problem.empty());
    CHECK(area_of(repaired.outline) == 2);
    CHECK(repaired.outline.size() == 2);
    REQUIRE_FALSE(warnings.empty());
    CHECK(warnings.back().find("1 zones with invalid outlines were repaired") != std::string::npos);
    CHECK_THROWS_AS(placed(invalid_zones::refuse), gdalmcp::error);
}

TEST_CASE("row areas of a geographic grid are those of the ellipsoid") {
    const memory_raster file{"EPSG:4326", degree_grid};
    const auto areas = file.open().row_areas();
    REQUIRE(areas.size() == 3);
    // One square degree between 49 and 50 N on WGS 84, by Simpson's rule over the meridian in 2000 steps.
    CHECK(areas[0] == Approx(8056245437.271024).epsilon(1e-12));
    CHECK(areas[0] < areas[1]);
    const memory_raster projected{"EPSG:32633", utm_grid};
    CHECK(projected.open().row_areas().empty());
}

TEST_CASE("an invalid outline is named with its place and has no area") {
    const memory_raster file{"EPSG:4326", degree_grid};
    const auto raster = file.open();
    auto zones = zones_of(R"({"type":"Polygon","coordinates":[[[11,48],[13,49],[13,48],[11,49],[11,48]]]})", raster);
    const auto z = zones.next();
    CHECK(z->problem.find("Self-intersection") != std::string::npos);
    CHECK(z->problem.find("12 48.5") != std::string::npos);
    CHECK_FALSE(z->area);
}

TEST_CASE("a point is not a zone, metres are not degrees, and a missing CRS is not guessed") {
    const memory_raster file{"EPSG:4326", degree_grid};
    const auto raster = file.open();
    CHECK(message_of([&] { zones_of(R"({"type":"Point","coordinates":[11,48]})", raster).next(); }).find("POINT") !=
          std::string::npos);
    CHECK(message_of([&] {
              zones_of(R"({"type":"Polygon","coordinates":[[[500000,1],[500001,1],[500001,2],[500000,1]]]})", raster);
          }).find("in degrees") != std::string::npos);
    const memory_raster nowhere{"", utm_grid};
    const auto without_crs = nowhere.open();
    CHECK(message_of([&] { zones_of(box_on_degrees, without_crs); }).find("no CRS") != std::string::npos);
}

TEST_CASE("longitude and latitude are the same CRS whatever their registered order, and are not transformed") {
    const memory_raster file{"EPSG:4326", degree_grid};
    const auto raster = file.open();
    zone_layer::options said;
    said.crs = gdalmcp::crs{"OGC:CRS84"};
    auto zones = zones_of(box_on_degrees, raster, said);
    CHECK(cover(zones.next()->outline, {0, 0, 3, 4}, coverage_rule::fraction) ==
          std::vector<double>{0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0});
    CHECK(zones.warnings().empty());
}

TEST_CASE("zones of a file without a CRS need zones_crs, and the refusal names it") {
    const memory_raster file{"EPSG:32633", utm_grid};
    const auto raster = file.open();
    const std::string path = "/vsimem/nowhere.csv";
    {
        const gdalmcp::gdal::dataset_ptr made{
            GetGDALDriverManager()->GetDriverByName("CSV")->Create(path.c_str(), 0, 0, 0, GDT_Unknown, nullptr)};
        constexpr const char* options[] = {"GEOMETRY=AS_WKT", "CREATE_CSVT=YES", nullptr};
        auto* layer = made->CreateLayer("nowhere", nullptr, wkbPolygon, const_cast<char**>(options));
        REQUIRE(layer);
        OGRFeature feature{layer->GetLayerDefn()};
        feature.SetGeometry(gdalmcp::gdal::detail::rectangle(500010, 4000000, 500020, 4000010).get());
        REQUIRE(layer->CreateFeature(&feature) == OGRERR_NONE);
    }
    try {
        zones_of(path, raster);
        FAIL("a CRS was guessed");
    } catch (const gdalmcp::error& e) {
        CHECK(e.message == "the zones have no CRS and the raster has EPSG:32633");
        CHECK(e.hint.find("zones_crs") != std::string::npos);
    }
    zone_layer::options said;
    said.crs = gdalmcp::crs{"EPSG:32633"};
    CHECK(area_of(zones_of(path, raster, said).next()->outline) == 1);
    for (const char* part : {"/vsimem/nowhere.csv", "/vsimem/nowhere.csvt"}) VSIUnlink(part);
}

TEST_CASE("a zone read again has the outline it had, and geometries are read again from the first") {
    const memory_raster file{"EPSG:32633", utm_grid};
    const auto raster = file.open();
    auto zones = zones_of(
        R"({"type":"Polygon","coordinates":[[[14.9,36.1],[15.1,36.1],[15.1,36.2],[14.9,36.2],[14.9,36.1]]]})", raster);
    const auto z = zones.next();
    REQUIRE(zones.reads_again());
    CHECK(area_of(zones.outline_of(z->fid)) == area_of(z->outline));
    CHECK_FALSE(zones.next());
    zones.rewind();
    REQUIRE(zones.next_geometry());
    CHECK_FALSE(zones.next_geometry());
}

TEST_CASE("classes are named by categories, else by the attribute table") {
    const memory_raster file{"EPSG:32633", utm_grid, GDT_Byte};
    {
        const gdalmcp::gdal::dataset_ptr edit{GDALDataset::Open(file.path.c_str(), GDAL_OF_RASTER | GDAL_OF_UPDATE)};
        GDALDefaultRasterAttributeTable table;
        REQUIRE(table.CreateColumn("code", GFT_Integer, GFU_MinMax) == CE_None);
        REQUIRE(table.CreateColumn("land", GFT_String, GFU_Name) == CE_None);
        table.SetRowCount(2);
        table.SetValue(0, 0, 41);
        table.SetValue(0, 1, "forest");
        table.SetValue(1, 0, 90);
        table.SetValue(1, 1, "wetland");
        REQUIRE(edit->GetRasterBand(1)->SetDefaultRAT(&table) == CE_None);
    }
    const auto names = file.open().class_names(1);
    CHECK(names.of(41) == "forest");
    CHECK(names.of(90) == "wetland");
    {
        const gdalmcp::gdal::dataset_ptr edit{GDALDataset::Open(file.path.c_str(), GDAL_OF_RASTER | GDAL_OF_UPDATE)};
        const char* const categories[] = {"none", "", "water", nullptr};
        REQUIRE(edit->GetRasterBand(1)->SetCategoryNames(const_cast<char**>(categories)) == CE_None);
        REQUIRE(edit->GetRasterBand(1)->SetDefaultRAT(nullptr) == CE_None);
    }
    const auto rows = file.open().class_names(1);
    CHECK(rows.of(0) == "none");
    CHECK(rows.of(1).empty());
    CHECK(rows.of(2) == "water");
    VSIUnlink((file.path + ".aux.xml").c_str());
}

TEST_CASE("zones are named by a field that is unique, kept as text") {
    const memory_raster file{"EPSG:4326", degree_grid};
    const auto raster = file.open();
    const auto features = [](const std::string& first, const std::string& second) {
        const auto feature = [](const std::string& id) {
            return R"({"type":"Feature","properties":{"code":)" + id + R"(,"name":"n"},"geometry":)" + box_on_degrees +
                   "}";
        };
        return R"({"type":"FeatureCollection","features":[)" + feature(first) + "," + feature(second) + "]}";
    };
    zone_layer::options by_code;
    by_code.id_field = "code";
    auto zones = zones_of(features(R"("001")", R"("1")"), raster, by_code);
    CHECK(zones.next()->id == "001");
    CHECK(zones.next()->id == "1");
    CHECK(message_of([&] { zones_of(features("7", "7"), raster, by_code); }).find("more than once") !=
          std::string::npos);
    CHECK(message_of([&] { zones_of(features("7", "null"), raster, by_code); }).find("no value") != std::string::npos);
    by_code.id_field = "kode";
    CHECK(message_of([&] { zones_of(features("7", "8"), raster, by_code); }).find("no field 'kode'") !=
          std::string::npos);
    auto plain = zones_of(features(R"("a")", R"("b")"), raster);
    CHECK(plain.label_fields() == std::vector<std::string>{"code", "name"});
    CHECK(plain.next()->labels == std::vector<std::string>{"a", "n"});
}

TEST_CASE("grids that differ are refused with both grids in the message") {
    const memory_raster file{"EPSG:32633", utm_grid};
    const auto raster = file.open();
    const memory_raster moved{"EPSG:32633", {500005, 10, 0, 4000030, 0, -10}};
    CHECK(message_of([&] { raster.require_same_grid(moved.open()); }).find("500005") != std::string::npos);
    CHECK(message_of([&] { raster.require_same_grid(raster); }).empty());
}
