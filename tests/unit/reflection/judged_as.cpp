#include "example.hpp"
#include "reflection/dangling_names.hpp"

using namespace example;

namespace {

// gdalwarp, judged as raster_reproject in both of its domains, on each of its sources.
std::shared_ptr<const specs> with_gdalwarp() {
    const std::string arguments =
        "{uri: /src_datasets/0, dst_crs: /t_srs, resampling: [/r, {value: nearest}], bounds: {list: [/te/0, /te/1, "
        "/te/2, /te/3]}}";
    const auto form =
        "judged_as: {gdalwarp: {tool: raster_reproject, each: /src_datasets, arguments: " + arguments + "}}\n";
    auto all = std::make_shared<specs>();
    REQUIRE(all->add(
        folder_source("core", fs::path{SOURCE_DIR} / "reflection-specs", fs::path{SOURCE_DIR} / "prompts").value()));
    REQUIRE(all->add({"org.programs",
                      {{"crs.yaml", "extends: crs_datum\ntools: {gdalwarp: {dst_crs: /t_srs}}\n" + form},
                       {"r.yaml",
                        "extends: resampling\ntools: {gdalwarp: {method: [/r, {value: nearest}]}}\n"
                        "not_needed_when: [{tool: gdalwarp, argument: /quick, is: true, note: a quick look}]\n" +
                            form}},
                      {}}));
    return all;
}

const std::string warp = R"({"src_datasets":["a.tif"],"t_srs":"EPSG:3857","r":"bilinear"})";

}  // namespace

TEST_CASE("a reason given through one tool serves the tool that is judged as it, and the other way round") {
    setting s;
    s.asked = with_gdalwarp();
    CHECK(s.decisions(s.calling("gdalwarp", warp)) == "crs_datum=block resampling=block");
    store_reason(s, "crs_datum", R"({"dst_crs":"EPSG:3857"})", "EPSG:3857");
    store_reason(s, "resampling", R"({"method":"bilinear"})", "bilinear");
    CHECK(s.decisions(s.calling("gdalwarp", warp)) == "crs_datum=proceed resampling=proceed");
    CHECK(s.decisions(s.calling("raster_reproject", reproject)) == "crs_datum=proceed resampling=proceed");
    const auto keys = [&](const char* tool, const std::string& arguments) {
        std::string all;
        const auto v = s.gate().decide(s.calling(tool, arguments));
        for (const auto& r : v->rulings) all += r.input_hash + " ";
        return all;
    };
    CHECK(keys("gdalwarp", warp) == keys("raster_reproject", reproject));
    // What the program does where it is told nothing.
    CHECK(s.decisions(s.calling("gdalwarp", R"({"src_datasets":["a.tif"],"t_srs":"EPSG:3857"})")) ==
          "crs_datum=proceed resampling=block");
}

TEST_CASE("what is asked about such a call names the tool and the arguments that were called") {
    setting s;
    s.asked = with_gdalwarp();
    const auto asked = s.calling("gdalwarp", warp);
    const auto v = s.gate().decide(asked);
    const auto refused = bounce(*v, asked);
    CHECK(refused.text.starts_with("NOT RUN: gdalwarp. "));
    CHECK(refused.text.find("(t_srs)") != std::string::npos);
    CHECK(refused.text.find("raster_reproject") == std::string::npos);
    CHECK(refused.body.at("retry").at("tool") == "gdalwarp");
    CHECK(refused.body.at("retry").at("arguments").at("src_datasets") == parsed(R"(["a.tif"])"));
}

TEST_CASE("rules see the arguments of the tool a call is judged as, and rules of the tool itself its own") {
    setting s;
    s.asked = with_gdalwarp();
    // The CRS is the source's already: a rule over the facts and the target CRS.
    CHECK(s.decisions(s.calling("gdalwarp", R"({"src_datasets":["a.tif"],"t_srs":"EPSG:32616","r":"near"})"))
              .starts_with("crs_datum=not_needed"));
    CHECK(s.decisions(s.calling("gdalwarp", R"({"src_datasets":["a.tif"],"t_srs":"EPSG:3857","quick":true})")) ==
          "crs_datum=block resampling=not_needed");
    CHECK(s.decisions(s.calling("raster_reproject",
                                R"({"uri":"a.tif","dst_crs":"EPSG:3857","resampling":"nearest","quick":true})")) ==
          "crs_datum=block resampling=block");
}

