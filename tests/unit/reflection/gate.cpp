#include "base/digest.hpp"
#include "example.hpp"
#include "reflection/decision_line.hpp"
#include "reflection/key_report.hpp"

using namespace example;

namespace {
void store_reason(setting& s, const std::string& domain, const std::string& prompt_args, const std::string& method) {
    const auto done = s.gate().store_justification(store_call(domain, prompt_args, reason(method)), crs());
    INFO((done ? "" : done.error().message));
    REQUIRE(done);
}

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

TEST_CASE("a target CRS equal to the source asks nothing") {
    setting s;
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:32616"})")) == "crs_datum=not_needed");
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:32616","src_crs":"EPSG:32616"})")) ==
          "crs_datum=not_needed");
    // Declaring another source than the file has is a choice again.
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:32616","src_crs":"EPSG:4326"})")) ==
          "crs_datum=block");
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857","src_crs":"EPSG:3857"})")) ==
          "crs_datum=block");
    s.facts = parsed(R"({"input":{"kind_of_dataset":"vector","crs":{"normal":""},"layers":[{"name":"a"}]}})");
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857","src_crs":"EPSG:3857"})")) ==
          "crs_datum=not_needed");
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857"})")) == "crs_datum=block");
}

TEST_CASE("GeoJSON fixes the target CRS, unless another source CRS is declared") {
    setting s;
    s.facts = parsed(
        R"({"input":{"kind_of_dataset":"vector","crs":{"normal":"EPSG:32616"},"layers":[{"name":"a"}]},"inputs":[]})");
    const auto decided = [&](const char* arguments) { return s.decisions(s.calling("vector_reproject", arguments)); };
    CHECK(decided(R"({"dst_crs":"EPSG:4326","output":"b.geojson"})") == "crs_datum=not_needed");
    CHECK(decided(R"({"dst_crs":"OGC:CRS84","output":"b.GeoJSON"})") == "crs_datum=not_needed");
    CHECK(decided(R"({"dst_crs":"EPSG:4326","output":"b.gpkg"})") == "crs_datum=block");
    CHECK(decided(R"({"dst_crs":"EPSG:3857","output":"b.geojson"})") == "crs_datum=block");
    CHECK(decided(R"({"dst_crs":"EPSG:4326","output":"b.geojson","src_crs":"EPSG:3857"})") == "crs_datum=block");
}

TEST_CASE("a src_crs that replaces the declared CRS is a conflict, and never passes unasked") {
    setting s;
    const auto conflict = [&](const char* tool, const std::string& arguments) {
        const auto v = s.gate().decide(s.calling(tool, "{" + arguments + "}")).value();
        const auto& r = v.rulings.front();
        return std::string{to_string(r.outcome)} + (r.findings.empty() ? "" : ": " + r.findings.front().text);
    };
    const auto measured = [&](const char* evidence) {
        s.facts = parsed(
            R"({"input":{"path":"a.tif","kind_of_dataset":"raster","crs":{"normal":"EPSG:32616","name":"UTM 16"}},
            "inputs":[],"evidence":{"crs_distortion":)" +
            std::string{evidence} + "}}");
    };
    const std::string aligned = R"("dst_crs":"EPSG:3857","resampling":"near","align_to":"b.tif")";
    measured(R"({"overrides_own_crs":true,"override":{"own":"EPSG:32616","given":"EPSG:4326","effect":"113 m"}})");
    CHECK(
        conflict("raster_reproject", aligned + R"(,"src_crs":"EPSG:4326")") ==
        "block: src_crs EPSG:4326 replaces the CRS UTM 16 that a.tif declares (shift of the same coordinates: 113 m)");
    measured(R"({"overrides_own_crs":false})");
    CHECK(conflict("raster_reproject", aligned + R"(,"src_crs":"EPSG:32616")") == "not_needed");
    CHECK(conflict("vector_reproject", R"("dst_crs":"EPSG:3857","src_crs":"EPSG:32616")") == "block");
    // Not measured: asked in any case, and a conflict where the facts alone show it.
    s.facts.value().as_object().erase("evidence");
    CHECK(conflict("raster_reproject", aligned + R"(,"src_crs":"EPSG:4326")") == "block");
    CHECK(conflict("vector_reproject", R"("dst_crs":"EPSG:3857","src_crs":"EPSG:3857")") ==
          "block: src_crs EPSG:3857 replaces the CRS UTM 16 that a.tif declares (shift of the same coordinates: ?)");
    CHECK(
        conflict("vector_reproject", R"("dst_crs":"EPSG:32616","src_crs":"EPSG:4326")").starts_with("block: src_crs"));
    s.facts = parsed(R"({"input":{"path":"a.tif","kind_of_dataset":"raster","crs":{"normal":""}},"inputs":[]})");
    CHECK(conflict("raster_reproject", aligned + R"(,"src_crs":"EPSG:4326")") == "not_needed");
}

