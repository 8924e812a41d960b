#include "app/reading/changed_resources.hpp"

#include <unistd.h>

#include "catch.hpp"

using namespace gdalmcp;
namespace fs = std::filesystem;

namespace {

struct place {
    fs::path top = fs::canonical(fs::temp_directory_path()) / ("changed-" + std::to_string(::getpid()));
    workspace::roots roots;

    place() : roots{(fs::create_directories(top), workspace::roots::open({top.string()}, "/", "/").value())} {}
    ~place() { fs::remove_all(top); }

    bool changed(const std::string& uri, const app::outcome& o) const { return app::is_changed(uri, o, roots); }
    app::outcome wrote(const std::string& name) const {
        app::outcome o;
        o.written_files.push_back((top / name).string());
        return o;
    }
};

}  // namespace

TEST_CASE("changed resources: what the outcome names, and nothing else, where no file was written") {
    const place p;
    app::outcome o;
    o.updated_uris = {"query://result/1"};
    CHECK(p.changed("query://result/1", o));
    CHECK_FALSE(p.changed("query://result/12", o));
    CHECK_FALSE(p.changed("catalog://workspace/all", o));
    CHECK_FALSE(p.changed("metadata://x.tif/raster", o));
}

TEST_CASE("changed resources: a file that was written changes every view of the catalogue") {
    const place p;
    for (const char* uri : {"catalog://workspace/all", "catalog://workspace/all/sub", "catalog://workspace/raster/",
                            "catalog://workspace/raster/sub?limit=5", "catalog://workspace/by-crs/EPSG%3A4326",
                            "catalog://workspace/summary"})
        CHECK(p.changed(uri, p.wrote("x.tif")));
    CHECK_FALSE(p.changed("reference://formats/raster", p.wrote("x.tif")));
}

TEST_CASE("changed resources: of the metadata those of the file that was written, however it is spelled") {
    const place p;
    for (const auto& spelled : {std::string{"x.tif"}, std::string{"./x.tif"}, std::string{"sub/../x.tif"},
                                (p.top / "x.tif").string(), "file://" + (p.top / "x.tif").string()})
        CHECK(p.changed("metadata://" + spelled + "/raster", p.wrote("x.tif")));
    CHECK(p.changed("metadata://a%20b.tif/statistics", p.wrote("a b.tif")));
    CHECK_FALSE(p.changed("metadata://x.tif/raster", p.wrote("a b.tif")));
    for (const char* none :
         {"metadata://x.tif", "metadata:///etc/passwd/raster", "metadata://%zz/raster", "metadata://"})
        CHECK_FALSE(p.changed(none, p.wrote("x.tif")));
}

TEST_CASE("changed resources: another glossary changes each of its terms") {
    const place p;
    app::outcome o;
    o.updated_uris = {app::every_term};
    CHECK(p.changed("reference://glossary/all", o));
    CHECK(p.changed("reference://glossary/nodata", o));
    CHECK_FALSE(p.changed("reference://compression/all", o));
}
