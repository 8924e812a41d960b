#include "datasets/gdal_output.hpp"
#include "vector/ogr_output_layer.hpp"

#include <algorithm>

#include "layers.hpp"

using namespace gdalmcp_vector;

namespace {

struct written {
    gdalmcp::gdal::dataset_ptr dataset;
    std::vector<std::string> said;
    OGRLayer& layer() { return *dataset->GetLayer(0); }
    bool heard(const char* part) const {
        return std::any_of(said.begin(), said.end(), [&](const auto& s) { return s.find(part) != std::string::npos; });
    }
};

// Copies the layer to a file of that name and opens it again.
written copy(const memory_layer& m, const std::string& path, OGRwkbGeometryType type = wkbUnknown, bool multi = false,
             std::vector<int> fields = {}) {
    written w;
    const auto& f = format_of(path);
    auto out = gdalmcp_datasets::create_vector(path, f.driver);
    auto* crs = m.layer->GetSpatialRef();
    if (fields.empty()) fields = all_fields(*m.layer->GetLayerDefn());
    output_layer to{
        *out, f, *m.dataset, *m.layer, {type, multi, crs, fields}, [&](const std::string& s) { w.said.push_back(s); }};
    m.layer->ResetReading();
    while (const OGRFeatureUniquePtr feature{m.layer->GetNextFeature()}) {
        const auto* g = feature->GetGeometryRef();
        to.add(*feature, std::unique_ptr<OGRGeometry>{g ? g->clone() : nullptr});
    }
    to.finish();
    gdalmcp_datasets::close_vector(std::move(out), path);
    w.dataset.reset(GDALDataset::Open(path.c_str(), GDAL_OF_VECTOR | GDAL_OF_VERBOSE_ERROR));
    REQUIRE(w.dataset);
    return w;
}

}  // namespace

TEST_CASE("the output's extension names the format; an unknown one is refused with the known ones") {
    CHECK(format_of("/a/B.GPKG").driver == std::string{"GPKG"});
    CHECK(format_of("x.geojson").wgs84_only);
    for (const char* path : {"/a.b/c", "x.tif", "x"}) {
        try {
            format_of(path);
            FAIL(path);
        } catch (const gdalmcp::error& e) {
            CHECK(e.hint.find(".gpkg") != std::string::npos);
        }
    }
}

TEST_CASE("a GeoPackage keeps layer name, ids, types, widths, z and m") {
    const temporary_folder folder;
    const memory_layer m{{{41, "POINT ZM (1 2 3 4)", "Oslo", 5}, {7, "POINT ZM (2 2 2 2)", nullptr, 6}}};
    auto w = copy(m, folder / "result.gpkg", wkbPointZM);
    CHECK(w.said.empty());
    CHECK(w.layer().GetName() == std::string{"sites"});
    CHECK(w.layer().GetGeomType() == wkbPointZM);
    const auto& defn = *w.layer().GetLayerDefn();
    REQUIRE(defn.GetFieldCount() == 2);
    CHECK(defn.GetFieldDefn(0)->GetWidth() == 20);
    CHECK(defn.GetFieldDefn(1)->GetType() == OFTInteger);
    const OGRFeatureUniquePtr f{w.layer().GetFeature(41)};
    REQUIRE(f);
    CHECK(f->GetFieldAsString("name") == std::string{"Oslo"});
    CHECK(wkt(*f->GetGeometryRef()) == "POINT ZM (1 2 3 4)");
    const OGRFeatureUniquePtr other{w.layer().GetFeature(7)};
    REQUIRE(other);
    CHECK(other->IsFieldNull(0));
}

