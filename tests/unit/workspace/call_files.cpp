#include "workspace/call_files.hpp"

#include <map>

#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "catch.hpp"
#include "temporary.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp;
using namespace gdalmcp::workspace;
using Catch::Matchers::ContainsSubstring;
namespace code = base::code;

namespace {

const char* const schema_text = R"({"type":"object","properties":{
  "uri":{"type":"string","x-gdalmcp":"input-raster"},
  "uris":{"type":"array","items":{"type":"string","x-gdalmcp":"input-raster"}},
  "list":{"type":"array","items":{"type":"string"},"x-gdalmcp":"input-any"},
  "inputs":{"type":"object","additionalProperties":{"type":"string","x-gdalmcp":"input-raster"}},
  "mask":{"type":"object","properties":{"zones":{"x-gdalmcp":"input-vector","anyOf":[{"type":"string"},{"type":"object"}]}}},
  "either":{"anyOf":[{"type":"string","x-gdalmcp":"input-raster"},{"type":"string","x-gdalmcp":"input-vector"}]},
  "dst_crs":{"type":"string","x-gdalmcp":"crs"},
  "note":{"type":"string"},
  "overwrite":{"type":"boolean","default":false},
  "output":{"type":"string","x-gdalmcp":"output-raster"}}})";

struct site {
    site() {
        put(data / "a.tif", "a");
        put(data / "b.tif", "b");
        put(data / "z.gpkg", "z");
        put(data / "n.nc", "n");
        put(data / "empty.tif", "");
        put(t.path / "secret.tif", "secret");
    }
    base::result<workspace::call_files> plan(const std::string& arguments, const std::string& schema = schema_text) {
        return workspace::plan(base::parse_json(schema).value(), base::parse_json(arguments).value().as_object(), where,
                               kept);
    }
    base::problem refused(const std::string& arguments) {
        auto planned = plan(arguments);
        REQUIRE_FALSE(planned);
        CHECK_FALSE(planned.error().hint.empty());
        return planned.error();
    }
    temporary t;
    const fs::path data = t.path / "data";
    roots where = (fs::create_directories(data), roots::open({data.string()}, "/", "/root").value());
    results kept{{std::nullopt, t.path}, [] { return time_point{}; }};
};

}  // namespace

TEST_CASE("input roles are followed wherever they are: lists, maps, nested objects, alternatives") {
    site s;
    const auto planned = s.plan(R"({"uri":"a.tif","uris":["b.tif","a.tif"],"list":["z.gpkg"],"inputs":{"A/x":"b.tif"},
        "mask":{"zones":"z.gpkg"},"either":"a.tif","dst_crs":"EPSG:3857","note":"a.tif"})");
    REQUIRE(planned);
    std::map<std::string, std::string> found;
    for (const auto& in : planned->inputs) found[in.pointer] = in.path.filename().string();
    CHECK(found == std::map<std::string, std::string>{{"/uri", "a.tif"},
                                                      {"/uris/0", "b.tif"},
                                                      {"/uris/1", "a.tif"},
                                                      {"/list/0", "z.gpkg"},
                                                      {"/inputs/A~1x", "b.tif"},
                                                      {"/mask/zones", "z.gpkg"},
                                                      {"/either", "a.tif"}});
    const json::value rewritten = planned->arguments;
    for (const auto& in : planned->inputs) {
        CHECK(in.given == in.path.filename());
        CHECK(base::at_pointer(rewritten, in.pointer)->as_string() == (s.data / in.path.filename()).string());
    }
    CHECK(rewritten.at("note").as_string() == "a.tif");
    CHECK(rewritten.at("dst_crs").as_string() == "EPSG:3857");
}

TEST_CASE("the first input is the one the schema names first, not the caller") {
    site s;
    const auto planned = s.plan(R"({"either":"b.tif","uris":["b.tif"],"uri":"a.tif"})");
    REQUIRE(planned);
    REQUIRE(planned->inputs.size() == 3);
    CHECK(planned->inputs.front().pointer == "/uri");
}

TEST_CASE("a path that escapes is refused at any depth, and the argument is named") {
    site s;
    for (const auto& [arguments, at] : {std::pair{R"({"uri":"../secret.tif"})", "/uri"},
                                        {R"({"uris":["a.tif","../secret.tif"]})", "/uris/1"},
                                        {R"({"inputs":{"A":"../secret.tif"}})", "/inputs/A"},
                                        {R"({"mask":{"zones":"../secret.tif"}})", "/mask/zones"},
                                        {R"({"uri":"a.tif","output":"../new.tif"})", "/output"}}) {
        INFO(arguments);
        CHECK(s.refused(arguments).at == at);
        CHECK(s.refused(arguments).code == code::denied);
    }
}

