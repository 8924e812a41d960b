#include <gdalmcp/gdal_crs.hpp>

#include <fstream>

#include "layers.hpp"

namespace sdk = gdalmcp::gdal;

namespace {

// A table in a file of its own, opened as every tool and worker opens it.
struct table {
    temporary_folder folder;
    sdk::dataset_ptr dataset;
    OGRLayer* layer = nullptr;

    explicit table(const std::string& text, const std::map<std::string, std::string>& siblings = {},
                   const char* name = "t.csv") {
        GDALAllRegister();
        std::ofstream{folder / name} << text;
        for (const auto& [sibling, contents] : siblings) std::ofstream{folder / sibling.c_str()} << contents;
        dataset = sdk::open_dataset(folder / name, GDAL_OF_VECTOR);
        REQUIRE(dataset);
        layer = dataset->GetLayer(0);
    }
    std::string type(const char* field) const {
        const auto& defn = *layer->GetLayerDefn();
        const auto& f = *defn.GetFieldDefn(defn.GetFieldIndex(field));
        return f.GetSubType() == OFSTNone ? OGRFieldDefn::GetFieldTypeName(f.GetType())
                                          : OGRFieldDefn::GetFieldSubTypeName(f.GetSubType());
    }
    std::string value(const char* field, GIntBig row = 1) const {
        const OGRFeatureUniquePtr f{layer->GetFeature(row)};
        return f->IsFieldSetAndNotNull(f->GetFieldIndex(field)) ? f->GetFieldAsString(field) : "null";
    }
    std::string crs() const { return sdk::crs_text(sdk::stated_crs(layer->GetSpatialRef())); }
};

}  // namespace

TEST_CASE("a column has the type that all its values have") {
    const table t{
        "i,big,r,d,at,b,s,none\n"
        "5,12345678901,0.5,2020-01-31,2020-01-31T12:00:00Z,true,a,\n"
        ",,,,,,,\n"
        "-7,1,1.5e3,2020-02-01,2020-02-01 08:30:00,FALSE,12,\n"};
    CHECK(t.type("i") == "Integer");
    CHECK(t.type("big") == "Integer64");
    CHECK(t.type("r") == "Real");
    CHECK(t.type("d") == "Date");
    CHECK(t.type("at") == "DateTime");
    CHECK(t.type("b") == "Boolean");
    CHECK(t.type("s") == "String");
    CHECK(t.type("none") == "String");
    CHECK(t.value("r", 3) == "1500");
    CHECK(t.value("big") == "12345678901");
    CHECK(t.value("i", 2) == "null");
    CHECK(sdk::recognised(*t.layer) == "types recognised from the values");
}

TEST_CASE("what only looks like a number stays text: leading zeros, digits beyond 64 bits, days that may be months") {
    const table t{
        "zip,long,when,part,mixed,code\n001,12345678901234567890,03/04/2020,1-2,5,1E5\n2,1,04/05/2020,3,5 m,2E3\n"};
    for (const char* field : {"zip", "long", "when", "part", "mixed", "code"}) CHECK(t.type(field) == "String");
    CHECK(t.value("zip") == "001");
    CHECK(sdk::recognised(*t.layer).empty());
}

TEST_CASE("quoted numbers are numbers") {
    const table t{"n,name\n\"12\",\"a, b\"\n\"13\",c\n"};
    CHECK(t.type("n") == "Integer");
    CHECK(t.value("name") == "a, b");
}

TEST_CASE("a comma is a decimal point where it can be nothing else") {
    CHECK(table{"a;b\n1,5;x\n2,25;y\n"}.type("a") == "Real");
    CHECK(table{"a;b\n1,5;x\n2,25;y\n"}.value("a", 2) == "2.25");
    CHECK(table{"a,b\n\"1,5\",x\n"}.value("a") == "1.5");
}

