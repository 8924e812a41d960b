#include "reflection/bounce.hpp"

#include "base/digest.hpp"
#include "base/pointer.hpp"
#include "example.hpp"
#include "reflection/long_text.hpp"

using namespace example;

namespace {
struct refused : setting {
    call asked;
    refusal told;
    explicit refused(const char* tool, const std::string& arguments) : asked{calling(tool, arguments)} {
        const auto v = gate().decide(asked).value();
        REQUIRE_FALSE(v.runs());
        told = bounce(v, asked);
    }
};

// A client that knows nothing: fills every empty string, by the schema where that has an enum.
void fill(json::value& v, const json::value& schema) {
    if (v.is_string() && v.get_string().empty()) {
        const auto* choices = base::find_member(schema, "enum");
        v = choices ? choices->at(0) : json::value("measured: 12 of them, as text");
    } else if (auto* o = v.if_object()) {
        for (auto& m : *o) fill(m.value(), *base::at_pointer(schema, "/properties/" + std::string{m.key()}));
    } else if (auto* a = v.if_array()) {
        for (auto& e : *a) fill(e, schema.at("items"));
    }
}

const std::vector<std::pair<const char*, std::string>> one_call_per_domain = {
    {"raster_reproject", reproject},
    {"raster_query", R"({"uri":"a.tif","geometry":[500000,4100000,500100,4100100],"purpose":"heat in town"})"},
    {"vector_query",
     R"({"uri":"a.gpkg","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]},"output":"b.gpkg"})"},
    {"hydro_condition", R"({"uri":"dem.tif","method":"fill"})"},
    {"aggregate_zonal", R"({"raster":"a.tif","zones":"z.gpkg","stats":["mean","std"]})"},
    {"raster_convert", R"({"uri":"a.tif","output":"a.jpg","quality":80})"}};
}  // namespace

TEST_CASE("the question names what is chosen, not the compression, where that is lossless") {
    const auto named = [](const std::string& more) {
        const refused r{"raster_convert", R"({"uri":"a.tif","output":"b.tif",)" + more + "}"};
        const auto from = r.told.text.find("- format_selection: ");
        return r.told.text.substr(from, r.told.text.find('\n', from) - from);
    };
    CHECK(named(R"("dtype":"Int16")") == "- format_selection: data type Int16 (dtype)");
    CHECK(named(R"("scale":[0,100,0,255],"dtype":"Byte")") ==
          "- format_selection: values rescaled by [0,100,0,255] (scale)");
    CHECK(named(R"("nodata":7)") == "- format_selection: nodata value 7 (nodata)");
    CHECK(named(R"("compression":"JPEG","dtype":"Byte")") == "- format_selection: compression jpeg (compression)");
}

TEST_CASE("a refused call reads calmly and fits 1000 characters, and 400 for each further domain") {
    const refused r{"raster_reproject", reproject};
    CHECK(
        r.told.text ==
        R"(NOT RUN: raster_reproject. No reason is recorded yet for 2 choices: dst_crs; resampling. Nothing was written.
- crs_datum: target CRS EPSG:3857 (dst_crs)
  What must survive (area, distance, angle, alignment), which number or map comes out of it, and how wrong may it be?
  Give as facts.use what the result is for: display, measure, terrain, exchange.
- resampling: method bilinear (resampling)
  Is a value a label, a measurement, a total or an angle, and what must survive (codes, local mean, sum, extremes, gradients)?
To go on, fill in every empty string in `retry` below and send it, or each answer alone by its `submit`.
choice.method stays equal to the argument; quote a measured number where there is one. The user chose already? Add "chosen_by": "user"; alternatives may then be [].
Just looking? raster_preview, raster_info and vector_info need no reason. raster_query without resolution keeps the original cells and needs no reason here.
Stored for this workspace: the same choice on similar data is not asked again.)");
    for (const auto& [tool, arguments] : one_call_per_domain) {
        const refused each{tool, arguments};
        INFO(each.told.text);
        const auto domains = each.told.body.at("missing").as_array().size();
        CHECK(each.told.text.size() <= 600 + 400 * domains);
        CHECK(line(each.told.body).size() <= 2200 * domains);
        CHECK(each.told.text.find("NOT RUN: ") == 0);
    }
}

namespace {
// What a question shows of a provider that always answers the same.
call with_measure(setting& s, const char* tool, const std::string& arguments, const std::string& summary) {
    auto c = s.calling(tool, arguments);
    c.evidence = [summary](const std::string&, const json::object&) -> base::result<json::object> {
        return json::object{{"summary", summary}, {"source", "a test"}};
    };
    return c;
}
}  // namespace

