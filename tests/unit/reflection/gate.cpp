#include "base/digest.hpp"
#include "example.hpp"
#include "reflection/decision_line.hpp"
#include "reflection/key_report.hpp"

using namespace example;

namespace {

// The shipped CRS domain with another prompt text, another `equivalent_to`, or another policy.
std::shared_ptr<const specs> reworded(const std::string& body_change, const std::string& front,
                                      const std::string& policy) {
    const folder f;
    auto prompt = base::read_file(fs::path{SOURCE_DIR} / "prompts/justify_crs_selection.md").value();
    prompt.insert(prompt.find("\n---\n", 4) + 1, front);
    prompt += body_change;
    auto spec = base::read_file(fs::path{SOURCE_DIR} / "reflection-specs/crs_datum.yaml").value();
    if (const auto at = spec.find("policy:"); !policy.empty()) spec.replace(at, spec.find('\n', at) - at, policy);
    return specs::load({{"core",
                         {f.file("crs_datum.yaml", spec)},
                         {f.file("p.md", prompt)},
                         {f.file("crs_datum.md", "# CRS\n")}}})
        .value();
}
}  // namespace

TEST_CASE("a free tool asks nothing") {
    setting s;
    const auto v = s.gate().decide(s.calling("raster_info", R"({"uri":"a.tif"})"));
    CHECK(v->runs());
    CHECK(receipts(*v).empty());
}

TEST_CASE("both missing domains are named at once") {
    setting s;
    CHECK(s.decisions(s.calling("raster_reproject", reproject)) == "crs_datum=block resampling=block");
}

TEST_CASE("a justification for EPSG:3857 serves raster and vector and every spelling") {
    setting s;
    store_reason(s, "crs_datum", R"({"dst_crs":"EPSG:3857"})", "EPSG:3857");
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857"})")) == "crs_datum=proceed");
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"epsg:3857"})")) == "crs_datum=proceed");
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:900913"})")) == "crs_datum=proceed");
    CHECK(s.decisions(s.calling("raster_reproject", reproject)) == "crs_datum=proceed resampling=block");
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:6933"})")) == "crs_datum=block");
    store_reason(s, "resampling", R"({"method":"Bilinear"})", "bilinear");
    CHECK(s.decisions(s.calling("raster_reproject", reproject)) == "crs_datum=proceed resampling=proceed");
}

TEST_CASE("the inputs are read once per call, however many domains need them") {
    setting s;
    CHECK(s.decisions(s.calling("raster_reproject", reproject)) == "crs_datum=block resampling=block");
    CHECK(s.facts_asked == 1);
    store_reason(s, "crs_datum", R"({"dst_crs":"EPSG:3857"})", "EPSG:3857");
    store_reason(s, "resampling", R"({"method":"bilinear"})", "bilinear");
    CHECK(s.decisions(s.calling("raster_reproject", reproject)) == "crs_datum=proceed resampling=proceed");
    CHECK(s.facts_asked == 2);
}

TEST_CASE("the same extent for the same purpose asks nothing on another file") {
    setting s;
    store_reason(s, "spatial_query", R"({"geometry":[0,0,1,1],"geometry_crs":"EPSG:4326","purpose":"heat in town"})",
                 "[0,0,1,1]");
    const auto decided = [&](const char* arguments) { return s.decisions(s.calling("vector_query", arguments)); };
    CHECK(
        decided(R"({"uri":"b.gpkg","geometry":[0.0,0,1.0,1],"geometry_crs":"epsg:4326","purpose":" heat  in town"})") ==
        "problem: geometry_crs: PROJ does not know 'epsg:4326'");
    CHECK(
        decided(R"({"uri":"b.gpkg","geometry":[0.0,0,1.0,1],"geometry_crs":"EPSG:4326","purpose":" heat  in town"})") ==
        "crs_datum=not_needed spatial_query=proceed");
    CHECK(decided(R"({"uri":"b.gpkg","geometry":[0,0,1,2],"geometry_crs":"EPSG:4326","purpose":"heat in town"})") ==
          "crs_datum=not_needed spatial_query=block");
    CHECK(decided(R"({"uri":"b.gpkg","geometry":[0,0,1,1],"geometry_crs":"EPSG:4326","purpose":"shade"})") ==
          "crs_datum=not_needed spatial_query=block");
}

