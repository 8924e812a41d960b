#include "vector/ogr_selection.hpp"

#include "layers.hpp"

using namespace gdalmcp_vector;

namespace {

std::vector<GIntBig> accepted(OGRLayer& layer, const std::string& where) {
    const attribute_filter filter{layer, where};
    std::vector<GIntBig> ids;
    layer.ResetReading();
    while (const OGRFeatureUniquePtr f{layer.GetNextFeature()})
        if (filter.accepts(*f)) ids.push_back(f->GetFID());
    return ids;
}

std::string refusal(OGRLayer& layer, const std::string& where) {
    try {
        const attribute_filter filter{layer, where};
    } catch (const gdalmcp::error& e) {
        CHECK(e.status == GDALMCP_INVALID_ARGUMENT);
        return e.message + " | " + e.hint;
    }
    return {};
}

}  // namespace

TEST_CASE("a condition selects by value, by pattern and by null") {
    const memory_layer m{
        {{1, "POINT (0 0)", "Oslo", 5}, {2, "POINT (1 1)", "Bern", 7}, {7, "POINT (2 2)", nullptr, 9}}};
    CHECK(accepted(*m.layer, "size > 5") == std::vector<GIntBig>{2, 7});
    CHECK(accepted(*m.layer, "name LIKE 'B%'") == std::vector<GIntBig>{2});
    CHECK(accepted(*m.layer, "name IS NULL") == std::vector<GIntBig>{7});
    CHECK(accepted(*m.layer, "size BETWEEN 5 AND 7 AND NOT name = 'Oslo'") == std::vector<GIntBig>{2});
    CHECK(accepted(*m.layer, "fid IN (1, 7)") == std::vector<GIntBig>{1, 7});
}

TEST_CASE("a comparison with null is neither true nor false, nor is its opposite") {
    const memory_layer m{
        {{1, nullptr, "Oslo", 5}, {2, nullptr, "Bern", 70}, {3, nullptr, nullptr, 5}, {4, nullptr, nullptr, 70}}};
    using ids = std::vector<GIntBig>;
    CHECK(accepted(*m.layer, "NOT (name = 'Bern')") == ids{1});
    CHECK(accepted(*m.layer, "NOT name LIKE 'B%'") == ids{1});
    CHECK(accepted(*m.layer, "name NOT LIKE 'B%'") == ids{1});
    CHECK(accepted(*m.layer, "name NOT IN ('Bern', 'Rome')") == ids{1});
    CHECK(accepted(*m.layer, "name NOT IN ('Rome', NULL)").empty());
    CHECK(accepted(*m.layer, "name NOT BETWEEN 'A' AND 'C'") == ids{1});
    CHECK(accepted(*m.layer, "NOT NOT name = 'Bern'") == ids{2});
    CHECK(accepted(*m.layer, "NOT (CONCAT(name, 'x') = 'Bernx')") == ids{1});
    CHECK(accepted(*m.layer, "NOT name > NULL").empty());
    // False OR unknown is unknown, false AND unknown is false.
    CHECK(accepted(*m.layer, "NOT (name = 'Bern' OR size > 10)") == ids{1});
    CHECK(accepted(*m.layer, "NOT (name = 'Bern' AND size > 10)") == ids{1, 3});
    CHECK(accepted(*m.layer, "NOT (name = 'Bern' OR NOT size > 10)").empty());
    CHECK(accepted(*m.layer, "name = 'Bern' OR size > 10") == ids{2, 4});
    CHECK(accepted(*m.layer, "NOT name IS NULL") == ids{1, 2});
    CHECK(accepted(*m.layer, "NOT (name IS NOT NULL)") == ids{3, 4});
    CHECK(accepted(*m.layer, "NOT (name = 'Bern') OR name IS NULL") == ids{1, 3, 4});
    CHECK(accepted(*m.layer, "NOT fid = 2") == ids{1, 3, 4});
    // GDAL evaluates 32 levels.
    std::string deep = "NOT name LIKE 'B%'";
    for (int i = 0; i < 14; ++i) deep = "(size > 0 AND (size < 0 OR " + deep + "))";
    CHECK(accepted(*m.layer, deep) == ids{1});
    CHECK(refusal(*m.layer, "size > 0 AND " + deep).find("nested too deeply") != std::string::npos);
}