TEST_CASE("a conflict and what was measured come before the question") {
    setting s;
    s.facts = parsed(
        R"({"input":{"path":"landcover.tif","kind":"class","kind_why":"it has a palette","kind_of_dataset":"raster"},
        "inputs":[]})");
    const auto c = with_measure(s, "raster_query", R"({"geometry":[0,0,1,1],"resolution":60,"resampling":"bilinear"})",
                                "4.00 input cells per output cell; bilinear changes 12 % of the cells");
    CHECK(
        bounce(s.gate().decide(c).value(), c).text ==
        R"(NOT RUN: raster_query. Conflict smoothing_of_codes: landcover.tif holds codes (it has a palette), and bilinear treats codes as quantities. Nothing was written.
- resampling: method bilinear (resampling)
  Measured: 4.00 input cells per output cell; bilinear changes 12 % of the cells
  Conflict smoothing_of_codes: as above. nearest keeps every code, mode the dominant one.
  Say in `conflicts` why the choice is right all the same, or change it.
  Is a value a label, a measurement, a total or an angle, and what must survive (codes, local mean, sum, extremes, gradients)?
To go on, fill in every empty string in `retry` below and send it.
choice.method stays equal to the argument; quote a measured number where there is one. The user chose already? Add "chosen_by": "user"; alternatives may then be [].
raster_query without resolution keeps the original cells and needs no reason here.
Stored for this workspace: the same choice on similar data is not asked again.)");
}

TEST_CASE("what is measured is cut before the question, and the JSON counts every byte of a short call") {
    setting s;
    std::string figures;
    for (int i = 0; i < 30; ++i) figures += "class " + std::to_string(i) + " by -12.3 %; ";
    const auto c = with_measure(s, "raster_reproject", reproject, figures);
    const auto told = bounce(s.gate().decide(c).value(), c);
    INFO(told.text);
    CHECK(told.text.size() <= 1400);
    for (const auto& missing : told.body.at("missing").as_array())
        CHECK(told.text.find(missing.at("question").as_string()) != std::string::npos);
    CHECK(line(told.body).size() <= 4400);
}

TEST_CASE("long conflicts are cut before the question, and long paths before the limit of the JSON") {
    const std::string path = "/data/" + std::string(170, 'p') + ".tif";
    setting s;
    s.facts = parsed(R"({"input":{"path":")" + path + R"(","kind":"class","kind_why":"it has a palette, and )" +
                     std::string(300, 'w') + R"(","kind_of_dataset":"raster"},"inputs":[]})");
    for (const auto& [tool, more] : {std::pair{"raster_convert", R"("compression":"JPEG","quality":80)"},
                                     {"raster_reproject", R"("dst_crs":"EPSG:3857","resampling":"bilinear")"}}) {
        const auto c =
            with_measure(s, tool, R"({"uri":")" + path + R"(","output":")" + path + R"(_out.tif",)" + more + "}",
                         std::string(150, 'm'));
        const auto told = bounce(s.gate().decide(c).value(), c);
        INFO(told.text << "\n" << line(told.body));
        const auto& missing = told.body.at("missing").as_array();
        const std::size_t beyond_100 = 2 * (path.size() - 100) + 2 * (path.size() + 8 - 100);  // of each path, twice
        CHECK(line(told.body).size() <= 2200 * missing.size() + beyond_100);
        for (const auto& m : missing) CHECK(told.text.find(m.at("question").as_string()) != std::string::npos);
        CHECK(told.text.find("Conflict") != std::string::npos);
    }
}

TEST_CASE("the outline in a call costs the conflicts no place in the JSON") {
    setting s;
    s.facts =
        parsed(R"({"input":{"path":"c.tif","kind":"class","kind_why":"it has a palette","kind_of_dataset":"raster"},
        "inputs":[]})");
    std::string ring = "[[0,0]";
    for (int i = 1; i < 60; ++i) ring += ",[1," + std::to_string(i) + "]";
    const auto c =
        with_measure(s, "raster_query",
                     R"({"resolution":60,"resampling":"bilinear","geometry":{"type":"Polygon","coordinates":[)" + ring +
                         ",[0,0]]]}}",
                     "4.00 input cells per output cell");
    const auto missing = bounce(s.gate().decide(c).value(), c).body.at("missing").at(0);
    CHECK(missing.at("conflicts").at(0).at("check") == json::value("smoothing_of_codes"));
    CHECK(missing.as_object().contains("evidence"));
}

