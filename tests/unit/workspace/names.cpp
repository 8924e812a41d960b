#include "catalog/lint.hpp"
#include "catch.hpp"
#include "temporary.hpp"
#include "workspace/archive_member.hpp"
#include "workspace/file_uri.hpp"
#include "workspace/read_files.hpp"
#include "workspace/role.hpp"
#include "workspace/sidecars.hpp"
#include "workspace/subdataset.hpp"

using namespace gdalmcp::workspace;

TEST_CASE("every role a manifest may name is known here, and the two agree on which are outputs") {
    for (const auto name : gdalmcp::catalog::known_roles()) {
        INFO(name);
        REQUIRE(role_named(name));
        CHECK(is_output(*role_named(name)) == gdalmcp::catalog::is_output_role(name));
    }
    CHECK_FALSE(role_named("input-cloud"));
}

TEST_CASE("a file URI and its path are each other's reverse") {
    for (const char* path : {"/a/b.tif", "/a b/ü#?%.tif", "/"}) {
        INFO(path);
        CHECK(path_of_file_uri(file_uri(path)).value() == path);
    }
    CHECK(file_uri("/a b/100%.tif") == "file:///a%20b/100%25.tif");
}

TEST_CASE("a subdataset name is taken apart and put together around its file") {
    const auto rebuilt = [](const char* name) { return subdataset::parse(name).value().with_file("/w/f"); };
    CHECK(rebuilt("NETCDF:x.nc:t2m") == "NETCDF:\"/w/f\":t2m");
    CHECK(rebuilt("NETCDF:\"a:b.nc\":t2m") == "NETCDF:\"/w/f\":t2m");
    CHECK(subdataset::parse("NETCDF:\"a:b.nc\":t2m")->file == "a:b.nc");
    CHECK(rebuilt("HDF5:x.h5://group/band") == "HDF5:\"/w/f\"://group/band");
    CHECK(rebuilt("GPKG:x.gpkg:tiles") == "GPKG:\"/w/f\":tiles");
    CHECK(rebuilt("GTIFF_DIR:2:x.tif") == "GTIFF_DIR:2:/w/f");
    CHECK(rebuilt("GTIFF_DIR:off:8:x.tif") == "GTIFF_DIR:off:8:/w/f");
    for (const char* other :
         {"x.tif", "PG:dbname=x", "NETCDF:x.nc", "NETCDF::v", "NETCDF:\"x", "GTIFF_DIR:x.tif", "GTIFF_DIR:2:"})
        CHECK_FALSE(subdataset::parse(other));
}

TEST_CASE("the extension decides which outputs are possible") {
    CHECK(extension_fits(role::output_raster, ".tif"));
    CHECK_FALSE(extension_fits(role::output_raster, ".shp"));
    CHECK(extension_fits(role::output_vector, ".shp"));
    CHECK(extension_fits(role::output_table, ".csv"));
    CHECK(extension_fits(role::output_any, ".shp"));
    CHECK_FALSE(extension_fits(role::output_any, ".exe"));
    CHECK_FALSE(extension_fits(role::output_any, ""));
    CHECK(extension_fits(role::output_vector, ".gpx"));  // which few tools write
    CHECK(extensions_of(role::output_vector) == ".gpkg, .geojson, .json, .geojsonl, .fgb, .shp, .gml, .kml, .csv");
    CHECK(extensions_of(role::output_table) == ".gpkg, .csv");
}

TEST_CASE("a tool may write beside its output only files named after it") {
    CHECK(may_accompany("/w/dem.tif", "dem.tif.aux.xml"));
    CHECK(may_accompany("/w/dem.tif", "dem.tfw"));
    CHECK_FALSE(may_accompany("/w/dem.tif", "dem2.tif"));
    CHECK_FALSE(may_accompany("/w/dem.tif", "dem."));
    CHECK_FALSE(may_accompany("/w/dem.tif", ".bashrc"));
}