TEST_CASE("a truth value that is null is neither true nor false") {
    GDALAllRegister();
    auto* data = GetGDALDriverManager()->GetDriverByName("Memory")->Create("", 0, 0, 0, GDT_Unknown, nullptr);
    auto* layer = data->CreateLayer("l", nullptr, wkbNone, nullptr);
    OGRFieldDefn flag{"flag", OFTInteger};
    flag.SetSubType(OFSTBoolean);
    REQUIRE(layer->CreateField(&flag) == OGRERR_NONE);
    for (const int value : {1, 0, -1}) {
        const OGRFeatureUniquePtr f{OGRFeature::CreateFeature(layer->GetLayerDefn())};
        if (value >= 0) f->SetField(0, value);
        REQUIRE(layer->CreateFeature(f.get()) == OGRERR_NONE);
    }
    CHECK(accepted(*layer, "flag") == std::vector<GIntBig>{0});
    CHECK(accepted(*layer, "NOT flag") == std::vector<GIntBig>{1});
    CHECK(accepted(*layer, "flag OR fid = 2") == std::vector<GIntBig>{0, 2});
    GDALClose(data);
}

TEST_CASE("where nothing meets a condition, like texts and the range of numbers are there instead") {
    const memory_layer m{
        {{1, nullptr, "Côte d'Ivoire", 1990}, {2, nullptr, "Kenya", 2021}, {3, nullptr, nullptr, 2000}}};
    const auto there = [&](const char* where) { return attribute_filter{*m.layer, where}.values_there(*m.layer); };
    CHECK(there("name = 'Ivory Coast'") == "'name' has \"Côte d'Ivoire\"");
    CHECK(there("name = 'Cote d''Ivoire' AND \"size\" = 2035") ==
          "'name' has \"Côte d'Ivoire\"; 'size' has 1990 to 2021");
    CHECK(there("size IN (2035, 2040)") == "'size' has 1990 to 2021");
    CHECK(there("name = 'Zzyzx'").empty());
    CHECK(there("name = 'Kenya' AND size = 1990") == "'size' has 1990 to 2021");
    const memory_layer none{{{1, nullptr, nullptr, 5}}};
    CHECK(attribute_filter{*none.layer, "name = 'a'"}.values_there(*none.layer) == "'name' has no value");
}

TEST_CASE("a condition on an unknown field or of a wrong type is refused with the fields and their types") {
    const memory_layer m{{{1, "POINT (0 0)", "Oslo", 5}}};
    CHECK(refusal(*m.layer, "population > 5").find("fields: name (String), size (Integer)") != std::string::npos);
    CHECK(refusal(*m.layer, "size = 'five'").find("'size = 'five''") != std::string::npos);
    CHECK_FALSE(refusal(*m.layer, "size >").empty());
}

TEST_CASE("a condition cannot call functions of a database") {
    const memory_layer m{{{1, "POINT (0 0)", "Oslo", 5}}};
    CHECK_FALSE(refusal(*m.layer, "ogr_datasource_load_layers('/etc/passwd') = 1").empty());
    CHECK_FALSE(refusal(*m.layer, "load_extension('x') IS NULL").empty());
    CHECK_FALSE(refusal(*m.layer, "size = 1; DROP TABLE sites").empty());
    // For SQLite the backslash would end the string here. For the language used it does not, or the text is refused.
    const char* ended_early = R"(name = '\' OR load_extension(''x'') --')";
    CHECK((!refusal(*m.layer, ended_early).empty() || accepted(*m.layer, ended_early).empty()));
}

TEST_CASE("the same condition means the same on a GeoPackage as on any other format") {
    const temporary_folder folder;
    GDALAllRegister();
    auto* out = GetGDALDriverManager()->GetDriverByName("GPKG")->Create((folder / "a.gpkg").c_str(), 0, 0, 0,
                                                                        GDT_Unknown, nullptr);
    auto* layer = out->CreateLayer("sites", nullptr, wkbPoint, nullptr);
    OGRFieldDefn name{"name", OFTString};
    REQUIRE(layer->CreateField(&name) == OGRERR_NONE);
    const OGRFeatureUniquePtr f{OGRFeature::CreateFeature(layer->GetLayerDefn())};
    f->SetField("name", "Oslo");
    REQUIRE(layer->CreateFeature(f.get()) == OGRERR_NONE);
    CHECK(accepted(*layer, "name = 'Oslo'").size() == 1);
    CHECK(accepted(*layer, "name = 'oslo'").size() == 1);  // OGR compares text without case; SQLite would not
    CHECK_FALSE(refusal(*layer, "ST_IsValid(geom) = 1").empty());
    GDALClose(out);
}