TEST_CASE("why an answer is not enough is in the first line") {
    setting s;
    const auto first_line = [&](const char* tool, const std::string& arguments, const std::string& answer) {
        const gate strict{s.asked, s.records, [&] { return s.now; },
                          [](const spec& of) {
                              auto p = of.policy;
                              p.minimum = confidence::high;
                              p.low_confidence = reaction::block;
                              return p;
                          }};
        const auto c = s.calling(tool, arguments, answer);
        const auto text = bounce(strict.decide(c).value(), c).text;
        return text.substr(0, text.find('\n'));
    };
    CHECK(first_line("vector_reproject", R"({"dst_crs":"EPSG:3857"})",
                     R"({"crs_datum":{"needs_escalation":false,"reason":"only a look at the tiles"}})") ==
          "NOT RUN: vector_reproject. The answer is not enough: crs_datum: \"needs_escalation\": false does not count "
          "here: the risk is high. Nothing was written.");
    CHECK(
        first_line("vector_reproject", R"({"dst_crs":"EPSG:3857"})", R"({"crs_datum":)" + reason("EPSG:3857") + "}") ==
        "NOT RUN: vector_reproject. The answer is not enough: crs_datum: its confidence is medium, the policy requires "
        "high. Nothing was written.");
}

TEST_CASE("a reason under review is shown with what changed, and one sentence is requested") {
    setting s;
    const auto box = [&](const char* bounds) {
        s.facts = parsed(R"({"input":{"path":"a.gpkg","kind_of_dataset":"vector","crs":{"normal":"EPSG:4326"},
            "bounds_wgs84":)" +
                         std::string{bounds} + R"(},"inputs":[]})");
    };
    box("[10,50,12,52]");
    const auto arguments = R"({"dst_crs":"EPSG:3857"})";
    REQUIRE(s.gate().decide(s.calling("vector_reproject", arguments, R"({"crs_datum":)" + reason("EPSG:3857") + "}")));
    box("[-80,-10,-79,-9]");
    const gate strict{s.asked, s.records, [&] { return s.now; },
                      [](const spec& of) {
                          auto p = of.policy;
                          p.revisit = reaction::block;
                          return p;
                      }};
    const auto c = s.calling("vector_reproject", arguments);
    const auto told = bounce(strict.decide(c).value(), c);
    CHECK(told.text ==
          R"(NOT RUN: vector_reproject. A stored reason needs a second look: dst_crs. Nothing was written.
- crs_datum: target CRS EPSG:3857 (dst_crs)
  A reason of 2026-01-02 is stored: "tiles that join a web map". But bbox is [-80, -10, -79, -9], the reason was given for [10, 50, 12, 52].
  Does it hold here, too? One sentence is enough.
To go on, fill in every empty string in `retry` below and send it.
Just looking? raster_preview, raster_info and vector_info need no reason.)");
    CHECK(told.body.at("message") ==
          json::value("vector_reproject was not run: the recorded reason does not hold here for crs_datum"));
    const auto waived = s.calling("vector_reproject", arguments,
                                  R"({"crs_datum":{"needs_escalation":false,"reason":"only a look at the tiles"}})");
    CHECK(bounce(strict.decide(waived).value(), waived)
              .text.starts_with("NOT RUN: vector_reproject. The answer is not enough: crs_datum: \"needs_escalation\": "
                                "false does not count where a stored reason is in question. Nothing was written."));
}

TEST_CASE("where the policy requires a person, the bounce tells the agent to ask") {
    setting s;
    const gate strict{s.asked, s.records, [&] { return s.now; },
                      [](const spec& of) {
                          auto p = of.policy;
                          p.missing = reaction::person;
                          return p;
                      }};
    s.facts = parsed(R"({"input":{"path":"dem.tif","surface":"unknown"}})");
    const auto c = s.calling("hydro_condition", R"({"uri":"dem.tif","method":"fill"})");
    CHECK(bounce(strict.decide(c).value(), c).text ==
          R"(NOT RUN: hydro_condition. No reason is recorded yet: method. Nothing was written.
- hydrology: method fill (method)
  Which depressions are real and which are artefacts?
  Give as facts.surface bare ground, or the tops of trees and buildings: dtm, dsm.
The operator requires a person's answer: ask the user, and send it with "chosen_by": "user".
To go on, fill in every empty string in `retry` below and send it.
choice.method stays equal to the argument; quote a measured number where there is one. The user chose already? Add "chosen_by": "user"; alternatives may then be [].
For a look at the terrain, raster_preview and raster_stats need no reason.
Stored for this workspace: the same choice on similar data is not asked again.)");
}

