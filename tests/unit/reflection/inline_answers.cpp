// Answers that come with a call or are stored alone.
#include "example.hpp"

using namespace example;

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
    const auto denies = [&](const char* tradeoffs) {
        auto answer = parsed(reason("EPSG:3857"));
        answer.at_pointer("/choice/tradeoffs") = tradeoffs;
        setting fresh;
        const auto told =
            cautions(fresh.gate()
                         .decide(fresh.calling("vector_reproject", arguments, R"({"crs_datum":)" + line(answer) + "}"))
                         .value());
        return told[0].find("tradeoffs names none") != std::string::npos;
    };
    for (const char* none : {"None at all.", "no tradeoffs", "Nothing is lost here", "n/a"}) CHECK(denies(none));
    for (const char* some : {"none of the surroundings", "no heights", "nothing below a cell"})
        CHECK_FALSE(denies(some));
}

TEST_CASE("a conflict that the domain does not have is remarked on") {
    setting s;
    auto answer = parsed(reason("EPSG:3857"));
    answer.as_object()["conflicts"] = parsed(R"([{"name":"no_such","why_accepted":"it is small enough here"}])");
    const auto told = cautions(s.gate()
                                   .decide(s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857"})",
                                                     R"({"crs_datum":)" + line(answer) + "}"))
                                   .value());
    REQUIRE_FALSE(told.empty());
    CHECK(told.back().find("conflicts names 'no_such', which is no conflict of crs_datum") != std::string::npos);
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
    CHECK(refused(R"({"domain":"crs_datum","prompt_args":{"dst_crs":"EPSG:3857"},"justification":
                      {"needs_escalation":false,"reason":"a look at the tiles"}})") ==
          "/justification/needs_escalation \"needs_escalation\": false is about one call, and is not stored");
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