TEST_CASE("GeoJSON given inline stays as it is") {
    site s;
    const auto planned = s.plan(R"({"mask":{"zones":{"type":"Point","coordinates":[1,2]}}})");
    REQUIRE(planned);
    CHECK(planned->inputs.empty());
    CHECK(base::write_json(planned->arguments.at("mask")) == R"({"zones":{"type":"Point","coordinates":[1,2]}})");
}

TEST_CASE("GeoJSON sent as text is read as GeoJSON where an object may stand, and refused elsewhere") {
    site s;
    const auto planned = s.plan(R"({"mask":{"zones":"{\"type\":\"Point\",\"coordinates\":[1,2]}"}})");
    REQUIRE(planned);
    CHECK(planned->inputs.empty());
    CHECK(base::write_json(planned->arguments.at("mask")) == R"({"zones":{"type":"Point","coordinates":[1,2]}})");
    CHECK_THAT(s.refused(R"({"uri":"{\"type\":\"Point\"}"})").message, ContainsSubstring("inline JSON"));
}

TEST_CASE("a geometry may be a dataset, which is an input as any other, or JSON sent as text") {
    site s;
    const std::string schema =
        R"({"type":"object","properties":{"uri":{"type":"string","x-gdalmcp":"input-raster"},"geometry":{"anyOf":[
        {"type":"object"},{"type":"array"},{"type":"string"}],"x-gdalmcp":"geometry"}}})";
    const auto by_path = s.plan(R"({"geometry":"z.gpkg","uri":"a.tif"})", schema);
    REQUIRE(by_path);
    REQUIRE(by_path->inputs.size() == 2);
    CHECK(by_path->inputs[0].pointer == "/uri");
    CHECK(by_path->inputs[1].pointer == "/geometry");
    CHECK(by_path->inputs[1].role == role::input_vector);
    CHECK(by_path->inputs[1].as_geometry);
    CHECK_FALSE(by_path->inputs[0].as_geometry);
    CHECK(by_path->arguments.at("geometry").as_string() == (s.data / "z.gpkg").string());
    for (const auto& [given, read] : {std::pair{R"("[0,0,1,1]")", "[0,0,1,1]"},
                                      {R"([0,0,1,1])", "[0,0,1,1]"},
                                      {R"("{\"type\":\"Point\"}")", R"({"type":"Point"})"}}) {
        INFO(given);
        const auto as_json = s.plan(std::string{R"({"geometry":)"} + given + "}", schema);
        REQUIRE(as_json);
        CHECK(as_json->inputs.empty());
        CHECK(base::write_json(as_json->arguments.at("geometry")) == read);
    }
    const auto outside = s.plan(R"({"geometry":"../secret.tif"})", schema);
    REQUIRE_FALSE(outside);
    CHECK(outside.error().code == code::denied);
    CHECK(outside.error().at == "/geometry");
    CHECK(s.plan(R"({"geometry":"{broken"})", schema).error().at == "/geometry");
}

TEST_CASE("a subdataset is read when the file in its name may be, and only then") {
    site s;
    const auto planned = s.plan(R"({"uri":"NETCDF:n.nc:t2m"})");
    REQUIRE(planned);
    CHECK(planned->inputs.front().path == s.data / "n.nc");
    CHECK(planned->arguments.at("uri").as_string() == "NETCDF:\"" + (s.data / "n.nc").string() + "\":t2m");
    CHECK(s.refused(R"({"uri":"NETCDF:../secret.tif:t2m"})").code == code::denied);
    CHECK(s.refused(R"({"uri":"NETCDF:\"http://localhost/x.nc\":t2m"})").code == code::denied);
    CHECK(s.refused(R"({"uri":"GTIFF_DIR:1:/etc/passwd"})").code == code::denied);
    CHECK(s.refused(R"({"uri":"GTIFF_DIR:1:/vsicurl/http://localhost/x.tif"})").code == code::denied);
}

TEST_CASE("an empty file is refused before anything opens it") {
    site s;
    CHECK_THAT(s.refused(R"({"uri":"empty.tif"})").message, ContainsSubstring("0 bytes"));
}

TEST_CASE("an output left out is a managed result, named by what it holds") {
    site s;
    const auto name = [&](const char* role, const char* arguments) {
        const auto planned = s.plan(arguments, std::string{R"({"type":"object","properties":{
            "uri":{"type":"string","x-gdalmcp":"input-raster"},"layer":{"type":"string","x-gdalmcp":"input-vector"},
            "output":{"type":"string","x-gdalmcp":")"} +
                                                   role + "\"}}}");
        REQUIRE(planned);
        REQUIRE(planned->outputs.size() == 1);
        CHECK(planned->outputs.front().pointer == "/output");
        CHECK_FALSE(planned->outputs.front().target);
        return planned->outputs.front().file_name;
    };
    CHECK(name("output-raster", R"({"uri":"a.tif"})") == "result.tif");
    CHECK(name("output-vector", R"({"uri":"a.tif"})") == "result.gpkg");
    CHECK(name("output-table", R"({"uri":"a.tif"})") == "result.csv");
    CHECK(name("output-any", R"({"uri":"a.tif"})") == "result.tif");
    CHECK(name("output-any", R"({"layer":"z.gpkg"})") == "result.gpkg");
    CHECK(name("output-any", R"({"uri":"a.tif","vector":true})") == "result.gpkg");
    CHECK(name("output-any", R"({"layer":"z.gpkg","vector":false})") == "result.tif");
    CHECK(name("output-raster", R"({"uri":"a.tif","vector":true})") == "result.tif");
}

TEST_CASE("a named output becomes an absolute path that nothing stands in the way of") {
    site s;
    const auto planned = s.plan(R"({"uri":"a.tif","output":"new.TIF"})");
    REQUIRE(planned);
    CHECK(planned->outputs.front().target == s.data / "new.TIF");
    CHECK(planned->outputs.front().file_name == "new.TIF");
    CHECK(planned->arguments.at("output").as_string() == (s.data / "new.TIF").string());
    CHECK(s.refused(R"({"uri":"a.tif","output":"b.tif"})").code == code::exists);
    CHECK_THAT(s.refused(R"({"uri":"a.tif","output":"b.tif"})").hint, ContainsSubstring("overwrite"));
    const auto over = s.plan(R"({"uri":"a.tif","output":"b.tif","overwrite":true})");
    REQUIRE(over);
    CHECK(over->outputs.front().overwrite);
    CHECK_THAT(s.refused(R"({"uri":"a.tif","output":"new.doc"})").hint, ContainsSubstring(".tif"));
    CHECK_THAT(s.refused(R"({"uri":"a.tif","output":"new"})").message, ContainsSubstring("extension ''"));
    CHECK_FALSE(s.plan(R"({"uri":"a.tif","output":"query://result/0123456789abcdef0123456789abcdef"})"));
}

TEST_CASE("an input is never an output, under whatever name") {
    site s;
    fs::create_hard_link(s.data / "a.tif", s.data / "twin.tif");
    fs::create_symlink(s.data / "a.tif", s.data / "link.tif");
    for (const char* name : {"a.tif", "./a.tif", "twin.tif", "link.tif"}) {
        INFO(name);
        const auto p = s.refused(std::string{R"({"uri":"a.tif","overwrite":true,"output":")"} + name + "\"}");
        CHECK(p.at == "/output");
        CHECK_THAT(p.message, ContainsSubstring("input"));
    }
}

TEST_CASE("files an output would replace or move away beside itself must not belong to an input either") {
    site s;
    put(s.data / "p.dbf", "rows");
    const std::string schema = R"({"type":"object","properties":{"uri":{"type":"string","x-gdalmcp":"input-any"},
        "overwrite":{"type":"boolean"},"output":{"type":"string","x-gdalmcp":"output-vector"}}})";
    const auto planned = s.plan(R"({"uri":"p.dbf","output":"p.shp","overwrite":true})", schema);
    REQUIRE_FALSE(planned);
    CHECK(planned.error().code == code::invalid_argument);
    CHECK(planned.error().at == "/output");
    CHECK_THAT(planned.error().message, ContainsSubstring("p.dbf") && ContainsSubstring("input"));
}

TEST_CASE("a file about another dataset is not an output") {
    site s;
    const std::string schema = R"({"type":"object","properties":{
        "overwrite":{"type":"boolean"},"output":{"type":"string","x-gdalmcp":"output-any"}}})";
    put(s.data / "a.tif.provenance.json", "how it came to be");
    for (const char* name :
         {"a.tif.provenance.json", "A.TIF.Provenance.JSON", "a.tif.aux.xml", "absent.tif.provenance.json"}) {
        INFO(name);
        const auto planned = s.plan(std::string{R"({"overwrite":true,"output":")"} + name + "\"}", schema);
        REQUIRE_FALSE(planned);
        CHECK(planned.error().code == code::invalid_argument);
        CHECK_THAT(planned.error().message, ContainsSubstring("belongs to the dataset"));
    }
    CHECK(s.plan(R"({"output":"provenance.json"})", schema));
}

TEST_CASE("outputs do not follow links, and replace nothing but files") {
    site s;
    fs::create_symlink(s.data / "absent.tif", s.data / "dangling.tif");
    fs::create_directory(s.data / "folder.tif");
    CHECK_THAT(s.refused(R"({"output":"dangling.tif","overwrite":true})").message, ContainsSubstring("symbolic link"));
    CHECK_THAT(s.refused(R"({"output":"folder.tif","overwrite":true})").message,
               ContainsSubstring("not a regular file"));
}

TEST_CASE("a sidecar left from an earlier dataset is named, for it would be read with the new one") {
    site s;
    put(s.data / "new.tif.aux.xml", "old statistics");
    CHECK(s.refused(R"({"output":"new.tif"})").code == code::exists);
    CHECK_THAT(s.refused(R"({"output":"new.tif"})").message, ContainsSubstring("new.tif.aux.xml"));
    CHECK(s.plan(R"({"output":"new.tif","overwrite":true})"));
}

TEST_CASE("a managed result is a valid input, and is kept while the call runs") {
    site s;
    auto draft = s.kept.begin("result.tif").value();
    put(draft.candidates().front().file, "made");
    const auto id = s.kept.keep(std::move(draft), 0, {}).value().id;
    const auto planned = s.plan(R"({"uri":")" + result_uri(id) + "\"}");
    REQUIRE(planned);
    CHECK(planned->inputs.front().given == result_uri(id));
    CHECK(get(planned->inputs.front().path) == "made");
    CHECK(planned->arguments.at("uri").as_string() == planned->inputs.front().path.string());
    REQUIRE(s.kept.release(id));
    CHECK(get(planned->inputs.front().path) == "made");
    CHECK(s.refused(R"({"uri":")" + result_uri(id) + "\"}").code == code::expired);
    CHECK(s.refused(R"({"uri":"query://result/1"})").code == code::invalid_argument);
}

TEST_CASE("an index lies beside the input under the input's name, whether it is named or not") {
    site s;
    const auto beside = [&](const std::string& pattern, const std::string& arguments) {
        return s.plan(arguments, R"({"type":"object","properties":{"uri":{"type":"string","x-gdalmcp":"input-any"},
            "output":{"type":"string","x-gdalmcp":"output-any","x-gdalmcp-beside":")" +
                                     pattern + R"("}}})");
    };
    const auto planned = beside("{name}.ovr", R"({"uri":"a.tif"})");
    REQUIRE(planned);
    CHECK(planned->outputs.at(0).target == s.data / "a.tif.ovr");
    CHECK(std::string{planned->arguments.at("output").as_string()} == (s.data / "a.tif.ovr").string());
    CHECK(beside("{stem}.qix", R"({"uri":"z.gpkg"})")->outputs.at(0).target == s.data / "z.qix");
    CHECK(beside("{name}.ovr", R"({"uri":"a.tif","output":"./a.tif.ovr"})"));
    CHECK(beside("{name}.ovr", R"({"uri":"a.tif","output":"b.tif.ovr"})").error().code == code::invalid_argument);
    put(s.data / "a.tif.ovr", "an index");
    CHECK(beside("{name}.ovr", R"({"uri":"a.tif"})").error().code == code::exists);
}