TEST_CASE("each of the choices of a domain has a question of its own") {
    const auto line = [](const char* tool, const char* arguments) {
        const refused r{tool, arguments};
        const auto question = std::string{base::string_member(r.told.body.at("missing").at(0), "question")};
        CHECK(r.told.text.find("  " + question + "\n") != std::string::npos);
        return question.substr(0, question.find(' ', 10));
    };
    CHECK(line("hydro_condition", R"({"uri":"dem.tif","method":"fill"})") == "Which depressions");
    CHECK(line("hydro_flow_direction", R"({"uri":"dem.tif","method":"d8"})") == "Does flow converge");
    CHECK(line("hydro_streams", R"({"uri":"a.tif","directions":"d8.tif","threshold_km2":1})") == "From which");
    const refused streams{"hydro_streams", R"({"uri":"a.tif","directions":"d8.tif","threshold_km2":1})"};
    CHECK(streams.told.text.find("- hydrology: stream threshold 1 km² (threshold_km2)\n") != std::string::npos);
}

TEST_CASE("a submission has no empty string but those to be filled in") {
    const refused r{one_call_per_domain[2].first, one_call_per_domain[2].second};
    const auto& entry = r.told.body.at("missing").at(0);
    CHECK(entry.at("prompt_args").at("purpose") == json::value(""));
    CHECK_FALSE(base::at_pointer(entry, "/submit/arguments/prompt_args/purpose"));
}

TEST_CASE("the JSON block has the members the contract names") {
    const refused r{"raster_reproject", reproject};
    std::string members;
    for (const auto& m : r.told.body) members += std::string{m.key()} + " ";
    CHECK(members == "ok error message hint tool missing retry ");
    CHECK(r.told.body.at("ok") == json::value(false));
    CHECK(r.told.body.at("error") == json::value("requires_epistemic_justification"));
    CHECK(r.told.body.at("message") ==
          json::value("raster_reproject was not run: no recorded reason for crs_datum, resampling"));
    members.clear();
    const auto& first = r.told.body.at("missing").at(0).as_object();
    for (const auto& m : first) members += std::string{m.key()} + " ";
    CHECK(members ==
          "domain risk_class input_hash prompt_hash prompt_name prompt_args question evidence answer_schema "
          "methodology_ref schema_ref submit ");
    CHECK(first.at("methodology_ref") == json::value("methodology://crs_datum"));
    CHECK(first.at("question").as_string().find("What must survive") == 0);
    CHECK(line(first.at("submit").at("arguments").at("justification")) == "{}");
    CHECK(line(first).find("description") == std::string::npos);
    CHECK(line(r.told.body.at("retry").at("arguments").at("dst_crs")) == R"("EPSG:3857")");
    CHECK(base::parse_json(line(r.told.body)));
}

TEST_CASE("what the caller sent is not repeated where it is long, and the refusal says what to put back") {
    std::string ring = "[[0,0]";
    for (int i = 1; i < 500; ++i) ring += ",[1," + std::to_string(i) + "]";
    const refused r{"raster_query",
                    R"({"purpose":"heat","geometry":{"type":"Polygon","coordinates":[)" + ring + "]]}}"};
    const auto& missing = r.told.body.at("missing").at(0);
    CHECK(r.told.text.size() <= 1000);
    CHECK(line(missing.at("answer_schema")).find("geometry-sha256:") != std::string::npos);
    CHECK(missing.at("prompt_args").at("purpose") == json::value("heat"));
    CHECK(missing.at("prompt_args").at("geometry").as_string().find("<as in your call: ") == 0);
    CHECK(missing.at("submit").at("arguments").at("prompt_args").at("geometry").as_string().find("<as in") == 0);
    CHECK(r.told.body.at("retry").at("arguments").at("geometry").as_string().find("<as in your call: ") == 0);
    CHECK(line(r.told.body).size() <= 2200);
    CHECK(r.told.body.at("hint") == json::value("fill in `retry`, put back 'geometry' as sent before, and send it"));
    CHECK(r.told.text.find("`retry` does not repeat 'geometry'; put back what you sent.") != std::string::npos);
}