TEST_CASE("columns named longitude and latitude make points in OGC:CRS84 where all values are degrees") {
    const table t{"id,lon,lat\n1,10.5,50.25\n2,,\n3,-180,90\n"};
    CHECK(t.layer->GetGeomType() == wkbPoint);
    CHECK(t.crs() == "OGC:CRS84");
    const OGRFeatureUniquePtr first{t.layer->GetFeature(1)}, second{t.layer->GetFeature(2)};
    CHECK(first->GetGeometryRef()->toPoint()->getX() == 10.5);
    CHECK(first->GetGeometryRef()->toPoint()->getY() == 50.25);
    CHECK(second->GetGeometryRef() == nullptr);
    CHECK(sdk::recognised(*t.layer) == "types recognised from the values; geometry from columns lon, lat (OGC:CRS84)");
}

TEST_CASE("no CRS is guessed: not for x and y, not for longitudes beyond 180 degrees") {
    const table metres{"x,y\n500000,5500000\n"};
    CHECK(metres.layer->GetGeomType() == wkbPoint);
    CHECK(metres.crs().empty());
    CHECK_THAT(sdk::recognised(*metres.layer), Catch::Matchers::ContainsSubstring("columns x, y (no CRS is stated)"));
    CHECK(table{"x,y\n10,50\n"}.crs().empty());
    CHECK(table{"longitude,latitude\n10,50\n999,51\n"}.crs().empty());
}

TEST_CASE("coordinate columns are matched in pairs, and a repeated name is ignored") {
    const table both{"x,y,Longitude,LATITUDE\n1,2,10,50\n"};
    const OGRFeatureUniquePtr f{both.layer->GetFeature(1)};
    CHECK(f->GetGeometryRef()->toPoint()->getX() == 10);
    CHECK(table{"lon,y\n1,2\n"}.layer->GetGeomType() == wkbNone);
    CHECK(table{"lon,lat,lon\n1,2,3\n"}.layer->GetGeomType() == wkbNone);
}

TEST_CASE("a .csvt file gives the types and a .prj file the CRS") {
    const table typed{"a,lon,lat\n1,500000,0\n",
                      {{"t.csvt", "\"String\",\"CoordX\",\"CoordY\""},
                       {"t.prj",
                        "PROJCS[\"WGS 84 / UTM zone 33N\",GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS "
                        "84\",6378137,298.257223563]],PRIMEM[\"Greenwich\",0],UNIT[\"degree\",0.01745329251994"
                        "33]],PROJECTION[\"Transverse_Mercator\"],PARAMETER[\"latitude_of_origin\",0],PARAMETER"
                        "[\"central_meridian\",15],PARAMETER[\"scale_factor\",0.9996],PARAMETER[\"false_easting"
                        "\",500000],PARAMETER[\"false_northing\",0],UNIT[\"metre\",1]]"}}};
    CHECK(typed.type("a") == "String");
    CHECK(typed.crs() == "EPSG:32633");
    CHECK(sdk::unlisted_siblings(typed.folder / "t.csv").size() == 2);
}

TEST_CASE("reading ahead for codes leaves the types of a .csvt file and the first row where they were") {
    const table typed{"code,flag,n\n007,1,2.5\n008,0,3\n", {{"t.csvt", "\"Integer\",\"Integer(Boolean)\",\"Real\""}}};
    CHECK(typed.type("code") == "Integer");
    CHECK(typed.type("flag") == "Boolean");
    CHECK(typed.type("n") == "Real");
    const OGRFeatureUniquePtr f{typed.layer->GetNextFeature()};
    CHECK(f->GetFieldAsInteger("code") == 7);
    CHECK(f->GetFieldAsDouble("n") == 2.5);
}

TEST_CASE("a column of WKT is the geometry") {
    const table t{"id,WKT\n1,\"LINESTRING (0 0, 1 1)\"\n"};
    const OGRFeatureUniquePtr f{t.layer->GetFeature(1)};
    CHECK(wkt(*f->GetGeometryRef()) == "LINESTRING (0 0,1 1)");
    CHECK(t.type("id") == "Integer");
}

TEST_CASE("a table of coordinates is not a raster, unless they make a grid") {
    const table t{"n,x,y\n1,500000,5500000\n2,600000,5500000\n"};
    const sdk::quiet silence;
    const auto any = sdk::open_dataset(t.folder / "t.csv", GDAL_OF_RASTER | GDAL_OF_VECTOR);
    REQUIRE(any);
    CHECK(any->GetLayerCount() == 1);
}