TEST_CASE("a comment in a prompt changes nothing, another wording warns, and equivalent_to silences it") {
    setting s;
    store_reason(s, "crs_datum", R"({"dst_crs":"EPSG:3857"})", "EPSG:3857");
    const auto c = s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857"})");
    s.asked = reworded("<!-- reviewed -->\n\n", "", "");
    CHECK(s.decisions(c) == "crs_datum=proceed");
    s.asked = reworded("One more thing.\n", "", "");
    CHECK(s.decisions(c) == "crs_datum=warn");
    CHECK(s.gate().decide(c)->rulings.front().notes.front() ==
          "stale: answered on 2026-01-02 under an older wording of justify_crs_selection");
    s.asked = reworded("One more thing.\n",
                       "equivalent_to: ['" + shipped()->find("crs_datum")->question_prompt.hash + "']\n", "");
    CHECK(s.decisions(c) == "crs_datum=proceed");
    s.asked = reworded("One more thing.\n", "", "policy: {stale: block}");
    CHECK(s.decisions(c) == "crs_datum=block");
}

TEST_CASE("the policy decides what a missing reason and a weak one mean") {
    setting s;
    const auto c = s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857"})");
    s.asked = reworded("", "", "policy: {missing: warn}");
    CHECK(s.decisions(c) == "crs_datum=warn");
    s.asked = reworded("", "", "policy: {min_confidence: high}");
    CHECK(s.decisions(c) == "crs_datum=block");
    store_reason(s, "crs_datum", R"({"dst_crs":"EPSG:3857"})", "EPSG:3857");
    CHECK(s.decisions(c) == "crs_datum=warn");
    s.asked = reworded("", "", "policy: {min_confidence: medium}");
    CHECK(s.decisions(c) == "crs_datum=proceed");
}

TEST_CASE("a decision is one line of the log, with what was found under the key") {
    setting s;
    const auto line_of = [&](const char* tool, const char* arguments) {
        return decision_line(s.gate().decide(s.calling(tool, arguments)).value().rulings.front());
    };
    const auto arguments = R"({"dst_crs":"EPSG:3857"})";
    CHECK(line_of("vector_reproject", R"({"dst_crs":"EPSG:32616"})")
              .find("crs_datum: not_needed, not looked up, sha256:") == 0);
    const auto missed = line_of("vector_reproject", arguments);
    CHECK(missed.find("crs_datum: block, miss, sha256:") == 0);
    store_reason(s, "crs_datum", R"({"dst_crs":"EPSG:3857"})", "EPSG:3857");
    const auto hit = line_of("vector_reproject", arguments);
    CHECK(hit.find("crs_datum: proceed, hit, sha256:") == 0);
    CHECK(hit.find("reason of 2026-01-02, chosen by the agent: tiles that join a web map") != std::string::npos);
    s.asked = reworded("One more thing.\n", "", "");
    CHECK(line_of("vector_reproject", arguments).find("crs_datum: warn, stale, sha256:") == 0);
    s.asked = shipped();
    const auto key = missed.substr(missed.find("sha256:"), 71);
    REQUIRE(base::write_file_atomically(s.file_of("crs_datum", key), "{}"));
    CHECK(line_of("vector_reproject", arguments).find("crs_datum: block, foreign record, sha256:") == 0);
}