TEST_CASE("an index beside an input is dropped on request, and is no output then") {
    site s;
    const auto drop = [&](const std::string& arguments) {
        return s.plan(arguments, R"({"type":"object","properties":{"uri":{"type":"string","x-gdalmcp":"input-any"},
            "output":{"type":"string","x-gdalmcp":"output-any","x-gdalmcp-beside":"{name}.ovr"},"drop":{"type":"boolean"}}})");
    };
    CHECK(drop(R"({"uri":"a.tif","drop":true})").error().code == code::not_found);
    fs::create_symlink(s.data / "z.gpkg", s.data / "a.tif.ovr");
    CHECK(drop(R"({"uri":"a.tif","drop":true})").error().code == code::exists);
    fs::remove(s.data / "a.tif.ovr");
    put(s.data / "a.tif.ovr", "an index");
    for (const char* given :
         {R"({"uri":"a.tif","drop":true})", R"({"uri":"a.tif","drop":true,"output":"a.tif.ovr"})"}) {
        const auto planned = drop(given);
        REQUIRE(planned);
        CHECK(planned->outputs.empty());
        CHECK(planned->removals.at(0).target == s.data / "a.tif.ovr");
        CHECK(!planned->arguments.contains("output"));
    }
    CHECK(drop(R"({"uri":"a.tif","drop":true,"output":"z.gpkg"})").error().code == code::invalid_argument);
    CHECK(drop(R"({"uri":"a.tif","drop":false})").error().hint.find("\"drop\": true") != std::string::npos);
    CHECK(fs::exists(s.data / "a.tif.ovr"));
}