TEST_CASE("of several layers only the first one's CRS is known, so the question is asked") {
    setting s;
    const auto c = s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857"})");
    s.facts = parsed(R"({"input":{"kind_of_dataset":"vector","crs":{"normal":"EPSG:3857"},"layers":[{"name":"a"}]}})");
    CHECK(s.decisions(c) == "crs_datum=not_needed");
    s.facts = parsed(
        R"({"input":{"kind_of_dataset":"vector","crs":{"normal":"EPSG:3857"},"layers":[{"name":"a"},{"name":"b"}]}})");
    CHECK(s.decisions(c) == "crs_datum=block");
    s.facts = parsed(R"({"input":{"kind_of_dataset":"vector","crs":{"normal":"EPSG:3857"}}})");
    CHECK(s.decisions(c) == "crs_datum=block");
}

TEST_CASE("an unreadable input unlocks nothing") {
    setting s;
    s.facts = base::fail(base::code::io, "cannot open a.tif");
    const auto v = s.gate().decide(s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857"})"));
    CHECK_FALSE(v->runs());
    CHECK(v->rulings.front().notes.front().find("cannot open a.tif") != std::string::npos);
    s.facts = parsed("{}");
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857","src_crs":"EPSG:3857"})")) ==
          "crs_datum=block");
}

TEST_CASE("an unknown CRS is the call's error, not a question") {
    setting s;
    const auto v = s.gate().decide(s.calling("vector_reproject", R"({"dst_crs":"EPSG:99999"})"));
    REQUIRE_FALSE(v);
    CHECK(v.error().at == "/dst_crs");
}

