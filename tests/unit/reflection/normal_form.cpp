#include "reflection/normal_form.hpp"

#include "example.hpp"
#include "reflection/geometry.hpp"

using namespace example;

TEST_CASE("geometries have the normal form an independent program computes") {
    for (const auto& c : golden().at("geometry").as_array()) {
        INFO(line(c));
        const bool geographic = c.at("geographic").as_bool();
        const auto normal = normal_geometry(c.at("geometry"), geographic ? 9 : 4);
        REQUIRE(normal);
        CHECK(base::canonical_json(*normal) == c.at("jcs").as_string());
        CHECK(base::canonical_json(normal_geometry(*normal, geographic ? 9 : 4).value()) == c.at("jcs").as_string());
    }
}

TEST_CASE("one area has one normal form, however its ring starts and turns") {
    const auto form_of = [](const char* text) { return line(normal_geometry(parsed(text), 9).value()); };
    CHECK(form_of("[0,0,1,1]") == form_of("[0.0,0.0,1.0,1.0]"));
    const auto square = form_of(R"({"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]})");
    CHECK(square == form_of(R"({"type":"Polygon","coordinates":[[[1,1],[1,0],[0,0],[0,1]]]})"));
    CHECK(square == form_of(R"({"type":"MultiPolygon","coordinates":[[[[0,1],[0,0],[1,0],[1,1],[0,1]]]]})"));
    CHECK(square != form_of("[0,0,1,1]"));
}

TEST_CASE("a value that is not an area is refused with what was found") {
    const auto error = [](const char* text) {
        const auto g = normal_geometry(parsed(text), 9);
        return g ? "accepted: " + line(*g) : g.error().message;
    };
    CHECK(error(R"({"type":"FeatureCollection","features":[]})") ==
          "'FeatureCollection' is not a geometry type for an area of interest");
    CHECK(error("[0,0,1]") == "a bounding box must be four numbers [minx, miny, maxx, maxy]");
    CHECK(error("[]") == "the bounding box is empty");
    CHECK(error("7") == "a geometry must be GeoJSON or [minx, miny, maxx, maxy], not 7");
    CHECK(error(R"({"type":"Polygon"})") == "the Polygon has no coordinates");
    CHECK(error(R"({"type":"Feature","geometry":null})") == "the Feature has no geometry");
    CHECK(error(R"({"type":"Polygon","coordinates":[[[0,0],[1,1],[0,0]]]})") ==
          "a ring needs three different vertices; this one has 2 after rounding to 9 decimals");
    CHECK(error(R"({"type":"Point","coordinates":["0",1]})") == R"(a position must be [x, y], not ["0",1])");
    CHECK(error(R"({"type":"LineString","coordinates":[[0,0]]})") == "a LineString needs at least two positions");
    CHECK(error(R"({"type":"MultiPoint","coordinates":[]})") == "a Multi geometry needs an array of at least one part");
}

TEST_CASE("a ring that comes back to its smallest vertex again and again is turned in reasonable time") {
    json::array ring;
    for (int i = 0; i < 100'000; ++i) {
        ring.push_back(json::array{0, 0});
        ring.push_back(json::array{1, i % 7});
    }
    const auto normal =
        normal_geometry(json::object{{"type", "Polygon"}, {"coordinates", json::array{json::value(ring)}}}, 9);
    REQUIRE(normal);
    CHECK(normal->at("coordinates").at(0).as_array().size() == 200'001);
}

TEST_CASE("a table entry, or its target, matches with other separators") {
    normaliser n{form::synonym, false, {}, {}};
    n.synonyms = {{"near", "nearest"}, {"nearest_neighbour", "nearest"}, {"cubicspline", "cubic_spline"}};
    const auto normal = [&](const char* word) { return line(normal_form(n, json::value(word), crs()).value()); };
    CHECK(normal("Near") == R"("nearest")");
    CHECK(normal("Nearest Neighbour") == R"("nearest")");
    CHECK(normal("CUBIC-SPLINE") == R"("cubic_spline")");
    CHECK(normal("Cubic") == R"("cubic")");
}

TEST_CASE("texts have the normal form an independent program computes") {
    for (const auto& c : golden().at("text").as_array()) {
        INFO(line(c));
        CHECK(normal_text(c.at("given").as_string()) == c.at("normal").as_string());
    }
}

TEST_CASE("lists are normalised, unique, sorted and joined") {
    for (const auto& c : golden().at("lists").as_array()) {
        normaliser n{form::synonym, true, {}, {}};
        for (const auto& m : c.at("table").as_object()) n.synonyms.emplace(m.key(), m.value().as_string());
        for (const auto& w : c.at("ignore").as_array()) n.ignore.emplace_back(w.as_string());
        const auto normal = normal_form(n, c.at("given"), crs());
        CHECK(normal.value() == c.at("normal"));
        CHECK(normal_form(n, *normal, crs()).value() == c.at("normal"));  // "a+b" is a list as well
    }
}

TEST_CASE("PROJ identifies a CRS, and an unknown one is a problem") {
    const normaliser n{form::crs, false, {}, {}};
    CHECK(normal_form(n, json::value("epsg:3857"), crs()).value() == json::value("EPSG:3857"));
    CHECK(normal_form(n, json::value(" ESRI:102100 "), crs()).value() == json::value("EPSG:3857"));
    CHECK(normal_form(n, json::value("EPSG:99999"), crs()).error().message == "PROJ does not know 'EPSG:99999'");
    const auto hashed = normal_form(n, json::value("+proj=laea +lat_0=-20 +lon_0=25"), crs()).value();
    CHECK(normal_form(n, hashed, crs()).value() == hashed);
}

TEST_CASE("absent is null for numbers and empty for everything else") {
    for (const auto how : {form::crs, form::synonym, form::geometry, form::lower, form::text})
        CHECK(normal_form({how, false, {}, {}}, nullptr, crs()).value() == json::value(""));
    CHECK(normal_form({form::number, false, {}, {}}, nullptr, crs()).value().is_null());
    CHECK(normal_form({form::number, false, {}, {}}, json::value("85"), crs()).value() == json::value(85));
    CHECK_FALSE(normal_form({form::number, false, {}, {}}, json::value("best"), crs()));
}
