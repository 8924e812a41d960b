#include "app/resources/catalogue.hpp"

#include <unistd.h>

#include <fstream>

#include "catch.hpp"

using namespace gdalmcp;
namespace fs = std::filesystem;
namespace json = base::json;

namespace {

// A workspace seen by a worker that tells what the test says.
struct place {
    fs::path top = fs::canonical(fs::temp_directory_path()) / ("catalogue-" + std::to_string(::getpid()));
    workspace::roots roots;
    std::vector<std::string> looked_at;
    std::string deadly;  // the process that looks at this file dies
    const char* how = base::code::crashed;
    std::size_t answers = 99;  // at most as many in one look
    std::string crs_of_a = "EPSG:1", codes_of_a;
    app::registries known{[this](const runner::request& r, auto&, auto) { return answer(r); }};
    app::catalogue catalogue{roots, [this](const runner::request& r, auto&, auto) { return answer(r); }, known,
                             [](const std::string& s, auto&) -> base::result<std::string> {
                                 if (s.rfind("EPSG:", 0) != 0) return base::fail(base::code::invalid_argument, s);
                                 return s;
                             }};

    place() : roots{(fs::create_directories(top), workspace::roots::open({top.string()}, "/", "/").value())} {}
    ~place() { fs::remove_all(top); }

    base::result<json::object> answer(const runner::request& asked) {
        if (asked.operation == "formats")
            return json::parse(R"({"resampling": [], "drivers": [
                {"name": "GTiff", "raster": true, "vector": false, "read": true, "extensions": ["tif"]},
                {"name": "GPKG", "raster": true, "vector": true, "read": true, "extensions": ["gpkg"]}]})")
                .as_object();
        json::array seen;
        for (const auto& f : asked.files) {
            const auto name = f.filename().string();
            if (name == deadly) return base::fail(how, "it died");
            if (seen.size() == answers) break;
            looked_at.push_back(name);
            if (name == "broken.tif")
                seen.push_back(json::object{{"driver", ""}});
            else if (name == "layers.gpkg")
                seen.push_back(json::parse(
                    R"({"driver": "GPKG", "kind": "vector", "crs": "EPSG:1", "crs_name": "", "other_crs": ["EPSG:2", ""]})"));
            else
                seen.push_back(json::object{{"driver", "D"},
                                            {"kind", name == "v.gpkg" ? "vector" : "raster"},
                                            {"crs", name == "a.tif" ? crs_of_a : std::string{}},
                                            {"crs_name", ""},
                                            {"crs_codes", name == "a.tif" ? codes_of_a : std::string{}}});
        }
        return json::object{{"seen", std::move(seen)}};
    }

    void file(const std::string& name, const std::string& text = "x") const { std::ofstream{top / name} << text; }
    base::result<json::object> answer_to(const std::string& rest) {
        const auto u =
            app::resource_uri::parse("catalog://workspace/" + rest, {"limit", "offset", "extensions", "include_hidden"})
                .value();
        const auto wanted = u.path.substr(std::string{"workspace/"}.size());
        const runner::cancellation never;
        if (wanted == "summary") return catalogue.summary(never);
        if (wanted.rfind("by-crs/", 0) == 0) return catalogue.by_crs(u, wanted.substr(7), never);
        return catalogue.list(u, wanted, never);
    }
    json::object read(const std::string& rest) { return answer_to(rest).value(); }
    std::vector<std::string> paths(const std::string& rest) {
        std::vector<std::string> all;
        const auto told = read(rest);
        for (const auto& d : told.at("datasets").as_array()) all.emplace_back(base::string_member(d, "path"));
        return all;
    }
};
using names = std::vector<std::string>;

}  // namespace

TEST_CASE("the kind of a dataset comes from its content") {
    place p;
    for (const char* n : {"a.tif", "v.gpkg", "r.gpkg", "note.txt", "broken.tif"}) p.file(n);
    CHECK(p.paths("all") == names{"a.tif", "r.gpkg", "v.gpkg"});
    CHECK(p.paths("raster") == names{"a.tif", "r.gpkg"});
    CHECK(p.paths("vector") == names{"v.gpkg"});
    CHECK(p.paths("all?extensions=.GPKG") == names{"r.gpkg", "v.gpkg"});
    CHECK(p.read("all").at("not_opened") == 1);
    CHECK(p.read("all").at("datasets").at(0).at("uri") == json::string_view{(p.top / "a.tif").string()});
}

TEST_CASE("a limit cuts the list and not the count") {
    place p;
    for (const char* n : {"a.tif", "b.tif", "c.tif"}) p.file(n);
    const auto cut = p.read("all?limit=2");
    CHECK(cut.at("datasets").as_array().size() == 2);
    CHECK(cut.at("matched_total") == 3);
    CHECK(cut.at("truncated") == true);
    CHECK(cut.at("next") == "catalog://workspace/all?limit=2&offset=2");
    const auto rest = p.read("all?limit=2&offset=2");
    CHECK(rest.at("datasets").at(0).at("path") == "c.tif");
    CHECK(rest.at("truncated") == false);
    CHECK(p.read("all").at("truncated") == false);
}