TEST_CASE("each domain asks where something is chosen and nowhere else") {
    setting s;
    const auto decided = [&](const char* tool, const char* arguments) {
        return s.decisions(s.calling(tool, arguments));
    };
    CHECK(decided("raster_reproject", R"({"dst_crs":"EPSG:3857","resampling":"near","align_to":"b.tif"})") ==
          "crs_datum=not_needed resampling=block");
    // spatial_query: looking is free
    CHECK(decided("raster_query", R"({"geometry":[0,0,1,1]})") == "resampling=not_needed spatial_query=not_needed");
    CHECK(decided("raster_query", R"({"geometry":[0,0,1,1],"purpose":"heat"})") ==
          "resampling=not_needed spatial_query=block");
    CHECK(decided("raster_query", R"({"geometry":[0,0,1,1],"output":"b.tif"})") ==
          "resampling=not_needed spatial_query=block");
    CHECK(decided("vector_query", R"({"where":"a=1","output":"b.gpkg"})") ==
          "crs_datum=not_needed spatial_query=not_needed");
    CHECK(decided("vector_query", R"({"geometry":[0,0,1,1],"output":"b.gpkg"})") ==
          "crs_datum=not_needed spatial_query=block");
    // resampling
    CHECK(decided("raster_query", R"({"geometry":[0,0,1,1],"resolution":30})") ==
          "problem: the call does not give method, for which resampling requires a reason");
    CHECK(decided("raster_query", R"({"geometry":[0,0,1,1],"resolution":30,"resampling":"mode"})") ==
          "resampling=block spatial_query=not_needed");
    CHECK(decided("raster_convert", R"({"output":"b.tif"})") == "format_selection=not_needed resampling=not_needed");
    CHECK(decided("raster_convert", R"({"output":"b.tif","overview_resampling":"nearest"})") ==
          "format_selection=not_needed resampling=block");
    // hydrology: once, where the choice is made
    CHECK(decided("hydro_condition", R"({"method":"fill"})") == "hydrology=block");
    CHECK(decided("hydro_flow_direction", R"({"method":"d8"})") == "hydrology=block");
    CHECK(decided("hydro_flow_accumulation", R"({"uri":"dir.tif"})") == "hydrology=not_needed");
    CHECK(decided("hydro_flow_accumulation", R"({"uri":"dem.tif","method":"d8"})") == "hydrology=block");
    store_reason(s, "hydrology", R"({"operation":"flow_direction","method":"d8"})", "d8");
    CHECK(decided("hydro_flow_accumulation", R"({"uri":"dem.tif","method":"d8"})") == "hydrology=proceed");
    CHECK(decided("hydro_flow_direction", R"({"method":"D8"})") == "hydrology=proceed");
    CHECK(decided("hydro_condition", R"({"method":"fill"})") == "hydrology=block");
    // aggregation
    CHECK(decided("aggregate_zonal", R"({"stats":["count","min","max"]})") == "aggregation=not_needed");
    CHECK(decided("aggregate_zonal", R"({"stats":["count","mean"]})") == "aggregation=block");
    store_reason(s, "aggregation", R"({"statistic":"mean"})", "mean");
    CHECK(decided("aggregate_zonal", R"({"stats":["mean","max"]})") == "aggregation=proceed");
    CHECK(decided("aggregate_zonal", R"({"stats":["mean","sum"]})") == "aggregation=proceed aggregation=block");
    // format_selection
    CHECK(decided("raster_convert", R"({"output":"b.tif","compression":"LERC_ZSTD","max_error":0})") ==
          "format_selection=not_needed resampling=not_needed");
    CHECK(decided("raster_convert", R"({"output":"b.jpg"})") == "format_selection=block resampling=not_needed");
    CHECK(decided("raster_convert", R"({"output":"b.TIF","compression":"DEFLATE","driver":"cog"})") ==
          "format_selection=not_needed resampling=not_needed");
    CHECK(decided("raster_convert", R"({"output":"b.tif","compression":"lerc","max_error":0.1})") ==
          "format_selection=block resampling=not_needed");
    CHECK(decided("raster_convert", R"({"output":"b.tif","driver":"JP2OpenJPEG"})") ==
          "format_selection=block resampling=not_needed");
    CHECK(decided("raster_convert", R"({"output":"b.tif","creation_options":["COMPRESS=JPEG"]})") ==
          "format_selection=block resampling=not_needed");
}

TEST_CASE("options that change no value ask nothing, those that do ask as the argument would") {
    setting s;
    const auto decided = [&](const char* options) {
        return s.decisions(
            s.calling("raster_convert", std::string{R"({"output":"b.tif","creation_options":)"} + options + "}"));
    };
    const std::string free = "format_selection=not_needed resampling=not_needed";
    const std::string asks = "format_selection=block resampling=not_needed";
    CHECK(decided(R"(["NUM_THREADS=2","compress=lzw"])") == free);
    CHECK(decided(R"(["COMPRESS=LERC","MAX_Z_ERROR=0"])") == free);
    CHECK(decided(R"(["COMPRESS=LERC","MAX_Z_ERROR=0.5"])") == asks);
    CHECK(decided(R"(["COMPRESS=WEBP"])") == asks);
    CHECK(decided(R"([" compress = JPEG"])") == asks);
    store_reason(s, "format_selection", R"({"compression":"jpeg","quality":60})", "jpeg");
    CHECK(s.decisions(s.calling("raster_convert", R"({"output":"b.tif","compression":"JPEG","quality":60})")) ==
          "format_selection=proceed resampling=not_needed");
    CHECK(decided(R"(["compress = jpeg","QUALITY=60"])") == "format_selection=proceed resampling=not_needed");
    CHECK(decided(R"(["compress = jpeg","QUALITY=50"])") == asks);
}

