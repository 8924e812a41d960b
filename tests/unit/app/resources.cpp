#include "app/resources/resources.hpp"

#include <unistd.h>

#include <set>

#include "catch.hpp"

using namespace gdalmcp;
namespace fs = std::filesystem;

namespace {

struct place {
    fs::path top = fs::canonical(fs::temp_directory_path()) / ("resources-" + std::to_string(::getpid()));
    workspace::roots roots;

    place() : roots{(fs::create_directories(top), workspace::roots::open({top.string()}, "/", "/").value())} {}
    ~place() { fs::remove_all(top); }

    bool changed(const std::string& uri, const app::changes& c) const { return app::is_changed(uri, c); }
    bool changed_by_writing(const std::string& uri, const std::string& name) const {
        app::outcome o;
        o.written_files.push_back((top / name).string());
        return changed(uri, {.roots = roots, .call = &o});
    }
};

std::string entry_of(const std::string& uri) {
    const auto found = app::find_resource(uri);
    return found.entry ? found.entry->uri : "";
}

}  // namespace

TEST_CASE("resources: each entry is found by its own URI, has a name and can be read") {
    std::set<std::string> names;
    for (const auto& r : app::resource_table()) {
        INFO(r.uri);
        CHECK(entry_of(r.uri) == r.uri);
        CHECK(r.read);
        CHECK(*r.description);
        CHECK(names.insert(std::string{r.name} + (r.is_template() ? " template" : "")).second);
        for (const auto& [variable, values] : r.completed)
            CHECK(std::string_view{r.uri}.find(variable) != std::string_view::npos);
    }
}

TEST_CASE("resources: the entry with the most literal text matches, and none where a variable is empty") {
    CHECK(entry_of("query://result/1") == "query://result/{id}");
    CHECK(entry_of("query://result/1/data?offset=5") == "query://result/{id}/data{?offset,length}");
    CHECK(entry_of("catalog://workspace/all") == "catalog://workspace/all");
    CHECK(entry_of("catalog://workspace/all?limit=5") ==
          "catalog://workspace/{kind}/{+subpath}{?limit,extensions,include_hidden}");
    CHECK(entry_of("catalog://workspace/by-crs/EPSG:4326") == "catalog://workspace/by-crs/{crs}");
    CHECK(app::find_resource("metadata://what?.tif/raster").wanted == "what?.tif/raster");
    CHECK(app::find_resource("reference://glossary/all").wanted == "all");
    for (const char* none :
         {"query://result/", "reference://crs", "reference://planets/all", "receipts://recent?limit=2",
          "catalog://elsewhere/all", "weather://today", "", "bundles://x"})
        CHECK(entry_of(none).empty());
}

TEST_CASE("changed resources: a released result and its bytes, and no other") {
    const place p;
    const app::changes c{.roots = p.roots, .gone_results = {"query://result/1"}};
    CHECK(p.changed("query://result/1", c));
    CHECK(p.changed("query://result/1/data", c));
    CHECK_FALSE(p.changed("query://result/12", c));
    CHECK_FALSE(p.changed("catalog://workspace/all", c));
    CHECK_FALSE(p.changed("metadata://x.tif/raster", c));
    CHECK_FALSE(p.changed("history://operations", c));
}

TEST_CASE("changed resources: each call changes the history, and one that the gate ruled on the receipts") {
    const place p;
    app::outcome o;
    CHECK(p.changed("history://operations", {.roots = p.roots, .call = &o}));
    CHECK_FALSE(p.changed("receipts://recent", {.roots = p.roots, .call = &o}));
    o.receipts.emplace_back("one");
    CHECK(p.changed("receipts://recent", {.roots = p.roots, .call = &o}));
}

TEST_CASE("changed resources: a file that was written changes every view of the catalogue") {
    const place p;
    for (const char* uri : {"catalog://workspace/all", "catalog://workspace/all/sub", "catalog://workspace/raster/",
                            "catalog://workspace/raster/sub?limit=5", "catalog://workspace/by-crs/EPSG%3A4326",
                            "catalog://workspace/summary"})
        CHECK(p.changed_by_writing(uri, "x.tif"));
    CHECK_FALSE(p.changed_by_writing("reference://formats/raster", "x.tif"));
}

TEST_CASE("changed resources: the metadata of the written file, however it is spelled") {
    const place p;
    for (const auto& spelled : {std::string{"x.tif"}, std::string{"./x.tif"}, std::string{"sub/../x.tif"},
                                (p.top / "x.tif").string(), "file://" + (p.top / "x.tif").string()})
        CHECK(p.changed_by_writing("metadata://" + spelled + "/raster", "x.tif"));
    CHECK(p.changed_by_writing("metadata://a%20b.tif/statistics", "a b.tif"));
    CHECK_FALSE(p.changed_by_writing("metadata://x.tif/raster", "a b.tif"));
    for (const char* none :
         {"metadata://x.tif", "metadata:///etc/passwd/raster", "metadata://%zz/raster", "metadata://"})
        CHECK_FALSE(p.changed_by_writing(none, "x.tif"));
}

TEST_CASE("changed resources: reloaded bundles, a changed methodology, and a changed glossary with each of its terms") {
    const place p;
    const app::changes c{.roots = p.roots, .tools = true, .glossary = true, .methodologies = {"resampling"}};
    for (const char* uri :
         {"bundles://", "methodology://resampling", "reference://glossary/all", "reference://glossary/nodata"})
        CHECK(p.changed(uri, c));
    for (const char* uri : {"methodology://crs_datum", "reference://compression/all", "history://operations"})
        CHECK_FALSE(p.changed(uri, c));
    CHECK_FALSE(p.changed("reference://glossary/nodata", {.roots = p.roots, .tools = true}));
}