TEST_CASE("a field called fid stays a field") {
    const temporary_folder folder;
    const memory_layer m{{{3, "POINT (1 2)", "a", 5}}};
    OGRFieldDefn field{"fid", OFTInteger};
    REQUIRE(m.layer->CreateField(&field) == OGRERR_NONE);
    const OGRFeatureUniquePtr f{m.layer->GetFeature(3)};
    f->SetField("fid", 99);
    REQUIRE(m.layer->SetFeature(f.get()) == OGRERR_NONE);
    auto w = copy(m, folder / "a.gpkg");
    const OGRFeatureUniquePtr back{w.layer().GetFeature(3)};
    REQUIRE(back);
    CHECK(back->GetFieldAsInteger("fid") == 99);
}

TEST_CASE("only the named fields are written, in their order") {
    const temporary_folder folder;
    const memory_layer m{{{1, "POINT (1 2)", "a", 5}}};
    auto w = copy(m, folder / "a.gpkg", wkbPoint, false, {1});
    REQUIRE(w.layer().GetLayerDefn()->GetFieldCount() == 1);
    CHECK(w.layer().GetLayerDefn()->GetFieldDefn(0)->GetNameRef() == std::string{"size"});
}

TEST_CASE("multi-part layers hold only multi-part geometries") {
    const temporary_folder folder;
    const memory_layer m{{{1, "POLYGON ((0 0, 1 0, 1 1, 0 0))", "a", 5}}};
    auto w = copy(m, folder / "a.gpkg", wkbPolygon, true);
    CHECK(w.layer().GetGeomType() == wkbMultiPolygon);
    const OGRFeatureUniquePtr f{w.layer().GetNextFeature()};
    CHECK(wkbFlatten(f->GetGeometryRef()->getGeometryType()) == wkbMultiPolygon);
}

TEST_CASE("a Shapefile reports that it renumbers features, and is UTF-8") {
    const temporary_folder folder;
    const memory_layer m{{{41, "POINT (1 2)", "Ås", 5}}};
    auto w = copy(m, folder / "result.shp", wkbPoint);
    CHECK(w.heard("feature ids are not kept"));
    CHECK(w.layer().GetName() == std::string{"result"});
    const OGRFeatureUniquePtr f{w.layer().GetNextFeature()};
    CHECK(f->GetFieldAsString("name") == std::string{"Ås"});
    CHECK(std::filesystem::exists(folder / "result.cpg"));
}

TEST_CASE("FlatGeobuf reports that it sorts features") {
    const temporary_folder folder;
    const memory_layer m{{{0, "POINT (1 2)", "a", 5}, {1, "POINT (9 9)", "b", 5}}};
    CHECK(copy(m, folder / "a.fgb", wkbPoint).heard("sorts features"));
}

TEST_CASE("a list field becomes text where the format has no lists, with a note") {
    const temporary_folder folder;
    const memory_layer m{{{1, "POINT (1 2)", "a", 5}}};
    OGRFieldDefn list{"tags", OFTStringList};
    REQUIRE(m.layer->CreateField(&list) == OGRERR_NONE);
    auto w = copy(m, folder / "a.gpkg");
    CHECK(w.heard("field 'tags' is written as text"));
}

TEST_CASE("a table without geometries cannot be a Shapefile but can be in a GeoPackage") {
    const temporary_folder folder;
    const memory_layer m{{{1, nullptr, "a", 5}}, "none", wkbNone};
    CHECK_THROWS_AS(copy(m, folder / "a.shp", wkbNone), gdalmcp::error);
    auto w = copy(m, folder / "a.gpkg", wkbNone);
    CHECK(w.layer().GetGeomType() == wkbNone);
    CHECK(w.layer().GetFeatureCount() == 1);
}

TEST_CASE("GeoJSON keeps ids and reports that m values are lost") {
    const temporary_folder folder;
    const memory_layer m{{{41, "POINT M (1 2 3)", "a", 5}}, "OGC:CRS84"};
    auto w = copy(m, folder / "a.geojson", wkbPointM);
    CHECK(w.heard("1 feature lost the m values: GeoJSON has none"));
    const OGRFeatureUniquePtr f{w.layer().GetFeature(41)};
    REQUIRE(f);
    CHECK(wkt(*f->GetGeometryRef()) == "POINT (1 2)");
}

