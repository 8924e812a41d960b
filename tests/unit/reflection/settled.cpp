// Calls that run without a question because no choice is left, and choices of several parts.
#include "base/pointer.hpp"
#include "example.hpp"
#include "reflection/digits.hpp"
#include "reflection/judge.hpp"
#include "reflection/relations.hpp"

using namespace example;

namespace {
// The domain's rulings as "key argument=decision" for the choice.
std::string ruled(const verdict& v, const char* choice) {
    std::string out;
    for (const auto& r : v.rulings)
        out += (out.empty() ? "" : " ") + std::string{base::string_member(r.key_arguments, choice)} + "=" +
               std::string{to_string(r.outcome)};
    return out;
}

call zonal(setting& s, const char* stats, const std::string& answer = "null") {
    return s.calling("aggregate_zonal", std::string{R"({"raster":"a.tif","zones":"z.gpkg","stats":)"} + stats + "}",
                     answer);
}

std::string ruled_on(setting& s, const char* stats, const std::string& answer = "null") {
    return ruled(s.gate().decide(zonal(s, stats, answer)).value(), "statistic");
}

std::string for_aggregation(const std::string& method) { return R"({"aggregation":)" + reason(method) + "}"; }

// What a provider measures as the difference between candidates.
call measuring(setting& s, call c, const std::string& spread) {
    c.evidence = [spread](const std::string&, const json::object&) -> base::result<json::object> {
        json::object o{{"summary", "tried"}, {"source", "a test"}};
        if (!spread.empty()) o["spread"] = parsed(spread);
        return o;
    };
    s.facts = parsed(R"({"input":{"path":"t.tif","kind":"continuous","kind_of_dataset":"raster",
        "crs":{"normal":"EPSG:32616"}},"inputs":[]})");
    return c;
}

constexpr const char* a_hundredth = R"({"what":"mean of the output cells","low":12.41,"low_by":"nearest","high":13.14,
    "high_by":"average","relative":0.01})";
constexpr const char* nothing = R"({"what":"mean of the output cells","low":7,"low_by":"nearest","high":7,
    "high_by":"average","relative":0,"candidates":["nearest","average"]})";
}  // namespace

TEST_CASE("each statistic of a list is a question of its own") {
    setting s;
    CHECK(ruled_on(s, R"(["mean"])") == "mean=block");
    CHECK(ruled_on(s, R"(["mean"])", for_aggregation("mean")) == "mean=proceed");
    // The stored one is not asked again; what is missing is asked as one.
    CHECK(ruled_on(s, R"(["mean","median"])") == "mean=proceed median=block");
    CHECK(ruled_on(s, R"(["stdev","mean","median"])") == "mean=proceed median+stdev=block");
    // One answer serves both of them, and each by itself afterwards.
    CHECK(ruled_on(s, R"(["stdev","mean","median"])", for_aggregation("stdev+median")) ==
          "mean=proceed median=proceed stdev=proceed");
    CHECK(ruled_on(s, R"(["median"])") == "median=proceed");
    CHECK(ruled_on(s, R"(["stdev","mean"])") == "mean=proceed stdev=proceed");
}

TEST_CASE("an answer for all statistics of a call is taken, and so is one stored beforehand") {
    setting s;
    CHECK(ruled_on(s, R"(["mean","median"])", for_aggregation("mean+median")) == "mean=proceed median=proceed");
    setting other;
    REQUIRE(other.gate().store_justification(
        store_call("aggregation", R"({"statistic":"mean+sum"})", reason("sum+mean")), crs()));
    CHECK(ruled_on(other, R"(["sum"])") == "sum=proceed");
    CHECK(ruled_on(other, R"(["mean","sum"])") == "mean=proceed sum=proceed");
}

TEST_CASE("one of the chosen statistics is no alternative to them") {
    setting s;
    auto answer = reason("mean+median");
    answer.replace(answer.find("something else"), 14, "median");
    const auto v = s.gate().decide(zonal(s, R"(["mean","median"])", R"({"aggregation":)" + answer + "}"));
    REQUIRE_FALSE(v);
    CHECK(v.error().message.find("alternatives[0].method is 'median', which is the choice itself") !=
          std::string::npos);
}