TEST_CASE("a conversion that was measured to lose nothing asks nothing, whatever its spelling") {
    setting s;
    const auto ruled = [&](const char* arguments, const char* evidence) {
        s.facts = parsed(
            R"({"input":{"path":"a.tif","kind_of_dataset":"raster","bands":[{"dtype":"Float32"},{"dtype":"Byte"}]},
            "inputs":[],"evidence":{"conversion_loss":)" +
            std::string{evidence} + "}}");
        const auto v = s.gate().decide(s.calling("raster_convert", arguments)).value();
        std::string out{to_string(v.rulings.front().outcome)};
        for (const auto& f : v.rulings.front().findings) out += ": " + f.text;
        return out;
    };
    const auto loss = [](int changed, bool sample, int dropped, bool codec) {
        return R"({"changed_cells":)" + std::to_string(changed) + R"(,"approximate":)" + (sample ? "true" : "false") +
               R"(,"facts_dropped":)" + std::to_string(dropped) + R"(,"codec_lossless":)" + (codec ? "true" : "false") +
               R"(,"format":"PNG","dropped":"the palette of band 1","summary":"Byte changes 3 of 9 cells"})";
    };
    const auto png = R"({"output":"b.png"})",
               webp = R"({"output":"b.tif","creation_options":["COMPRESS=WEBP","WEBP_LOSSLESS=YES"]})";
    CHECK(ruled(png, loss(0, false, 0, true).c_str()) == "not_needed");
    CHECK(ruled(webp, loss(0, false, 0, true).c_str()) == "not_needed");
    CHECK(ruled(webp, loss(0, false, 0, false).c_str()) == "block");
    CHECK(ruled(png, R"({"changed_cells":0,"approximate":false,"codec_lossless":true,"refusal":"5 bands"})") ==
          "block");
    CHECK(ruled(png, loss(0, false, 1, true).c_str()) == "block: PNG cannot keep the palette of band 1 of a.tif");
    const auto byte = R"({"output":"b.tif","dtype":"Byte"})";
    CHECK(ruled(byte, loss(0, false, 0, true).c_str()) == "not_needed");
    CHECK(ruled(byte, loss(0, true, 0, true).c_str()).starts_with("block"));
    CHECK(
        ruled(byte, loss(3, false, 0, true).c_str()) ==
        "block: a.tif holds Float32 values; Byte rounds them and refuses those outside its range: Byte changes 3 of 9 "
        "cells");
    // The first band is Float32, and another may be written.
    const auto wider = R"({"output":"b.tif","dtype":"Float32","bands":[2]})";
    CHECK(ruled(wider, loss(3, false, 0, true).c_str()).starts_with("block"));
    CHECK(ruled(wider, loss(0, false, 0, true).c_str()) == "not_needed");
}