TEST_CASE("a file is read once, and again after a change") {
    place p;
    p.file("a.tif");
    p.file("b.tif");
    p.read("all");
    p.read("summary");
    CHECK(p.looked_at == names{"a.tif", "b.tif"});
    p.file("b.tif", "longer");
    p.read("all");
    CHECK(p.looked_at == names{"a.tif", "b.tif", "b.tif"});
    fs::remove(p.top / "b.tif");
    CHECK(p.paths("all") == names{"a.tif"});
}

TEST_CASE("datasets are found by their CRS, and those without one") {
    place p;
    p.file("a.tif");
    p.file("b.tif");
    CHECK(p.paths("by-crs/EPSG%3A1") == names{"a.tif"});
    CHECK(p.paths("by-crs/none") == names{"b.tif"});
}

TEST_CASE("datasets are found by a CRS without a code, spelled as in the listing") {
    place p;
    p.crs_of_a = "projjson-sha256:" + std::string(64, 'c');
    p.file("a.tif");
    p.file("b.tif");
    const std::string told{base::string_member(p.read("all").at("datasets").at(0), "crs")};
    CHECK(p.paths("by-crs/" + told) == names{"a.tif"});
    CHECK(p.answer_to("by-crs/projjson-sha256:cc").error().code == std::string{base::code::invalid_argument});
}

TEST_CASE("a compound CRS is listed by its codes") {
    place p;
    p.crs_of_a = "projjson-sha256:" + std::string(64, 'c');
    p.codes_of_a = "EPSG:1+2";
    p.file("a.tif");
    CHECK(p.read("all").at("datasets").at(0).at("crs") == "EPSG:1+2");
    CHECK(p.read("summary").at("crs").at(0).at("crs") == "EPSG:1+2");
    CHECK(p.catalogue.crs(runner::cancellation{}).value() == names{"EPSG:1+2"});
    CHECK(p.read("by-crs/" + p.crs_of_a).at("crs") == "EPSG:1+2");
    CHECK(p.paths("by-crs/" + p.crs_of_a) == names{"a.tif"});
}

TEST_CASE("a file is found by the CRS of any of its layers") {
    place p;
    p.file("layers.gpkg");
    for (const char* crs : {"EPSG:1", "EPSG:2", "none"}) {
        INFO(crs);
        CHECK(p.paths(std::string{"by-crs/"} + crs) == names{"layers.gpkg"});
    }
    const auto told = p.read("all").at("datasets").at(0).as_object();
    CHECK(told.at("crs") == "EPSG:1");
    CHECK(told.at("other_crs") == json::value(json::array{"EPSG:2", "none"}));
    CHECK(p.catalogue.crs(runner::cancellation{}).value() == names{"EPSG:1", "EPSG:2"});
}

TEST_CASE("one file that kills its process hides no other") {
    place p;
    p.deadly = "bad.tif";
    for (const char* n : {"a.tif", "bad.tif", "c.tif"}) p.file(n);
    CHECK(p.paths("all") == names{"a.tif", "c.tif"});
    const auto again = p.read("all");
    CHECK(again.at("not_opened") == 1);
    CHECK(again.at("approximate") == false);
}

TEST_CASE("a failure unrelated to a file is not blamed on it") {
    place p;
    p.deadly = "a.tif";
    p.how = base::code::io;  // no room for scratch files
    p.file("a.tif");
    CHECK(p.read("all").at("not_opened") == 0);
    p.deadly.clear();
    CHECK(p.paths("by-crs/EPSG%3A1") == names{"a.tif"});
}

TEST_CASE("files not read in time are counted, make the answer approximate, and are read next") {
    place p;
    p.answers = 1;
    p.file("a.tif");
    p.file("b.tif");
    const auto first = p.read("by-crs/none");
    CHECK(first.at("not_looked_at") == 1);
    CHECK(first.at("approximate") == true);
    CHECK(first.at("matched_total") == 0);
    CHECK(p.read("by-crs/none").at("matched_total") == 1);
}

TEST_CASE("a name that is not UTF-8 is counted, and the rest of the answer is exact") {
    place p;
    p.file("a.tif");
    p.file("lat\xEDn.tif");
    for (const char* what : {"all", "summary"}) {
        CHECK(p.read(what).at("names_not_utf8") == 1);
        CHECK(p.read(what).at("approximate") == false);
    }
}

TEST_CASE("the summary counts kinds, drivers and CRSs") {
    place p;
    for (const char* n : {"a.tif", "b.tif", "v.gpkg"}) p.file(n);
    const auto s = p.read("summary");
    CHECK(s.at("datasets") == 3);
    CHECK(s.at("kinds") == json::parse(R"([{"kind": "raster", "count": 2}, {"kind": "vector", "count": 1}])"));
    CHECK(s.at("crs") == json::parse(R"([{"crs": "none", "count": 2}, {"crs": "EPSG:1", "count": 1}])"));
    CHECK(s.at("workspaces").at(0).at("datasets") == 3);
}

TEST_CASE("an unknown kind is not found") {
    place p;
    for (const char* wanted : {"none", "by-crs", "summary/below"}) {
        INFO(wanted);
        CHECK(p.answer_to(wanted).error().code == std::string{base::code::not_found});
    }
}