TEST_CASE("the only method a tool offers is recorded, not asked") {
    setting s;
    const auto decided = [&](const char* methods) {
        const auto schema = parsed(std::string{R"({"type":"object","properties":{"uri":{"type":"string"},
            "method":{"type":"string","enum":)"} +
                                   methods + R"(}},"required":["uri","method"]})");
        const gate g{s.asked, s.records, [&] { return s.now; }, {}, [&](std::string_view) { return &schema; }};
        return g.decide(s.calling("hydro_condition", R"({"uri":"dem.tif","method":"fill"})")).value().rulings.front();
    };
    const auto only = decided(R"(["fill"])");
    CHECK(to_string(only.outcome) == "only_option");
    CHECK(only.notes == std::vector<std::string>{"fill is the only method that hydro_condition offers"});
    CHECK(decided(R"(["fill","breach"])").blocks());
    // What the data contradict is asked all the same.
    s.facts = parsed(R"({"input":{"path":"c.tif","kind":"class","kind_why":"it has a palette"},"inputs":[]})");
    CHECK(decided(R"(["fill"])").blocks());
}

TEST_CASE("a choice that changes nothing measurable is not asked") {
    setting s;
    const auto decide = [&](const std::string& spread) {
        return s.gate()
            .decide(measuring(s, s.calling("raster_query", R"({"geometry":[0,0,1,1],"resolution":60,
            "resampling":"average"})"),
                              spread))
            .value();
    };
    const auto free = decide(nothing);
    CHECK(free.runs());
    CHECK(to_string(free.rulings.front().outcome) == "immaterial");
    CHECK(line(receipts(free).at(0).at("spread").at("candidates")) == R"(["nearest","average"])");
    CHECK(free.rulings.front().notes.front() ==
          "the candidates differ by no more than the tolerance of 0.1 %: mean of the output cells 7 with each of "
          "them, single values up to 0 % apart");
    const auto asked = decide(a_hundredth);
    CHECK_FALSE(asked.runs());
    const auto c = s.calling("raster_query", "{}");
    CHECK(bounce(asked, c).text.find(
              "- resampling: method average (resampling)\n"
              "  It matters here: mean of the output cells 12.41 (nearest) to 13.14 (average), single values up "
              "to 1 % apart.\n  Measured: tried\n") != std::string::npos);
    CHECK(line(bounce(asked, c).body.at("missing").at(0).at("spread").at("high")) == "13.14");
    CHECK_FALSE(decide("").runs());  // nothing was compared
}

TEST_CASE("a spread names the numbers that were measured, and no others") {
    CHECK(text_of_spread(*parsed(R"({"what":"area","relative":0.02})").if_object()) ==
          "area, single values up to 2 % apart");
    CHECK(text_of_spread(*parsed(R"({"what":"area","low":1,"high":2,"unit":"ha"})").if_object()) == "area 1 to 2 ha");
}

TEST_CASE("a trial of data that lie elsewhere settles nothing") {
    setting s;
    const auto method = [&](const std::string& more) {
        const auto c = s.calling("raster_reproject",
                                 R"({"dst_crs":"EPSG:32616","resolution":60,"resampling":"average")" + more + "}");
        const auto verdict = s.gate().decide(measuring(s, c, nothing)).value();
        for (const auto& r : verdict.rulings)
            if (r.question->domain == "resampling") return std::string{to_string(r.outcome)};
        return std::string{"none"};
    };
    CHECK(method("") == "immaterial");
    CHECK(method(R"(,"src_crs":"EPSG:32617")") == "immaterial");  // it is tried where that places it
    CHECK(method(R"(,"operation":"+proj=noop")") == "block");
    CHECK(method(R"(,"epoch":2021.5)") == "block");
}

TEST_CASE("the tolerance is the policy's, or a smaller one of the measurement") {
    setting s;
    const auto decide = [&](double tolerance, const std::string& spread) {
        const gate g{s.asked, s.records, [&] { return s.now; },
                     [&](const spec& of) {
                         auto p = of.policy;
                         p.tolerance = tolerance;
                         return p;
                     }};
        return g
            .decide(measuring(s, s.calling("raster_query", R"({"geometry":[0,0,1,1],"resolution":60,
                "resampling":"average"})"),
                              spread))
            .value()
            .runs();
    };
    CHECK(decide(0.02, a_hundredth));
    CHECK_FALSE(decide(0.005, a_hundredth));
    CHECK_FALSE(decide(0.02, R"({"what":"codes","low":1,"high":1,"relative":0.01,"tolerance":0})"));
}