TEST_CASE("losses of single features are counted, whatever the layer declares") {
    const temporary_folder folder;
    const memory_layer mixed{{{0, "LINESTRING Z (1 2 3,4 5 6)", "a", 1}, {1, "LINESTRING (1 2,4 5)", "b", 2}}};
    CHECK(copy(mixed, folder / "z.fgb").heard("1 feature without z values got z = 0"));
    CHECK_FALSE(copy(mixed, folder / "z.gpkg").heard("z values"));
    const memory_layer low_first{{{0, "LINESTRING (1 2,4 5)", "a", 1}, {1, "LINESTRING Z (1 2 3,4 5 6)", "b", 2}}};
    CHECK(copy(low_first, folder / "low.shp").heard("1 feature lost the z values"));
    CHECK(copy(mixed, folder / "high.shp").heard("1 feature without z values got z = 0"));
    CHECK_FALSE(copy(mixed, folder / "high.kml").heard("z = 0"));
    const memory_layer flat{{{0, "LINESTRING (1 2,4 5)", "a", 1}}};
    CHECK_FALSE(copy(flat, folder / "flat.kml").heard("z = 0"));
    CHECK_FALSE(copy(flat, folder / "flat.shp").heard("z = 0"));

    const memory_layer measured{{{0, "MULTIPOINT M ((1 2 3))", "a", 1}}};
    CHECK(copy(measured, folder / "any.fgb").heard("1 feature lost the m values"));
    CHECK_FALSE(copy(measured, folder / "any.gpkg").heard("m values"));
    CHECK(copy(measured, folder / "m.gpkg", wkbMultiPoint).heard("1 feature lost the m values"));

    const memory_layer curved{{{0, "CIRCULARSTRING (0 0,1 1,2 0)", "a", 1}}, "OGC:CRS84"};
    CHECK(copy(curved, folder / "c.geojson").heard("1 feature had curves"));
    CHECK_FALSE(copy(curved, folder / "c.gpkg").heard("curves"));
}

TEST_CASE("texts that a Shapefile would cut are refused with their number") {
    const temporary_folder folder;
    const std::string whole(254, 'x'), cut = whole + "y";
    const auto named = [](const std::string& text) {
        return memory_layer{{{0, "POINT (1 2)", text.c_str(), 1}, {1, "POINT (1 2)", "b", 2}}};
    };
    auto w = copy(named(whole), folder / "whole.shp", wkbPoint);
    CHECK(OGRFeatureUniquePtr { w.layer().GetFeature(0) } -> GetFieldAsString("name") == whole);
    CHECK_THROWS_WITH(copy(named(cut), folder / "cut.shp", wkbPoint),
                      Catch::Matchers::ContainsSubstring("1 text of the field 'name' would be cut"));
    CHECK(copy(named(cut), folder / "cut.gpkg", wkbPoint).said.empty());
}

TEST_CASE("features without geometry are dropped from a FlatGeobuf with a note, and kept elsewhere") {
    const temporary_folder folder;
    const memory_layer m{{{0, "POINT (1 2)", "a", 1}, {1, nullptr, "b", 2}, {2, "POINT EMPTY", "c", 3}}};
    auto w = copy(m, folder / "a.fgb", wkbPoint);
    CHECK(w.layer().GetFeatureCount() == 1);
    CHECK(w.heard("2 features without geometry left out"));
    CHECK(copy(m, folder / "a.gpkg", wkbPoint).layer().GetFeatureCount() == 3);
}

TEST_CASE("text that is not UTF-8 is read as Latin 1 and said") {
    const temporary_folder folder;
    const memory_layer m{{{0, "POINT (1 2)",
                           "Stra\xdf"
                           "e",
                           1}}};
    auto w = copy(m, folder / "a.gpkg");
    CHECK(w.heard("1 feature had text that is not UTF-8"));
    const OGRFeatureUniquePtr f{w.layer().GetNextFeature()};
    CHECK(f->GetFieldAsString("name") == std::string{"Straße"});
}
