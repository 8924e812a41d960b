#include "reflection/key.hpp"

#include "example.hpp"

using namespace example;

TEST_CASE("canonical JSON equals that of an independent program") {
    for (const auto& c : golden().at("jcs").as_array())
        CHECK(base::canonical_json(c.at("value")) == c.at("jcs").as_string());
}

TEST_CASE("cache keys and question hashes are those an independent program computes") {
    CHECK(golden().at("keys").as_array().size() >= 20);
    for (const auto& c : golden().at("keys").as_array()) {
        INFO(line(c));
        const auto* s = shipped()->find(c.at("domain").as_string());
        REQUIRE(s);
        const auto key = key_of_prompt_args(*s, c.at("given"), crs());
        REQUIRE(key);
        CHECK(base::canonical_json(*key) == base::canonical_json(c.at("normal")));
        CHECK(cache_key(s->domain, s->question_prompt.hash, *key) == c.at("cache_key").as_string());
        CHECK(question_hash(s->domain, *key) == c.at("question_hash").as_string());
        CHECK(key_of_prompt_args(*s, *key, crs()).value() == *key);
    }
}

TEST_CASE("a call asks the question its prompt arguments name") {
    const auto facts = []() -> base::result<json::value> {
        return parsed(R"({"input":{"crs":{"normal":"EPSG:32616"}}})");
    };
    const auto same = [&](const char* domain, const char* tool, const char* arguments, const char* prompt_args) {
        const auto* s = shipped()->find(domain);
        const auto of_call = key_of_call(*s, tool, parsed(arguments), facts, crs());
        INFO((of_call ? line(*of_call) : of_call.error().message));
        CHECK(of_call.value() == key_of_prompt_args(*s, parsed(prompt_args), crs()).value());
    };
    same("crs_datum", "vector_reproject", R"({"dst_crs":"epsg:3857"})", R"({"dst_crs":"EPSG:3857"})");
    same("resampling", "raster_query", R"({"resolution":10,"resampling":"NEAR"})", R"({"method":"nearest"})");
    same("hydrology", "hydro_condition", R"({"method":"fill"})", R"({"operation":"condition","method":"fill"})");
    same("hydrology", "hydro_flow_accumulation", R"({"method":"D8"})",
         R"({"operation":"flow_direction","method":"d8"})");
    same("aggregation", "aggregate_zonal", R"({"stats":["mode","count"]})", R"({"statistic":"majority"})");
    same("format_selection", "raster_convert", R"({"output":"x/a.b/c.JPG","quality":75})",
         R"({"compression":"jpeg","quality":75})");
    same("format_selection", "raster_convert", R"({"output":"c.tif","compression":"LERC","max_error":0.5})",
         R"({"compression":"lerc","max_error":"0.5"})");
    same("format_selection", "raster_convert",
         R"({"output":"c.tif","creation_options":["BIGTIFF=YES","compress=JPEG"]})", R"({"compression":"jpeg"})");
    same("format_selection", "raster_convert", R"({"output":"c.tif","creation_options":{"COMPRESS":"LERC"}})",
         R"({"compression":"lerc"})");
    same("format_selection", "raster_convert",
         R"({"output":"c.tif","creation_options":[" Compress = jpeg ","JPEG_QUALITY= 60"]})",
         R"({"compression":"JPEG","quality":60})");
    same("format_selection", "raster_convert",
         R"({"output":"c.tif","creation_options":["COMPRESS=WEBP","WEBP_LEVEL=50"]})",
         R"({"compression":"webp","quality":50})");
    same("format_selection", "raster_convert", R"({"output":"c.jp2","creation_options":["QUALITY=30"]})",
         R"({"compression":"jpeg2000","quality":30})");
    same("format_selection", "raster_convert",
         R"({"output":"c.tif","creation_options":["COMPRESS=LERC","MAX_Z_ERROR=0.5"]})",
         R"({"compression":"lerc","max_error":0.5})");
    same("format_selection", "raster_convert", R"({"output":"c.gpkg","creation_options":["TILE_FORMAT=JPEG"]})",
         R"({"compression":"jpeg"})");
    // A box is in the dataset's CRS, GeoJSON in its own.
    same("spatial_query", "raster_query", R"({"geometry":[0,0,1,1]})",
         R"({"geometry":[0,0,1,1],"geometry_crs":"EPSG:32616"})");
    same("spatial_query", "raster_query", R"({"geometry":{"type":"Point","coordinates":[1,2]}})",
         R"({"geometry":{"type":"Point","coordinates":[1,2]},"geometry_crs":"OGC:CRS84","purpose":""})");
    same("spatial_query", "raster_query",
         R"({"geometry":{"type":"Point","coordinates":[1,2],"crs":{"type":"name","properties":{"name":"EPSG:3857"}}}})",
         R"({"geometry":{"type":"Point","coordinates":[1,2]},"geometry_crs":"EPSG:3857"})");
    same("spatial_query", "vector_query", R"({"geometry":[0,0,1,1],"geometry_crs":"EPSG:4326","purpose":" a  b"})",
         R"({"geometry":[0,0,1,1],"geometry_crs":"EPSG:4326","purpose":"a b"})");
}