TEST_CASE("a conflict is never immaterial, a critical case and values of unknown kind only without any difference") {
    setting s;
    const auto decide = [&](const std::string& kind, const char* method, const std::string& spread) {
        auto c = measuring(s, s.calling("raster_query", std::string{R"({"geometry":[0,0,1,1],"resolution":60,
            "resampling":")"} + method + "\"}"),
                           spread);
        s.facts->at("input").as_object()["kind"] = kind;
        return std::string{to_string(s.gate().decide(c).value().rulings.front().outcome)};
    };
    CHECK(decide("continuous", "bilinear", nothing) == "immaterial");
    CHECK(decide("class", "bilinear", nothing) == "block");
    CHECK(decide("elevation", "bilinear", R"({"what":"mean","low":1,"high":1,"relative":0.0005})") == "block");
    CHECK(decide("elevation", "bilinear", nothing) == "immaterial");
    CHECK(decide("unknown", "bilinear", nothing) == "immaterial");
    CHECK(decide("unknown", "bilinear", R"({"what":"mean","low":1,"high":1,"relative":0.0005})") == "block");
}

TEST_CASE("cells that stay where they are need no resampling method, and a whole dataset no extent") {
    const auto facts = parsed(R"({"input":{"width":400,"height":300,"pixel_size":[30,30],"bounds":[0,0,12000,9000],
        "bounds_wgs84":[8,48,8.2,48.1],"crs":{"normal":"EPSG:32632","unit_m":1}},"inputs":[
        {"path":"same.tif","width":10,"height":10,"pixel_size":[30,30],"bounds":[300,600,600,900],
         "crs":{"normal":"EPSG:32632"}},
        {"path":"half.tif","width":10,"height":10,"pixel_size":[30,30],"bounds":[315,600,615,900],
         "crs":{"normal":"EPSG:32632"}}]})");
    const auto stays = [&](const std::string& arguments) {
        static const auto where = parse_output_grid(parsed(R"({"resolution":"/resolution","crs":"/dst_crs",
            "width":"/width","height":"/height","bounds":"/bounds","bounds_crs":"/bounds_crs","src_crs":"/src_crs",
            "like":"/align_to"})"))
                                      .value();
        const auto lookup = [](std::string_view code) -> base::result<crs_identity> {
            return crs_identity{std::string{code}, false, "", 1, std::nullopt};
        };
        return base::at_pointer(with_relations(facts, parsed(arguments), where, "", lookup), "/grid/coincides") !=
               nullptr;
    };
    CHECK(stays(R"({"dst_crs":"EPSG:32632"})"));
    CHECK_FALSE(stays(R"({"dst_crs":"EPSG:32633"})"));
    CHECK(stays(R"({"resolution":30})"));
    CHECK_FALSE(stays(R"({"resolution":30.5})"));
    CHECK_FALSE(stays(R"({"resolution":[30,60]})"));
    CHECK(stays(R"({"resolution":30,"bounds":[300,600,900,1200]})"));
    CHECK_FALSE(stays(R"({"resolution":30,"bounds":[310,600,910,1200]})"));
    CHECK(stays(R"({"width":400,"height":300})"));
    CHECK_FALSE(stays(R"({"width":200,"height":150})"));
    CHECK(stays(R"({"width":20,"height":10,"bounds":[300,600,900,900]})"));
    CHECK(stays(R"({"bounds":[300,600,900,1200],"bounds_crs":"EPSG:32632","src_crs":"EPSG:32632"})"));
    CHECK_FALSE(stays(R"({"bounds":[300,600,900,1200],"bounds_crs":"EPSG:32633"})"));
    CHECK_FALSE(stays(R"({"src_crs":"EPSG:32633"})"));
    CHECK(stays(R"({"src_crs":"EPSG:32633","dst_crs":"EPSG:32633"})"));  // assigned, not transformed to
    CHECK_FALSE(stays(R"({"src_crs":"EPSG:32633","dst_crs":"EPSG:32632"})"));
    CHECK(stays(R"({"align_to":"same.tif"})"));
    CHECK(stays(R"({"align_to":"same.tif","dst_crs":"another name of its CRS"})"));
    CHECK_FALSE(stays(R"({"align_to":"half.tif"})"));

    const auto covers = [&](const char* geometry, const char* crs) {
        return covers_input(parsed(geometry), crs, facts);
    };
    CHECK(covers("[0,0,12000,9000]", "EPSG:32632"));
    CHECK(covers("[30,30,11970,9000]", "EPSG:32632"));  // but for a cell
    CHECK_FALSE(covers("[61,0,12000,9000]", "EPSG:32632"));
    CHECK(covers(R"({"type":"Polygon","coordinates":[[[-1,-1],[13000,-1],[13000,9999],[-1,9999],[-1,-1]]]})",
                 "EPSG:32632"));
    CHECK_FALSE(
        covers(R"({"type":"Polygon","coordinates":[[[0,0],[12000,9000],[0,9000],[-1,5],[0,0]]]})", "EPSG:32632"));
    CHECK(covers("[7,47,9,49]", "OGC:CRS84"));
    CHECK_FALSE(covers("[8.1,47,9,49]", "OGC:CRS84"));
    CHECK_FALSE(covers("[7,47,9,49]", "EPSG:3857"));
}