TEST_CASE("only a data type that holds every value is lossless") {
    setting s;  // its facts: UInt16
    const auto ruled = [&](const char* more) {
        const auto v =
            s.gate().decide(s.calling("raster_convert", std::string{R"({"output":"b.tif",)"} + more + "}")).value();
        const auto& r = v.rulings.front();
        return std::string{to_string(r.outcome)} + (r.notes.empty() ? "" : ": " + r.notes.front().substr(0, 8)) +
               (r.findings.empty() ? "" : ": " + r.findings.front().check);
    };
    CHECK(ruled(R"("dtype":"UInt16")") == "not_needed: lossless");
    CHECK(ruled(R"("dtype":"Float32")") == "not_needed: lossless");
    CHECK(ruled(R"("dtype":"Int16")") == "block: narrower_type");
    CHECK(ruled(R"("dtype":"Byte")") == "block: narrower_type");
    CHECK(ruled(R"("scale":[0,10000,0,255])") == "block: rescaled_values");
    CHECK(ruled(R"("unscale":true)") == "not_needed: the comp");
    CHECK(ruled(R"("unscale":true,"dtype":"Float64")") == "not_needed: the comp");
    CHECK(ruled(R"("unscale":true,"dtype":"UInt16")").substr(0, 5) == "block");
    s.facts = parsed(R"({"input":{"kind_of_dataset":"raster","bands":[{"dtype":"Int8"}]},"inputs":[]})");
    CHECK(ruled(R"("dtype":"Int16")") == "not_needed: lossless");
    CHECK(ruled(R"("dtype":"Byte")") == "block: narrower_type");
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

TEST_CASE("an inline justification is stored, then the call is decided") {
    setting s;
    const auto both = R"({"crs_datum":)" + reason("EPSG:3857") + R"(,"resampling":)" + reason("bilinear") + "}";
    CHECK(s.decisions(s.calling("raster_reproject", reproject, both)) == "crs_datum=proceed resampling=proceed");
    CHECK(s.decisions(s.calling("raster_reproject", reproject)) == "crs_datum=proceed resampling=proceed");
    setting text;
    CHECK(text.decisions(text.calling("raster_reproject", reproject, line(json::value(both)))) ==
          "crs_datum=proceed resampling=proceed");
    setting half;
    CHECK(half.decisions(half.calling("raster_reproject", reproject, R"({"crs_datum":)" + reason("EPSG:3857") + "}")) ==
          "crs_datum=proceed resampling=block");
}

TEST_CASE("a refused inline justification leaves nothing behind") {
    setting s;
    const auto one_bad = R"({"crs_datum":)" + reason("EPSG:3857") + R"(,"resampling":)" + reason("cubic") + "}";
    const auto v = s.gate().decide(s.calling("raster_reproject", reproject, one_bad));
    REQUIRE_FALSE(v);
    CHECK(v.error().code == base::code::invalid_justification);
    CHECK(v.error().at == "/justification/resampling/choice/method");
    CHECK(v.error().message ==
          "raster_reproject was not run: resampling: choice.method is 'cubic', but the call's choice is 'bilinear'");
    CHECK_FALSE(fs::exists(s.workspace.path / ".preflight"));
    CHECK(s.decisions(s.calling("raster_reproject", reproject, R"({"hydrology":{}})")) ==
          "problem: 'hydrology' is not a domain of raster_reproject");
    CHECK(s.decisions(s.calling("raster_reproject", reproject, "[]")) ==
          "problem: justification must be an object: domain -> answer");
}

TEST_CASE("the first line of a refused answer has the tool, the domain, the field and what is wrong with it") {
    setting s;
    auto thin = parsed(reason("bilinear"));
    thin.at_pointer("/choice/rationale") = "ok";
    auto blank = parsed(reason("EPSG:3857"));
    blank.as_object()["intent"] = "";
    const auto v = s.gate().decide(s.calling(
        "raster_reproject", reproject, R"({"crs_datum":)" + line(blank) + R"(,"resampling":)" + line(thin) + "}"));
    REQUIRE_FALSE(v);
    CHECK(v.error().message ==
          "raster_reproject was not run: crs_datum: empty in the justification: intent; resampling: too short to be a "
          "reason: choice.rationale ('ok')");
}

TEST_CASE("what would improve an inline answer is among the warnings of the call, and in no later one") {
    setting s;
    auto thin = parsed(reason("EPSG:3857"));
    thin.at_pointer("/choice/tradeoffs") = "none";
    const auto arguments = R"({"dst_crs":"EPSG:3857"})";
    const auto v =
        s.gate().decide(s.calling("vector_reproject", arguments, R"({"crs_datum":)" + line(thin) + "}")).value();
    CHECK(v.runs());
    REQUIRE(cautions(v).size() == 2);
    CHECK(cautions(v)[0] == "crs_datum: choice.tradeoffs names none; name what the choice gives up, however little");
    CHECK(cautions(v)[1] == "crs_datum: facts.use is missing, and the data does not show it: what the result is for");
    CHECK(cautions(s.gate().decide(s.calling("vector_reproject", arguments)).value()).empty());
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

TEST_CASE("an inline justification that is stored already is not written again") {
    setting s;
    const auto c =
        s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857"})", R"({"crs_datum":)" + reason("EPSG:3857") + "}");
    CHECK(s.decisions(c) == "crs_datum=proceed");
    const auto file = s.file_of("crs_datum", s.gate().decide(c)->rulings.front().input_hash);
    const auto written = fs::last_write_time(file) - std::chrono::hours{1};
    fs::last_write_time(file, written);
    CHECK(s.decisions(c) == "crs_datum=proceed");
    CHECK(fs::last_write_time(file) == written);
}

TEST_CASE("store_justification refuses an invalid submission, by field") {
    setting s;
    const auto refused = [&](const std::string& arguments) {
        const auto r = s.gate().store_justification(parsed(arguments), crs());
        return r ? "stored" : r.error().at + " " + r.error().message;
    };
    const std::string good =
        R"({"domain":"crs_datum","prompt_args":{"dst_crs":"EPSG:3857"},"justification":)" + reason("EPSG:3857");
    CHECK(refused("{}") == "/domain the arguments lack the required member 'domain'");
    CHECK(refused(good + R"(,"prompt_name":"justify_format"})") ==
          "/prompt_name crs_datum is asked with 'justify_crs_selection', not 'justify_format'");
    CHECK(refused(good + R"(,"parents":["x"]})").find("/parents/0") == 0);
    CHECK(refused(good + R"(,"chosen_by":"nobody"})").find("/chosen_by") == 0);
    CHECK(refused(R"({"domain":"crs_datum","prompt_args":{"dst_crs":7},"justification":{}})")
              .find("/prompt_args/dst_crs") == 0);
    CHECK(refused(R"({"domain":"crs_datum","prompt_args":"EPSG:3857","justification":{}})").find("/prompt_args") == 0);
    CHECK(refused(R"({"domain":"crs_datum","prompt_args":{"dst_crs":"EPSG:3857"},"justification":7})")
              .find("/justification") == 0);
    CHECK(refused(good +
                  R"(,"tool_name":"raster_reproject","prompt_name":"justify_crs_selection","parents":["sha256:)" +
                  std::string(64, 'a') + R"("]})") == "stored");
}

TEST_CASE("store_justification returns what it stored, and what would improve it") {
    setting s;
    auto arguments = store_call("crs_datum", R"({"dst_crs":"epsg:3857"})", reason("EPSG:900913"));
    arguments.as_object()["chosen_by"] = "user";
    arguments.at_pointer("/justification/alternatives") = json::array{};
    arguments.at_pointer("/justification/choice/tradeoffs") = "none";
    const auto done = s.gate().store_justification(arguments, crs()).value();
    CHECK(done.at("status") == json::value("stored"));
    CHECK(done.at("domain") == json::value("crs_datum"));
    CHECK(line(done.at("warnings")) ==
          R"(["choice.tradeoffs names none; name what the choice gives up, however little",)"
          R"("facts.use is missing, and the data does not show it: what the result is for"])");
    const auto kept = s.records->find("crs_datum", done.at("cache_key").as_string()).records.front();
    CHECK(kept->chosen_by == "user");
    CHECK(kept->text.at("justification").at("choice").at("method") == json::value("EPSG:3857"));
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