TEST_CASE("an area given as a dataset is known by its content, and is in the dataset's own CRS") {
    const std::string hex(64, 'a');
    const auto facts = [&]() -> base::result<json::value> {
        return parsed(R"({"input":{"crs":{"normal":"EPSG:32616"},"pointer":"/uri"},"inputs":[
            {"crs":{"normal":"EPSG:32616"},"pointer":"/uri"},
            {"crs":{"normal":"EPSG:4326"},"pointer":"/geometry","sha256":")" +
                      hex + R"("}]})");
    };
    const auto* s = shipped()->find("spatial_query");
    const auto key = [&](const char* arguments) {
        return key_of_call(*s, "raster_query", parsed(arguments), facts, crs()).value();
    };
    const auto own = key(R"({"geometry":"district.gpkg","purpose":"x"})");
    CHECK(own.at("geometry").as_string() == "dataset-sha256:" + hex);
    CHECK(own.at("geometry_crs").as_string() == "EPSG:4326");
    CHECK(choice_of(*s, own) == "dataset-sha256:" + hex);
    CHECK(key_of_prompt_args(*s, own, crs()).value() == own);
    CHECK(key(R"({"geometry":"query://result/1","purpose":"x"})") == own);
    CHECK(key(R"({"geometry":"a.gpkg","geometry_crs":"EPSG:3857"})").at("geometry_crs").as_string() == "EPSG:3857");
    // JSON that a client sent as text is what it says.
    CHECK(key(R"({"geometry":"{\"type\":\"Point\",\"coordinates\":[1,2]}"})") ==
          key(R"({"geometry":{"type":"Point","coordinates":[1,2]}})"));
    CHECK(key(R"({"geometry":"[0,0,1,1]"})") == key(R"({"geometry":[0,0,1,1]})"));
    const auto unread = []() -> base::result<json::value> { return parsed(R"({"inputs":[]})"); };
    CHECK(key_of_call(*s, "raster_query", parsed(R"({"geometry":"district.gpkg"})"), unread, crs()).error().at ==
          "/geometry");
}

TEST_CASE("facts are asked only for a box without a CRS") {
    int asked = 0;
    const auto facts = [&]() -> base::result<json::value> {
        ++asked;
        return base::fail(base::code::io, "cannot open a.tif");
    };
    const auto* s = shipped()->find("spatial_query");
    const auto key = [&](const char* arguments) {
        return key_of_call(*s, "raster_query", parsed(arguments), facts, crs());
    };
    CHECK(key(R"({"geometry":[0,0,1,1],"geometry_crs":"EPSG:4326"})"));
    CHECK(key(R"({"geometry":{"type":"Point","coordinates":[1,2]}})"));
    CHECK(asked == 0);
    CHECK(key(R"({"geometry":[0,0,1,1]})").error().message == "cannot open a.tif");
    CHECK(asked == 1);
}

TEST_CASE("a missing or wrong key argument is named by its location") {
    const auto* crs_datum = shipped()->find("crs_datum");
    const auto* spatial = shipped()->find("spatial_query");
    const auto of_args = [&](const spec* s, const char* text) {
        return key_of_prompt_args(*s, parsed(text), crs()).error();
    };
    CHECK(of_args(crs_datum, "{}").message == "prompt_args lack 'dst_crs'");
    CHECK(of_args(crs_datum, R"({"dst_crs":""})").at == "/prompt_args/dst_crs");
    CHECK(of_args(crs_datum, R"({"dst_crs":"EPSG:3857","src_crs":"EPSG:4326"})").message ==
          "'src_crs' is not a key argument of crs_datum");
    CHECK(of_args(crs_datum, R"({"dst_crs":"EPSG:99999"})").message == "dst_crs: PROJ does not know 'EPSG:99999'");
    CHECK(of_args(crs_datum, "[]").message == "prompt_args must be an object");
    CHECK(of_args(spatial, R"({"geometry":[0,0,1,1]})").message == "a bounding box has no CRS of its own");
    const auto of_call = key_of_call(*crs_datum, "raster_reproject", parsed(R"({"dst_crs":"nonsense"})"), {}, crs());
    CHECK(of_call.error().at == "/dst_crs");
    CHECK(key_of_call(*crs_datum, "raster_reproject", parsed("{}"), {}, crs()).error().message ==
          "the call does not give dst_crs, for which crs_datum requires a reason");
}

TEST_CASE("a choice is text: boxes as JSON, other geometries by their digest") {
    const auto* s = shipped()->find("spatial_query");
    const auto choice = [&](const char* args) {
        return choice_of(*s, key_of_prompt_args(*s, parsed(args), crs()).value());
    };
    CHECK(choice(R"({"geometry":[0.0,0,1,1],"geometry_crs":"EPSG:4326"})") == "[0,0,1,1]");
    // printf '{"coordinates":[1,2],"type":"Point"}' | sha256sum
    CHECK(choice(R"({"geometry":{"type":"Point","coordinates":[1,2]}})") ==
          "geometry-sha256:0bc92a5e811f0ffd88829cf6169e8dab3a9373a8e9446797ee2c3672ff701818");
}

TEST_CASE("a cache key is sha256: and 64 lower-case hex digits") {
    CHECK(is_cache_key("sha256:" + std::string(64, 'a')));
    CHECK_FALSE(is_cache_key("sha256:" + std::string(64, 'A')));
    CHECK_FALSE(is_cache_key("sha256:" + std::string(63, 'a')));
    CHECK_FALSE(is_cache_key("sha256:../" + std::string(61, 'a')));
}
