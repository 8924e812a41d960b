#include "vector/ogr_geojson.hpp"

#include <cmath>

#include "layers.hpp"

using namespace gdalmcp_vector;

namespace {

std::string shown(const memory_layer& m, std::size_t budget = 50000, std::vector<int> fields = {0, 1}) {
    const auto* crs = m.layer->GetSpatialRef();
    feature_preview preview{crs, std::move(fields), 1000, budget};
    m.layer->ResetReading();
    while (const OGRFeatureUniquePtr f{m.layer->GetNextFeature()}) preview.add(*f, f->GetGeometryRef());
    return preview.text();
}

}  // namespace

TEST_CASE("a feature is shown with id, properties and longitude before latitude") {
    const memory_layer m{{{7, "POINT (10 59)", "Ås \"north\"", 5}}, "OGC:CRS84"};
    CHECK(shown(m) == R"({"type":"FeatureCollection","features":[{"type":"Feature","id":7,"properties":)"
                      R"({"name":"Ås \"north\"","size":5},"geometry":{"type":"Point","coordinates":[10.0,59.0]}}]})");
}

TEST_CASE("a projected layer is shown in longitude and latitude, and EPSG:4326 is not swapped") {
    // The origin of UTM zone 33N is 15° E on the equator.
    const memory_layer utm{{{1, "POINT (500000 0)", "origin", 5}}, "EPSG:32633"};
    CHECK(shown(utm).find(R"("coordinates":[15.0,0.0])") != std::string::npos);
    const memory_layer degrees{{{1, "POINT (10 59)", "a", 5}}, "EPSG:4326"};
    CHECK(shown(degrees).find(R"("coordinates":[10.0,59.0])") != std::string::npos);
}

TEST_CASE("outer rings are shown counter-clockwise, holes clockwise") {
    const memory_layer m{{{1, "POLYGON ((0 0, 0 9, 9 9, 9 0, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))", "a", 5}}, "OGC:CRS84"};
    CHECK(shown(m).find("[[[0.0,0.0],[9.0,0.0],[9.0,9.0],[0.0,9.0],[0.0,0.0]],"
                        "[[1.0,1.0],[1.0,2.0],[2.0,2.0],[2.0,1.0],[1.0,1.0]]]") != std::string::npos);
}

TEST_CASE("a polygon across the antimeridian is shown in two parts") {
    const memory_layer m{{{1, "POLYGON ((179 0, 181 0, 181 1, 179 1, 179 0))", "a", 5}}, "OGC:CRS84"};
    CHECK(shown(m).find(R"("type":"MultiPolygon")") != std::string::npos);
    CHECK(shown(m).find("181.0") == std::string::npos);
}

TEST_CASE("null attributes, missing geometries and numbers JSON cannot hold are null") {
    const memory_layer m{{{1, nullptr, nullptr, 5}}, "OGC:CRS84"};
    OGRFieldDefn ratio{"ratio", OFTReal};
    REQUIRE(m.layer->CreateField(&ratio) == OGRERR_NONE);
    const OGRFeatureUniquePtr f{m.layer->GetFeature(1)};
    f->SetField("ratio", std::nan(""));
    REQUIRE(m.layer->SetFeature(f.get()) == OGRERR_NONE);
    CHECK(shown(m, 50000, {0, 2}) == R"({"type":"FeatureCollection","features":[{"type":"Feature","id":1,"properties":)"
                                     R"({"name":null,"ratio":null},"geometry":null}]})");
}

TEST_CASE("text that is not UTF-8 does not break the JSON") {
    const memory_layer m{{{1, nullptr, "M\xfcnchen", 5}}, "OGC:CRS84"};
    CHECK(shown(m).find("M?nchen") != std::string::npos);
}

TEST_CASE("the text stays within its budget and reports features left out") {
    memory_layer m{{}, "OGC:CRS84"};
    for (int i = 0; i < 1000; ++i) m.add({i, "POINT (1 2)", "x", i});
    feature_preview preview{m.layer->GetSpatialRef(), {0, 1}, 1000, 1000};
    m.layer->ResetReading();
    while (const OGRFeatureUniquePtr f{m.layer->GetNextFeature()}) preview.add(*f, f->GetGeometryRef());
    CHECK(preview.text().size() <= 1000);
    CHECK(preview.shown() > 5);
    CHECK(preview.full());
}

TEST_CASE("at most the given number of features is shown") {
    memory_layer m{{}, "OGC:CRS84"};
    for (int i = 0; i < 5; ++i) m.add({i, "POINT (1 2)", "x", i});
    feature_preview preview{m.layer->GetSpatialRef(), {0}, 2, 50000};
    m.layer->ResetReading();
    while (const OGRFeatureUniquePtr f{m.layer->GetNextFeature()}) preview.add(*f, f->GetGeometryRef());
    CHECK(preview.shown() == 2);
    CHECK_FALSE(preview.full());
}

TEST_CASE("a long geometry is shown by its type, its size and its box") {
    std::string ring = "LINESTRING (0 0";
    for (int i = 1; i < 100; ++i) ring += "," + std::to_string(i) + " " + std::to_string(i % 7);
    const memory_layer m{{{1, (ring + ")").c_str(), "a", 5}}, "OGC:CRS84"};
    CHECK(shown(m, 50000, {}) ==
          R"({"type":"FeatureCollection","features":[{"type":"Feature","id":1,"properties":{},"bbox":[0,0,99,6],)"
          R"("geometry":null,"geometry_left_out":"LineString, 100 vertices"}]})");
}

TEST_CASE("without a CRS coordinates are shown as they are") {
    const memory_layer m{{{1, "POINT (500000 0)", "a", 5}}, "none"};
    feature_preview preview{m.layer->GetSpatialRef(), {}, 1000, 50000};
    const OGRFeatureUniquePtr f{m.layer->GetFeature(1)};
    preview.add(*f, f->GetGeometryRef());
    CHECK_FALSE(preview.in_wgs84());
    CHECK(preview.text().find("[500000.0,0.0]") != std::string::npos);
}