TEST_CASE("a byte order mark is not part of the first name") {
    CHECK(table{"\xEF\xBB\xBFlon,lat\n10,50\n"}.crs() == "OGC:CRS84");
}

namespace {

// A GeoPackage of one layer, `squares`, with a square of side 1; `added` runs before it is closed.
std::string square(const temporary_folder& folder, const std::vector<const char*>& added = {}) {
    GDALAllRegister();
    const auto path = folder / "squares.gpkg";
    const sdk::dataset_ptr d{
        GetGDALDriverManager()->GetDriverByName("GPKG")->Create(path.c_str(), 0, 0, 0, GDT_Unknown, nullptr)};
    auto* layer = d->CreateLayer("squares", nullptr, wkbPolygon, nullptr);
    const OGRFeatureUniquePtr f{OGRFeature::CreateFeature(layer->GetLayerDefn())};
    f->SetGeometry(wkt("POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))").get());
    REQUIRE(layer->CreateFeature(f.get()) == OGRERR_NONE);
    for (const auto* statement : added) {
        CPLErrorReset();
        d->ReleaseResultSet(d->ExecuteSQL(statement, nullptr, nullptr));
        REQUIRE(std::string{CPLGetLastErrorMsg()}.empty());
    }
    return path;
}

// The features a function of SpatiaLite selects; -1 where it is unknown.
GIntBig selected_by_perimeter(GDALDataset& d) {
    const sdk::quiet silence;
    auto& layer = *d.GetLayer(0);
    CPLErrorReset();
    if (layer.SetAttributeFilter("ST_Perimeter(geom) > 3") != OGRERR_NONE) return -1;
    const auto n = layer.GetFeatureCount();
    return CPLGetLastErrorType() == CE_None ? n : -1;
}

}  // namespace

TEST_CASE("SpatiaLite's functions are there for callers that give SQL, and not loaded for others") {
    const temporary_folder folder;
    const auto path = square(folder);
    CHECK(selected_by_perimeter(*sdk::open_dataset(path, GDAL_OF_VECTOR, sdk::sql::any)) == 1);
    CHECK(selected_by_perimeter(*sdk::open_dataset(path, GDAL_OF_VECTOR)) == -1);
}

TEST_CASE("SpatiaLite's functions are there for a view or a generated column that calls them") {
    const temporary_folder folder;
    const auto view = square(folder, {"CREATE VIEW rims AS SELECT fid, ST_Perimeter(geom) AS length FROM squares",
                                      "INSERT INTO gpkg_contents (table_name, identifier, data_type) "
                                      "VALUES ('rims', 'rims', 'attributes')"});
    const auto d = sdk::open_dataset(view, GDAL_OF_VECTOR);
    auto* rims = d->GetLayerByName("rims");
    REQUIRE(rims);
    const OGRFeatureUniquePtr f{rims->GetNextFeature()};
    REQUIRE(f);
    CHECK(f->GetFieldAsDouble("length") == 4);

    const temporary_folder other;
    const auto column = square(other, {"ALTER TABLE squares ADD COLUMN length REAL AS (ST_Perimeter(geom))"});
    const auto e = sdk::open_dataset(column, GDAL_OF_VECTOR);
    const OGRFeatureUniquePtr g{e->GetLayer(0)->GetNextFeature()};
    REQUIRE(g);
    CHECK(g->GetFieldAsDouble("length") == 4);
}

TEST_CASE("a file named .gpkg in another format is opened by the driver of that format") {
    const temporary_folder folder;
    GDALAllRegister();
    std::ofstream{folder / "points.gpkg"} << R"({"type": "Point", "coordinates": [20, -34]})";
    const auto d = sdk::open_dataset(folder / "points.gpkg", GDAL_OF_VECTOR);
    REQUIRE(d);
    CHECK(std::string{d->GetDriverName()} == "GeoJSON");
}