TEST_CASE("a reason outside a scope that says so blocks, whatever the policy of revisits") {
    setting s;
    folder f;
    const auto from = [&](const char* more) {
        spec_source source{
            "core",
            {f.file("d.yaml", std::string{R"(domain: d
title: method
prompt: p
risk: low
question: "Why?"
key: {method: lower}
tools: {t: {method: /method}}
scope:
  error: {fact: /input/error, at_most: 2)"} +
                                  more + "}\n")},
            {f.file(
                "p.md",
                "---\nname: p\ntitle: P\ndescription: d\narguments: [{name: method, description: M, required: true}]\n"
                "---\nWhy {{method}}?\n")}};
        return specs::load({source}).value();
    };
    for (const bool strict : {false, true}) {
        s.asked = from(strict ? ", else: block" : "");
        s.facts = parsed(R"({"input":{"error":0.1},"inputs":[]})");
        REQUIRE(s.decisions(s.calling("t", R"({"method":"a"})", R"({"d":)" + reason("a") + "}")) == "d=proceed");
        s.facts = parsed(R"({"input":{"error":0.15},"inputs":[]})");
        CHECK(s.decisions(s.calling("t", R"({"method":"a"})")) == "d=proceed");
        s.facts = parsed(R"({"input":{"error":0.3},"inputs":[]})");
        CHECK(s.decisions(s.calling("t", R"({"method":"a"})")) == (strict ? "d=block" : "d=revisit"));
    }
}

TEST_CASE("a reason for a target CRS is none for another source CRS, operation or epoch") {
    setting s;
    const auto crs = [&](const std::string& more, const std::string& answer = "null") {
        return s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857")" + more + "}", answer));
    };
    REQUIRE(crs("", R"({"crs_datum":)" + reason("EPSG:3857") + "}") == "crs_datum=proceed");
    CHECK(crs("") == "crs_datum=proceed");
    CHECK(crs(R"(,"src_crs":"EPSG:4267")") == "crs_datum=block");
    CHECK(crs(R"(,"operation":"+proj=noop")") == "crs_datum=block");
    CHECK(crs(R"(,"epoch":2021.5)") == "crs_datum=block");
}

TEST_CASE("a reason for a data type, a scale or a nodata value is none for another") {
    setting s;  // its facts: UInt16
    auto submission = store_call("format_selection", R"({"compression":"tif"})", reason("tif"));
    submission.as_object()["scope"] = parsed(R"({"dtype":"Int16","scale":"none","nodata":"none",
        "conflicts":["narrower_type"]})");
    submission.at("justification").as_object()["conflicts"] =
        parsed(R"([{"name":"narrower_type","why_accepted":"no value is above 32767 here"}])");
    REQUIRE(s.gate().store_justification(submission, crs()));
    const auto decided = [&](const char* more) {
        return s.decisions(s.calling("raster_convert", std::string{R"({"output":"b.tif",)"} + more + "}"))
            .substr(0, std::string{"format_selection=proceed"}.size());
    };
    CHECK(decided(R"("dtype":"Int16")") == "format_selection=proceed");
    CHECK(decided(R"("dtype":"Byte")").starts_with("format_selection=block"));
    CHECK(decided(R"("dtype":"Int16","nodata":7)").starts_with("format_selection=block"));
    CHECK(decided(R"("scale":[0,1,0,255])").starts_with("format_selection=block"));
}