TEST_CASE("a path that goes on into an archive is taken apart at the archive") {
    const auto name = [](const char* spelled) { return archive_member::parse(spelled).value().with_archive("/w/f"); };
    CHECK(name("a.zip/b/c.shp") == "/vsizip//w/f/b/c.shp");
    CHECK(name("data/A.ZIP/c.shp") == "/vsizip//w/f/c.shp");
    CHECK(name("a.tar.gz/c.shp") == "/vsitar//w/f/c.shp");
    CHECK(name("/vsizip//data/a.zip/c.shp") == "/vsizip//w/f/c.shp");
    CHECK(archive_member::parse("/vsizip//data/a.zip/c.shp")->archive == "/data/a.zip");
    for (const char* other : {"a.zip", "a.zip/", "data/a.shp", ".zip/a.shp", "a.gz/b"})
        CHECK_FALSE(archive_member::parse(other));
}

TEST_CASE("the state of a dataset changes with its sidecars, and that of a folder with its files") {
    const temporary t;
    CHECK(dataset_state(t.path / "a.tif").empty());
    put(t.path / "a.tif", "1");
    const auto alone = dataset_state(t.path / "a.tif");
    put(t.path / "a.tif.aux.xml", "12");
    const auto with_sidecar = dataset_state(t.path / "a.tif");
    CHECK(with_sidecar != alone);
    put(t.path / "a.tif.aux.xml", "123");
    CHECK(dataset_state(t.path / "a.tif") != with_sidecar);
    put(t.path / "b.csv", "1");
    std::filesystem::remove(t.path / "a.tif.aux.xml");
    CHECK(dataset_state(t.path / "a.tif") == alone);

    put(t.path / "towns.gdb/a00000001.gdbtable", "1");
    const auto folder = dataset_state(t.path / "towns.gdb");
    put(t.path / "towns.gdb/a00000001.gdbtable", "12");
    CHECK(dataset_state(t.path / "towns.gdb") != folder);
}

TEST_CASE("a VRT is read with the files that it names, and those that these name") {
    const temporary t;
    const auto vrt = [&](const char* path, const std::string& inside) {
        put(t.path / path, "<VRTDataset>" + inside + "</VRTDataset>");
    };
    for (const char* file : {"tiles/a.tif", "tiles/b & c.tif", "d.nc", "e.zip", "z.zarr/0.0", "z.zarr/v/0.1", "p.tif"})
        put(t.path / file, "1");
    vrt("tiles/deep.vrt",
        R"(<SourceFilename relativeToVRT="1">a.tif</SourceFilename><sourcefilename>b &amp; c.tif</sourcefilename>)");
    vrt("all.vrt",
        R"(<SourceFilename shared="0">tiles/deep.vrt</SourceFilename><SourceDataset>NETCDF:"d.nc":t</SourceDataset>)"
        "<SourceFilename>/vsizip/e.zip/x.tif</SourceFilename><SourceFilename>z.zarr</SourceFilename>"
        "<SourceFilename>&lt;VRTDataset>&lt;SourceFilename>p.tif&lt;/SourceFilename>&lt;/VRTDataset></SourceFilename>"
        "<SourceFilename></SourceFilename><SourceFilename>gone.tif</SourceFilename>"
        "<SourceFilename>all.vrt</SourceFilename>");
    std::vector<std::string> names;
    for (const auto& file : read_files(t.path / "all.vrt")) names.push_back(file.lexically_relative(t.path).string());
    CHECK(names == std::vector<std::string>{"all.vrt", "tiles/deep.vrt", "tiles/a.tif", "tiles/b & c.tif", "d.nc",
                                            "e.zip", "z.zarr/0.0", "z.zarr/v/0.1", "p.tif"});
    put(t.path / "layers.xml", R"(<OGRVRTDataSource><SrcDataSource>all.vrt</SrcDataSource></OGRVRTDataSource>)");
    const auto before = content_state(t.path / "layers.xml");
    put(t.path / "tiles/a.tif", "22");
    CHECK(content_state(t.path / "layers.xml") != before);
}