TEST_CASE("a call on several datasets is judged on each, and the strictest ruling counts") {
    setting s;
    s.asked = with_gdalwarp();
    const auto raster = [](const char* crs, int k) {
        return std::string{R"({"pointer":"/src_datasets/)"} + std::to_string(k) +
               R"(","kind_of_dataset":"raster","crs":{"normal":")" + crs + R"(","geographic":false}})";
    };
    const auto both = [&](const char* one, const char* other) {
        s.facts =
            parsed(R"({"input":)" + raster(one, 0) + R"(,"inputs":[)" + raster(one, 0) + "," + raster(other, 1) + "]}");
        return s.decisions(
            s.calling("gdalwarp", R"({"src_datasets":["a.tif","b.tif"],"t_srs":"EPSG:32616","quick":true})"));
    };
    CHECK(both("EPSG:32616", "EPSG:32616") == "crs_datum=not_needed resampling=not_needed");
    CHECK(both("EPSG:32616", "EPSG:4326") == "crs_datum=block resampling=not_needed");
    CHECK(both("EPSG:4326", "EPSG:32616") == "crs_datum=block resampling=not_needed");
    CHECK(s.facts_asked == 3);
}

TEST_CASE("what a spec says of such a tool must exist") {
    const auto defect = [](const std::string& judged_as) -> std::string {
        specs all;
        REQUIRE(
            all.add(folder_source("core", fs::path{SOURCE_DIR} / "reflection-specs", fs::path{SOURCE_DIR} / "prompts")
                        .value()));
        const auto text = "extends: crs_datum\ntools: {gdalwarp: {dst_crs: /t_srs}}\njudged_as: " + judged_as + "\n";
        const auto ok = all.add({"org.programs", {{"crs.yaml", text}}, {}});
        return ok ? "" : ok.error().message;
    };
    CHECK(defect("{gdalwarp: {tool: raster_reproject, arguments: {dst_crs: /t_srs}}}").empty());
    CHECK(defect("{other: {tool: raster_reproject, arguments: {dst_crs: /t_srs}}}").find("/judged_as/other") !=
          std::string::npos);
    CHECK(defect("{gdalwarp: {tool: raster_info, arguments: {dst_crs: /t_srs}}}")
              .find("'raster_info', to which no rules of crs_datum apply") != std::string::npos);
    CHECK(defect("{gdalwarp: {tool: raster_reproject, arguments: {dst_crs: {fact: /input}}}}").find("from a fact") !=
          std::string::npos);
    CHECK(defect("{gdalwarp: {tool: raster_reproject}}").find("'arguments'") != std::string::npos);

    const auto schema = [](const char* argument) {
        return parsed(std::string{R"({"type":"object","additionalProperties":false,"properties":{")"} + argument +
                      R"(":{"type":"string"}}})");
    };
    const auto of_warp = schema("t_srs"), of_reproject = schema("dst_crs");
    const tool_schemas schemas{
        [&](std::string_view tool) -> const json::value* {
            return tool == "gdalwarp" ? &of_warp : tool == "raster_reproject" ? &of_reproject : nullptr;
        },
        [](std::string_view) -> const json::value* { return nullptr; }};
    std::string found;
    for (const auto& p : dangling_names(*with_gdalwarp(), "org.programs", schemas)) found += p.message + "\n";
    CHECK(found.find("/judged_as/gdalwarp/each names the argument '/src_datasets'") != std::string::npos);
    CHECK(found.find("/judged_as/gdalwarp names the argument '/resampling'") != std::string::npos);
    CHECK(found.find("/judged_as/gdalwarp/arguments/dst_crs") == std::string::npos);
}

TEST_CASE("a refusal before any question names the arguments that were called") {
    setting s;
    s.asked = with_gdalwarp();
    const auto v = s.gate().decide(s.calling("gdalwarp", R"({"src_datasets":["a.tif"],"t_srs":"EPSG:nonsense"})"));
    REQUIRE_FALSE(v);
    CHECK(v.error().message.starts_with("t_srs: "));
    CHECK(v.error().at == "/t_srs");

    const auto form = s.asked->find("crs_datum")->judged_as.find("gdalwarp")->second;
    const auto p = form.as_called({"invalid_argument", "'bounds' misses; a grid in units of dst_crs, out of bounds",
                                   R"(give "resampling" or 'dst_crs_2')", "/bounds"});
    CHECK(p.message == "'te' misses; a grid in units of t_srs, out of bounds");
    CHECK(p.hint == R"(give "r" or 'dst_crs_2')");
    CHECK(p.at == "/te");
}