TEST_CASE("features are compared with the geometry itself, not with its box") {
    // The triangle's box is (0,0)-(4,4); its empty half is above the diagonal.
    const auto triangle = wkt("POLYGON ((0 0, 4 0, 0 4, 0 0))");
    const spatial_filter intersects{*triangle, predicate::intersects};
    CHECK(intersects.accepts(*wkt("POINT (1 1)")));
    CHECK_FALSE(intersects.accepts(*wkt("POINT (3 3)")));
    OGREnvelope box;
    wkt("POINT (3 3)")->getEnvelope(&box);
    CHECK(intersects.may_accept(box));
    CHECK(intersects.accepts(*wkt("POINT (2 2)")));  // on the edge: touching counts
    CHECK_FALSE(intersects.accepts(*wkt("POINT EMPTY")));
}

TEST_CASE("within and contains read feature first") {
    const auto square = wkt("POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))");
    const auto small = wkt("POLYGON ((1 1, 2 1, 2 2, 1 2, 1 1))"),
               large = wkt("POLYGON ((-1 -1, 9 -1, 9 9, -1 9, -1 -1))"),
               half = wkt("POLYGON ((3 3, 5 3, 5 5, 3 5, 3 3))");
    const spatial_filter within{*square, predicate::within}, contains{*square, predicate::contains};
    CHECK(within.accepts(*small));
    CHECK_FALSE(within.accepts(*large));
    CHECK_FALSE(within.accepts(*half));
    CHECK(contains.accepts(*large));
    CHECK_FALSE(contains.accepts(*small));
    CHECK_FALSE(contains.accepts(*half));
}

TEST_CASE("clipping keeps holes and leaves out what only touches") {
    const auto square = wkt("POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))");
    const auto ring =
        clipped(*wkt("POLYGON ((-1 1, 5 1, 5 3, -1 3, -1 1), (1 1.5, 2 1.5, 2 2.5, 1 2.5, 1 1.5))"), *square);
    REQUIRE(ring);
    CHECK(ring->toPolygon()->get_Area() == Approx(4 * 2 - 1));
    CHECK(clipped(*wkt("POLYGON ((4 0, 8 0, 8 4, 4 4, 4 0))"), *square) == nullptr);
    CHECK(clipped(*wkt("LINESTRING (4 4, 8 8)"), *square) == nullptr);
    const auto line = clipped(*wkt("LINESTRING (-1 1, 5 1)"), *square);
    REQUIRE(line);
    CHECK(line->toLineString()->get_Length() == Approx(4));
}

TEST_CASE("clipping a line that leaves and comes back gives its pieces and drops the touching point") {
    const auto square = wkt("POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))");
    const auto pieces = clipped(*wkt("LINESTRING (1 1, 1 5, 3 5, 3 1)"), *square);
    REQUIRE(pieces);
    CHECK(wkbFlatten(pieces->getGeometryType()) == wkbMultiLineString);
    CHECK(pieces->toMultiLineString()->get_Length() == Approx(6));
    const auto one = clipped(*wkt("LINESTRING (1 1, 1 5, 3 5, 4 4, 8 8)"), *square);
    REQUIRE(one);
    CHECK(one->getDimension() == 1);
    CHECK(one->toLineString()->get_Length() == Approx(3));
}

TEST_CASE("clipping tells of dropped points and lines") {
    const auto square = wkt("POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))");
    bool dropped = true;
    CHECK(clipped(*wkt("POLYGON ((1 1, 9 1, 9 2, 1 2, 1 1))"), *square, &dropped));
    CHECK_FALSE(dropped);
    // A part that lies along the edge of the square beside one that reaches into it.
    CHECK(clipped(*wkt("MULTIPOLYGON (((1 1, 9 1, 9 2, 1 2, 1 1)), ((4 3, 5 3, 5 4, 4 4, 4 3)))"), *square, &dropped));
    CHECK(dropped);
    CHECK(clipped(*wkt("POLYGON ((4 0, 8 0, 8 4, 4 4, 4 0))"), *square, &dropped) == nullptr);
    CHECK(dropped);
}

TEST_CASE("an unknown field name is refused with the list") {
    const memory_layer m{{}};
    CHECK(fields_named(*m.layer, {"size", "name", "size"}) == std::vector<int>{1, 0});
    CHECK(fields_named(*m.layer, {}).empty());
    try {
        fields_named(*m.layer, {"colour"});
        FAIL("accepted");
    } catch (const gdalmcp::error& e) {
        CHECK(e.status == GDALMCP_NOT_FOUND);
        CHECK(e.message.find("'colour'") != std::string::npos);
        CHECK(e.hint == "fields: name (String), size (Integer)");
    }
}