TEST_CASE("a dataset of very many files has a short state") {
    const temporary t;
    std::string many = "<VRTDataset>";
    for (int i = 0; i < 60; ++i) {
        const auto name = std::to_string(i) + ".tif";
        put(t.path / name, "1");
        many += "<SourceFilename>" + name + "</SourceFilename>";
    }
    put(t.path / "many.vrt", many);
    const auto before = dataset_state(t.path / "many.vrt");
    CHECK(before.size() == 64);
    put(t.path / "59.tif", "22");
    CHECK(dataset_state(t.path / "many.vrt") != before);
}

TEST_CASE("the state of a dataset's content stays when an index is put beside it, and changes with other sidecars") {
    const temporary t;
    put(t.path / "a.tif", "1");
    put(t.path / "b.shp", "1");
    put(t.path / "c.vrt", "<VRTDataset><SourceFilename>a.tif</SourceFilename></VRTDataset>");
    const auto states = [&] {
        return std::vector{content_state(t.path / "a.tif"), content_state(t.path / "b.shp"),
                           content_state(t.path / "c.vrt")};
    };
    const auto before = states();
    for (const char* index : {"a.tif.ovr", "a.tif.msk.ovr", "c.vrt.ovr", "b.qix", "b.sbn"}) put(t.path / index, "1");
    CHECK(states() == before);
    for (const char* sidecar : {"a.tif.msk", "b.dbf"}) put(t.path / sidecar, "1");
    for (std::size_t i = 0; i < before.size(); ++i) CHECK(states()[i] != before[i]);
}

TEST_CASE("the state of a dataset changes with every file a driver reads with it, in either case") {
    const temporary t;
    for (const auto& [primary, beside] : std::initializer_list<std::pair<const char*, const char*>>{
             {"a.tif", "a.tif.ovr"}, {"a.tif", "a.tif.msk"},      {"a.tif", "a.tfw"},
             {"a.tif", "a.TFW"},     {"a.tif", "a.tifw"},         {"a.tif", "a.wld"},
             {"a.tif", "a.tab"},     {"a.png", "a.png.aux.xml"},  {"a.png", "a.pgw"},
             {"a.asc", "a.prj"},     {"a.bil", "a.hdr"},          {"a.bil", "a.blw"},
             {"a.img", "a.rrd"},     {"flat", "flat.hdr"},        {"b.shp", "b.dbf"},
             {"b.shp", "b.shx"},     {"b.shp", "b.prj"},          {"B2.SHP", "B2.DBF"},
             {"c.tab", "c.map"},     {"c.gpkg", "c.gpkg-wal"},    {"d.tif", "d.tif.vat.dbf"},
             {"d.tif", "d.aux"},     {"d.zarr", "d.zarr.aux.xml"}}) {
        INFO(primary << " with " << beside);
        put(t.path / primary, "1");
        const auto alone = dataset_state(t.path / primary);
        put(t.path / beside, "1");
        const auto accompanied = dataset_state(t.path / primary);
        CHECK(accompanied != alone);
        put(t.path / beside, "22");
        CHECK(dataset_state(t.path / primary) != accompanied);
        std::filesystem::remove(t.path / beside);
        CHECK(dataset_state(t.path / primary) == alone);
    }
    put(t.path / "a.gpkg", "1");  // of another dataset
    const auto alone = dataset_state(t.path / "a.tif");
    put(t.path / "a.gpkg", "22");
    CHECK(dataset_state(t.path / "a.tif") == alone);
}

TEST_CASE("the state of a VRT changes with the files it names, and with their sidecars") {
    const temporary t;
    put(t.path / "tiles/a.tif", "1");
    put(t.path / "all.vrt",
        "<VRTDataset><SourceFilename relativeToVRT=\"1\">tiles/a.tif</SourceFilename></VRTDataset>");
    const auto before = dataset_state(t.path / "all.vrt");
    put(t.path / "tiles/a.tif", "22");
    const auto changed = dataset_state(t.path / "all.vrt");
    CHECK(changed != before);
    put(t.path / "tiles/a.tif.aux.xml", "1");
    CHECK(dataset_state(t.path / "all.vrt") != changed);
}