TEST_CASE("the report on keys holds the very text that is hashed, and where each argument comes from") {
    setting s;
    const auto all = key_report(*s.asked, s.calling("raster_query", R"({"geometry":[0,0,1,1],"purpose":"heat"})"));
    REQUIRE(all.size() == 2);
    CHECK(all[0].at("problem") == json::value("the call does not give method, for which resampling requires a reason"));
    const auto& extent = all[1];
    REQUIRE(extent.at("keys").as_array().size() == 1);
    const auto& key = extent.at("keys").at(0);
    CHECK("sha256:" + base::sha256_hex(key.at("hashed").as_string()) == key.at("cache_key").as_string());
    CHECK("sha256:" + base::sha256_hex(key.at("question_hashed").as_string()) == key.at("question_hash").as_string());
    CHECK(
        key.at("question_hashed") ==
        json::value(R"({"domain":"spatial_query","geometry":[0,0,1,1],"geometry_crs":"EPSG:32616","purpose":"heat"})"));
    CHECK(line(extent.at("key_arguments").at(1)) ==
          R"({"name":"geometry_crs","normal":"EPSG:32616","given":"EPSG:32616","source":"fact /input/crs/normal"})");
}

TEST_CASE("the report on keys has one for each statistic, under which its reason is stored") {
    setting s;
    const auto c = s.calling("aggregate_zonal", R"({"raster":"a.tif","zones":"z.gpkg","stats":["std","mean"]})");
    const auto report = key_report(*s.asked, c);
    const auto& keys = report.at(0).at("keys").as_array();
    REQUIRE(keys.size() == 2);
    store_reason(s, "aggregation", R"({"statistic":"mean"})", "mean");
    CHECK(s.records->find("aggregation", keys[0].at("cache_key").as_string()).records.size() == 1);
    CHECK(keys[1].at("question_hashed") == json::value(R"({"domain":"aggregation","statistic":"stdev"})"));
}

TEST_CASE("a receipt names the reason a decision rests on") {
    setting s;
    store_reason(s, "crs_datum", R"({"dst_crs":"EPSG:3857"})", "EPSG:3857");
    const auto v = s.gate().decide(s.calling("raster_reproject", reproject)).value();
    const auto all = receipts(v);
    REQUIRE(all.size() == 2);
    const auto key =
        cache_key("crs_datum", shipped()->find("crs_datum")->question_prompt.hash, {{"dst_crs", "EPSG:3857"}});
    CHECK(line(all[0]) == R"({"domain":"crs_datum","risk_class":"high","input_hash":")" + key +
                              R"(","decision":"proceed","justification_ref":"justification://crs_datum/)" + key +
                              R"(","notes":["reason of 2026-01-02, chosen by the agent: tiles that join a web map"]})");
    CHECK(all[1].at("decision") == json::value("block"));
    CHECK(all[1].at("justification_ref").is_null());
    const auto free = s.gate().decide(s.calling("hydro_flow_accumulation", R"({"uri":"d.tif"})")).value();
    CHECK(line(receipts(free)) ==
          R"([{"domain":"hydrology","risk_class":"high","input_hash":null,"decision":"not_needed",)"
          R"("justification_ref":null,"notes":["the directions are given, nothing is chosen"]}])");
}

TEST_CASE("preflight returns what a call would need and stores nothing") {
    setting s;
    const auto answer = s.gate().preflight(s.calling("raster_reproject", reproject)).value();
    CHECK(answer.at("runs") == json::value(false));
    CHECK(answer.at("domains").as_array().size() == 2);
    const auto& first = answer.at("domains").at(0);
    CHECK(first.at("decision") == json::value("block"));
    CHECK(first.at("missing").at("submit").at("tool") == json::value("store_justification"));
    CHECK(answer.at("retry").at("arguments").at("justification").as_object().size() == 2);
    CHECK_FALSE(fs::exists(s.workspace.path / ".preflight"));
    store_reason(s, "crs_datum", R"({"dst_crs":"EPSG:3857"})", "EPSG:3857");
    const auto fine = s.gate().preflight(s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857"})")).value();
    CHECK(fine.at("runs") == json::value(true));
    CHECK_FALSE(fine.contains("retry"));
}

TEST_CASE("the clock of a record is RFC 3339 in UTC with milliseconds") {
    const auto now = utc_now();
    CHECK(now.size() == 24);
    CHECK(now[10] == 'T');
    CHECK(now[19] == '.');
    CHECK(now.back() == 'Z');
}
