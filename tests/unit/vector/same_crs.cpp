#include <gdalmcp/gdal_same_crs.hpp>

#include "layers.hpp"

using namespace gdalmcp::gdal;

namespace {

OGRSpatialReference crs(const char* text) { return parse_crs(text).value(); }

OGREnvelope box(double minx, double miny, double maxx, double maxy) {
    OGREnvelope e;
    e.Merge(minx, miny);
    e.Merge(maxx, maxy);
    return e;
}

// What a Shapefile keeps of a CRS.
OGRSpatialReference through_shapefile(const OGRSpatialReference& asked) {
    GDALAllRegister();
    const temporary_folder folder;
    const auto path = folder / "a.shp";
    const dataset_ptr made{
        GetGDALDriverManager()->GetDriverByName("ESRI Shapefile")->Create(path.c_str(), 0, 0, 0, GDT_Unknown, nullptr)};
    OGRSpatialReference copy{asked};
    REQUIRE(made->CreateLayer("a", &copy, wkbPoint, nullptr));
    const_cast<dataset_ptr&>(made).reset();
    const auto back = open_dataset(path, GDAL_OF_VECTOR);
    return stated_crs(back->GetLayer(0)->GetSpatialRef());
}

}  // namespace

TEST_CASE("the same CRS in another dialect is the same") {
    for (const char* text : {"EPSG:4326", "EPSG:32633", "EPSG:27700", "EPSG:2154", "EPSG:31467", "ESRI:54009"}) {
        INFO(text);
        CHECK(likeness(crs(text), through_shapefile(crs(text)), {}) == crs_likeness::same);
    }
    CHECK(likeness(crs("EPSG:4326"), crs("OGC:CRS84"), {}) == crs_likeness::same);
    CHECK(likeness(crs("OGC:CRS84"), crs("EPSG:4979"), {}) == crs_likeness::same);  // of GeoJSON with heights
}

TEST_CASE("a datum of one code is the same by any of its names") {
    const std::string wkt =
        R"(PROJCS["Transverse_Mercator",GEOGCS["GCS_OSGB 1936",DATUM["OSGB_1936",SPHEROID["Airy 1830",6377563.396,299.3249646],)"
        R"(AUTHORITY["EPSG","6277"]],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433],AUTHORITY["EPSG","4277"]],)"
        R"(PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",49],PARAMETER["central_meridian",-2],)"
        R"(PARAMETER["scale_factor",0.999601],PARAMETER["false_easting",400000],PARAMETER["false_northing",-100000],)"
        R"(UNIT["metre",1]])";
    const auto stored = crs(wkt.c_str());
    const auto asked = crs(crs_text(stored).c_str());  // names the datum as the registry does
    CHECK(likeness(asked, stored, {}) == crs_likeness::same);
}

TEST_CASE("an unnamed projection on an unnamed datum is the same when every point is within a millimetre") {
    const auto asked = crs("+proj=tmerc +lat_0=0 +lon_0=15 +k=1 +x_0=500000 +y_0=0 +ellps=krass +units=m");
    const auto stored = through_shapefile(asked);
    CHECK(likeness(asked, stored, box(4e5, 5e6, 6e5, 5.2e6)) == crs_likeness::same);
    CHECK(likeness(asked, stored, {}) == crs_likeness::same);
}

TEST_CASE("a datum shift that the format drops is another datum, and the names differ") {
    const auto asked = crs(
        "+proj=tmerc +lat_0=0 +lon_0=15 +k=1 +x_0=500000 +y_0=0 +ellps=bessel +towgs84=598,73,418,0,0,0,0 +units=m");
    const auto stored = through_shapefile(asked);
    CHECK(likeness(asked, stored, box(4e5, 5e6, 6e5, 5.2e6)) == crs_likeness::other_datum);
    CHECK(crs_with_datum(asked) != crs_with_datum(stored));
    CHECK_THAT(crs_with_datum(asked), Catch::Matchers::ContainsSubstring("598 73 418"));
}

TEST_CASE("what moves a point by more than a millimetre is different") {
    const auto at = [](const char* x_0) {
        return crs(
            (std::string{"+proj=tmerc +lat_0=0 +lon_0=15 +k=1 +y_0=0 +ellps=krass +units=m +x_0="} + x_0).c_str());
    };
    const auto extent = box(4e5, 5e6, 6e5, 5.2e6);
    CHECK(likeness(at("500000"), at("500000.01"), extent) == crs_likeness::different);
    CHECK(likeness(crs("EPSG:32633"), crs("EPSG:32632"), extent) == crs_likeness::different);
    CHECK(likeness(crs("EPSG:4326"), crs("EPSG:3857"), box(10, 50, 11, 51)) == crs_likeness::different);
}

TEST_CASE("a compound CRS of registered parts is named by their codes") {
    CHECK(crs_text(crs("EPSG:32633+5773")) == "EPSG:32633+5773");
    CHECK(crs_label(crs("EPSG:32633+5773")) == "EPSG:32633+5773");
    CHECK(crs_text(crs("EPSG:5555")) == "EPSG:5555");
    // Heights in another unit than those of EPSG:5773 are another CRS.
    auto in_feet = crs("EPSG:32633+5773");
    in_feet.SetTargetLinearUnits("VERT_CS", "foot", 0.3048);
    CHECK(crs_text(in_feet).rfind("COMPOUNDCRS[", 0) == 0);
}

TEST_CASE("GeoPackage's placeholders state no CRS") {
    OGRSpatialReference cartesian;
    cartesian.SetLocalCS("Undefined Cartesian SRS");
    CHECK(undefined(cartesian));
    const auto geographic = crs(
        R"(GEOGCS["Undefined geographic SRS",DATUM["unknown",SPHEROID["unknown",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]])");
    CHECK(stated(&geographic) == nullptr);
    CHECK(stated_crs(&geographic).IsEmpty());
    CHECK(crs_text(geographic).empty());
    CHECK(std::string{crs_kind(geographic)} == "none");
    const auto real = crs("EPSG:4326");
    CHECK(stated(&real) == &real);
    OGRSpatialReference site;
    site.SetLocalCS("Site grid");
    CHECK(stated(&site) == &site);
}