TEST_CASE("an accepted conflict is accepted for the data it was measured on") {
    setting s;
    const auto on = [&](const char* path, const char* state, int clamped) {
        s.facts = parsed(R"({"input":{"kind_of_dataset":"raster","path":")" + std::string{path} + R"(","state":")" +
                         state + R"(","kind":"elevation","crs":{"normal":"EPSG:32616"},"bands":[{"dtype":"Int16"}]},
            "inputs":[],"evidence":{"conversion_loss":{"summary":"measured","cells_outside":)" +
                         std::to_string(clamped) + "}}}");
    };
    const auto convert = [&](const std::string& more = "", const std::string& answer = "null") {
        return s.calling("raster_convert", R"({"output":"b.tif","dtype":"Byte","scale":[0,2000,0,255])" + more + "}",
                         answer);
    };
    const auto ruled = [&](const call& c) { return s.gate().decide(c).value().rulings.front(); };
    auto answer = parsed(reason("tif"));
    answer.as_object()["conflicts"] =
        parsed(R"([{"name":"rescaled_values","why_accepted":"peaks above 2000 m may all be white"}])");
    on("a.tif", "1", 4984);
    REQUIRE(ruled(convert("", R"({"format_selection":)" + line(answer) + "}")).outcome == decision::proceed);
    CHECK(ruled(convert()).outcome == decision::proceed);
    on("a.tif", "1", 5100);  // another sample of the same cells
    CHECK(ruled(convert()).outcome == decision::proceed);
    on("a.tif", "1", 40000);  // another band
    CHECK(ruled(convert()).outcome == decision::block);
    on("a.tif", "2", 4984);  // written anew
    CHECK(ruled(convert()).outcome == decision::block);
    on("b.tif", "1", 72287);
    const auto other = ruled(convert());
    CHECK(other.outcome == decision::block);
    REQUIRE(other.changed.size() == 1);
    CHECK(other.changed.front() == "rescaled_values was accepted for a.tif (4984 cells), not for b.tif (72287 cells)");
    CHECK(other.confirmable());
    // Looked at and accepted for both, both run.
    const std::string word = R"({"format_selection":{"still_holds":"the peaks of b.tif may be white, too","conflicts":[
        {"name":"rescaled_values","why_accepted":"a third of b.tif is above 2000 m, which the map need not show"}]}})";
    CHECK(ruled(convert("", word)).outcome != decision::block);
    CHECK(ruled(convert()).outcome == decision::proceed);
    on("a.tif", "1", 4984);
    CHECK(ruled(convert()).outcome == decision::proceed);
}

TEST_CASE("a policy finds its workspace however the folder is written") {
    for (const char* folder : {"/data/survey", "/data/survey/", "/data/./survey", "/data/x/../survey"}) {
        INFO(folder);
        const auto file =
            policy_file::parse(std::string{"workspaces: {"} + folder + ": {resampling: {tolerance: 0.5}}}\n").value();
        CHECK(file.applied("resampling", "/data/survey", {}).tolerance == 0.5);
        CHECK(file.applied("resampling", "/data/other", {}).tolerance == 0.001);
    }
}

TEST_CASE("the kind of a raster is that of the bands a call reads") {
    setting s;
    s.facts = parsed(R"({"input":{"path":"b.tif","kind_of_dataset":"raster","kind":"continuous","bands":[
        {"kind":"continuous"},{"kind":"angle","kind_why":"its unit is degrees"}]},"inputs":[]})");
    const auto conflicts = [&](const char* bands) {
        const auto v = s.gate().decide(s.calling("raster_query", std::string{R"({"geometry":[0,0,1,1],"resolution":60,
            "resampling":"average")"} + bands + "}"));
        return v.value().rulings.front().conflicts();
    };
    CHECK(conflicts(R"(,"bands":[1])").empty());
    CHECK(conflicts(R"(,"bands":[2])") == std::vector<std::string>{"averaging_of_angles"});
    CHECK(conflicts("") == std::vector<std::string>{"averaging_of_angles"});  // all of them
}

TEST_CASE("numbers are shown with the digits that say something") {
    CHECK(significant(1234.5678, 4) == 1235);
    CHECK(significant(0.00123456, 3) == 0.00123);
    CHECK(significant(-99999, 2) == -100000);
    CHECK(significant(0, 4) == 0);
    json::value v = parsed(R"({"a":[1.23456,2],"b":"1.23456","c":{"d":1e-10}})");
    round_numbers(v, 3);
    CHECK(line(v) == R"({"a":[1.23,2],"b":"1.23456","c":{"d":1e-10}})");
}

TEST_CASE("a spread tells its ends apart, and names a candidate that has both once") {
    CHECK(text_of_spread(
              json::object{{"what", "mean"}, {"low", 0.99988}, {"low_by", "a"}, {"high", 1.00015}, {"high_by", "b"}}) ==
          "mean 0.99988 (a) to 1.00015 (b)");
    CHECK(text_of_spread(json::object{
              {"what", "length"}, {"low", 0.99034}, {"low_by", "a"}, {"high", 1.0123}, {"high_by", "a"}}) ==
          "length 0.9903 to 1.012 (a)");
}