TEST_CASE("preflight repeats no prompt, no skeleton and no explanation twice") {
    setting s;
    const auto told = s.gate().preflight(s.calling("raster_reproject", reproject)).value();
    const auto& domains = told.at("domains").as_array();
    REQUIRE(domains.size() == 2);
    for (const auto& d : domains) {
        const auto& missing = d.at("missing");
        CHECK(missing.at("question").as_string().find('\n') == std::string::npos);
        CHECK(line(missing.at("submit").at("arguments").at("justification")) == "{}");
    }
    CHECK(line(domains[0].at("missing").at("answer_schema")).find("description") != std::string::npos);
    CHECK(line(domains[1].at("missing").at("answer_schema")).find("description") == std::string::npos);
    CHECK(line(told).size() <= 6000);
}

TEST_CASE("an outline of a few corners is repeated as it is sent") {
    const refused r{"raster_query",
                    R"({"purpose":"heat","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}})"};
    CHECK(r.told.body.at("retry").at("arguments").at("geometry").at("coordinates").at(0).as_array().size() == 4);
}

TEST_CASE("a CRS without a code is named, its WKT left to the caller") {
    const std::string wkt = R"(PROJCRS["Albers of the park",)" + std::string(2500, 'x') + "]";
    CHECK(in_short(wkt) == "CRS \"Albers of the park\" (sha256 " + base::sha256_hex(wkt).substr(0, 8) + ")");
    CHECK(in_short(R"({"type":"ProjectedCRS","name":"Albers","id":")" + std::string(100, 'x') + "\"}")
              .find("CRS \"Albers\" (sha256 ") == 0);
    CHECK(in_short("EPSG:3857") == "EPSG:3857");
    CHECK(whole_clauses("one; two; three", 15) == "one; two; three");
    CHECK(whole_clauses("one; two; three", 12) == "one; two");
    CHECK(whole_clauses("one; a clause that is too long; two", 12) == "one; two");
    CHECK(whole_clauses("one degree is 111 km north-south", 26) == "one degree is 111 km …");
    CHECK(whole_clauses("a clause that is too long", 12) == "a clause \u2026");
    CHECK(in_short(std::string(101, 'y')).find(std::string(57, 'y') + "… (sha256 ") == 0);
}

// The call of store_justification that a refusal offers, with the skeleton for its domain.
static json::value submission(const refused& r, const json::value& missing) {
    auto submit = missing.at("submit").at("arguments");
    submit.at("justification") =
        r.told.body.at("retry").at("arguments").at("justification").at(missing.at("domain").as_string());
    return submit;
}

TEST_CASE("a skeleton sent unchanged is refused, in either way") {
    for (const auto& [tool, arguments] : one_call_per_domain) {
        refused r{tool, arguments};
        for (const auto& missing : r.told.body.at("missing").as_array()) {
            CHECK_FALSE(r.gate().store_justification(missing.at("submit").at("arguments"), crs()));
            const auto answer = r.gate().store_justification(submission(r, missing), crs());
            REQUIRE_FALSE(answer);
            CHECK(answer.error().message.find("empty in the justification: intent, alternatives[0].method, "
                                              "alternatives[0].why_not, choice.rationale, choice.tradeoffs, "
                                              "confidence") == 0);
        }
        auto again = r.asked;
        again.justification = r.told.body.at("retry").at("arguments").at("justification");
        CHECK(r.gate().decide(again).error().code == base::code::invalid_justification);
    }
}

TEST_CASE("the offered calls pass once their empty strings are filled, for every domain") {
    for (const auto& [tool, arguments] : one_call_per_domain) {
        INFO(tool);
        refused by_store{tool, arguments};
        for (const auto& missing : by_store.told.body.at("missing").as_array()) {
            auto submit = submission(by_store, missing);
            fill(submit.at("justification"), missing.at("answer_schema"));
            const auto done = by_store.gate().store_justification(submit, crs());
            INFO((done ? "" : done.error().message));
            REQUIRE(done);
            if (missing.at("domain") != json::value("aggregation"))  // a record for each of two statistics
                CHECK(done->at("cache_key") == missing.at("input_hash"));
        }
        CHECK(by_store.gate().decide(by_store.asked)->runs());

        refused by_retry{tool, arguments};
        auto again = by_retry.asked;
        again.justification = by_retry.told.body.at("retry").at("arguments").at("justification");
        for (const auto& missing : by_retry.told.body.at("missing").as_array())
            fill(again.justification.at(missing.at("domain").as_string()), missing.at("answer_schema"));
        CHECK(by_retry.gate().decide(again)->runs());
    }
}
