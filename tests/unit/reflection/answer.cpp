#include "reflection/answer.hpp"

#include "base/schema.hpp"
#include "base/schema_lint.hpp"
#include "base/text.hpp"
#include "example.hpp"
#include "reflection/answer_parts.hpp"
#include "reflection/free_text.hpp"

using namespace example;

namespace {
const answer_question web_mercator{"crs_datum", "EPSG:3857", "", [](std::string_view m) -> base::result<std::string> {
                                       const auto identity = crs()(m);
                                       if (!identity) return tl::unexpected{identity.error()};
                                       return identity->normal;
                                   }};

base::result<answer> reading(const std::string& text) {
    return read_answer(parsed(text), web_mercator, "/justification");
}
std::string refusal_of(const std::string& text) {
    const auto a = reading(text);
    return a ? "accepted" : a.error().at + " " + a.error().message;
}
std::string changed(const std::string& pointer, const char* value) {
    auto v = parsed(reason("EPSG:3857"));
    v.at_pointer(pointer) = parsed(value);
    return line(v);
}
}  // namespace

TEST_CASE("a complete answer is read without a warning") {
    const auto a = reading(reason("epsg:3857"));
    REQUIRE(a);
    CHECK(a->warnings.empty());
    CHECK(a->chosen_by == "agent");
    CHECK(a->text.at("choice").at("method") == json::value("EPSG:3857"));
}

TEST_CASE("enum values of an answer match whatever their case and separators") {
    const auto a = reading(changed("/confidence", R"("Medium High")"));
    REQUIRE(a);
    CHECK(a->text.at("confidence") == json::value("medium-high"));
    const answer_question spline{"resampling", "cubic_spline", "",
                                 [](std::string_view m) { return base::result<std::string>{m}; }};
    for (const char* method : {"Cubic Spline", "cubic-spline", "cubicspline"}) {
        INFO(method);
        const auto read = read_answer(parsed(reason(method)), spline, "");
        REQUIRE(read);
        CHECK(read->text.at("choice").at("method") == json::value("cubic_spline"));
    }
    CHECK_FALSE(read_answer(parsed(reason("cubic")), spline, ""));
}

TEST_CASE("a skeleton sent unchanged is refused, naming every empty field") {
    const auto error = refusal_of(line(answer_skeleton("EPSG:3857")));
    CHECK(error ==
          "/justification/intent empty in the justification: intent, alternatives[0].method, "
          "alternatives[0].why_not, choice.rationale, choice.tradeoffs, confidence");
}

TEST_CASE("an empty fact is answered with what a fact may be") {
    const auto blank = refuse_blanks(json::object{{"intent", ""}, {"facts", json::object{{"kind", ""}}}}, "");
    REQUIRE_FALSE(blank);
    CHECK(blank.error().message == "empty in the justification: intent, facts.kind");
    CHECK(blank.error().hint.find("a fact with one of the words it may be") != std::string::npos);
    const auto sentence = refuse_blanks(json::object{{"intent", ""}}, "");
    REQUIRE_FALSE(sentence);
    CHECK(sentence.error().hint.find("a fact") == std::string::npos);
}

TEST_CASE("a text says enough with three different words or twelve letters, in any script") {
    for (const char* filler : {"", "y", "x", "-", "--- ... !!!", "ok", "n/a", "N/A.", "test", "none needed", "x y z",
                               "ok ok ok ok ok ok ok", "see above", "да", "テスト", "测试", "확인"}) {
        INFO(filler);
        CHECK_FALSE(says_enough(filler));
    }
    for (const char* reason :
         {"same sensor again", "interoperability", "off by 3 m", "0.04 % at 37 N", "保持面积", "площадь сохраняется",
          "διατηρεί το εμβαδόν", "면적을 보존한다", "面積を保つため", "يحافظ على المساحة"}) {
        INFO(reason);
        CHECK(says_enough(reason));
    }
}

TEST_CASE("a text that carries the reason and says nothing is refused by its field") {
    CHECK(refusal_of(changed("/choice/rationale", R"("ok")")) ==
          "/justification/choice/rationale too short to be a reason: choice.rationale ('ok')");
    CHECK(refusal_of(changed("/alternatives/0/why_not", R"("n/a")")) ==
          "/justification/alternatives/0/why_not too short to be a reason: alternatives[0].why_not ('n/a')");
    auto both = parsed(changed("/choice/rationale", R"("-")"));
    both.as_object()["conflicts"] = parsed(R"([{"name":"smoothing_of_codes","why_accepted":"x"}])");
    const auto a = reading(line(both));
    REQUIRE_FALSE(a);
    CHECK(a.error().message == "too short to be a reason: choice.rationale ('-'), conflicts[0].why_accepted ('x')");
    CHECK(a.error().hint == "write a sentence about this call: at least three different words, or twelve letters");
    std::string over_and_over;
    for (int i = 0; i < 40; ++i) over_and_over += "word number ";
    CHECK(refusal_of(changed("/choice/rationale", line(json::value(over_and_over)).c_str()))
              .find("says too little to be a reason: choice.rationale ('word number word") != std::string::npos);
    CHECK(read_confirmation(parsed(R"({"still_holds":"y"})"), web_mercator, "/j").error().at == "/j/still_holds");
    CHECK(read_confirmation(parsed(R"({"still_holds":"the extent is the same"})"), web_mercator, "/j"));
    CHECK(read_waiver(parsed(R"({"needs_escalation":false,"reason":"test"})"), "/j").error().at == "/j/reason");
    // Records of earlier versions stay valid.
    CHECK(check_stored_answer(parsed(changed("/choice/rationale", R"("ok")")), "agent"));
}

TEST_CASE("a defect in an answer is named by its field") {
    CHECK(refusal_of(changed("/choice/rationale", R"(" \t ")")) ==
          "/justification/choice/rationale empty in the justification: choice.rationale");
    CHECK(refusal_of(changed("/choice/method", R"("EPSG:4326")")) ==
          "/justification/choice/method choice.method is 'EPSG:4326', but the call's choice is 'EPSG:3857'");
    CHECK(refusal_of(changed("/alternatives/0/method", R"("ESRI:102100")")) ==
          "/justification/alternatives/0/method alternatives[0].method is 'ESRI:102100', which is the choice itself");
    CHECK(refusal_of(changed("/alternatives/0/method", R"("epsg:3857")")).find("the choice itself") !=
          std::string::npos);
    CHECK(refusal_of(changed("/alternatives", "[]")).find("/justification/alternatives alternatives is empty") == 0);
    CHECK(refusal_of(changed("/intent", "7")) ==
          "/justification/intent in the justification, '/intent' is 7; it must be of type string");
    CHECK(refusal_of(changed("/confidence", R"("sure")")).find("/justification/confidence") == 0);
    CHECK(refusal_of(changed("/alternatives", "{}")).find("/justification/alternatives") == 0);
    CHECK(refusal_of(changed("/choice", "null")).find("/justification/choice") == 0);
    CHECK(refusal_of("[]") == "/justification the justification is []; it must be an object");
    CHECK(refusal_of("{}") == "/justification/intent the justification lacks the required member 'intent'");
    auto extra = parsed(reason("EPSG:3857"));
    extra.as_object()["colour"] = "red";
    CHECK(refusal_of(line(extra)).find("the justification has no member 'colour'") != std::string::npos);
    extra.as_object().erase("colour");
    extra.as_object()["domain"] = "resampling";
    CHECK(refusal_of(line(extra)).find("domain is \"resampling\", but the question is about crs_datum") !=
          std::string::npos);
}

TEST_CASE("100 KiB are refused with both sizes") {
    CHECK(refusal_of(changed("/intent", line(json::value(std::string(100 * 1024, 'x'))).c_str()))
              .find("; the limit is 3072") != std::string::npos);
    CHECK(refusal_of(line(json::value(std::string(100 * 1024, '[')))).find("the limit is 3072") != std::string::npos);
}

TEST_CASE("a choice the user made needs no alternative") {
    auto v = parsed(changed("/alternatives", "[]"));
    v.as_object()["chosen_by"] = "user";
    CHECK(reading(line(v)).value().chosen_by == "user");
    v.as_object().erase("alternatives");
    CHECK(reading(line(v)));
    v.as_object()["chosen_by"] = "somebody";
    CHECK(refusal_of(line(v)).find("/justification/chosen_by") == 0);
}

TEST_CASE("the full capsule becomes the same canonical form") {
    const auto full = reading(R"({"domain":"crs_datum_justification",
        "intent":{"description":"tiles that join a web map","context":"town map"},
        "assumptions":{"known":["extent is a town"],"uncertain":[],"dependencies":[]},
        "candidate_methods":{"considered":["EPSG:3857","EPSG:32616"],"rejected":[{"method":"EPSG:32616","reason":"tiles would not join"}]},
        "selected_method":{"name":"epsg:3857","rationale":"the base map has this grid, so features line up within 1 pixel",
            "tradeoffs":"areas are 1.6 times too large at 37 N"},
        "epistemic_status":{"confidence_level":"medium-high","residual_uncertainty_sources":["none measured"],"conditions_for_revisit":["areas are asked for"]}})");
    REQUIRE(full);
    CHECK(line(full->text.at("alternatives")) == R"([{"method":"EPSG:32616","why_not":"tiles would not join"}])");
    CHECK(full->text.at("choice").at("method") == json::value("EPSG:3857"));
    CHECK(full->text.at("intent") == json::value("tiles that join a web map"));
    CHECK(full->text.at("context") == json::value("town map"));
    CHECK(full->text.at("confidence") == json::value("medium-high"));
    CHECK(line(full->text.at("candidate_methods")) == R"({"considered":["EPSG:3857","EPSG:32616"]})");
    CHECK(line(full->text.at("epistemic_status").at("conditions_for_revisit")) == R"(["areas are asked for"])");
    CHECK(check_stored_answer(full->text, "agent"));
    CHECK(reading(line(full->text)).value().text == full->text);
}

TEST_CASE("thin reasons are stored with a warning") {
    const auto warned = [](const std::string& text) {
        std::string all;
        const auto a = reading(text).value();
        for (const auto& w : a.warnings) all += w.substr(0, w.find(' ')) + ";";
        return all;
    };
    CHECK(warned(changed("/choice/rationale", R"("Using EPSG:3857 because the user requested it")")) ==
          "choice.rationale;");
    CHECK(warned(changed("/choice/tradeoffs", R"("None.")")) == "choice.tradeoffs;");
    CHECK(warned(changed("/choice/tradeoffs", R"("no tradeoffs, perfect choice")")) == "choice.tradeoffs;");
    auto sure = parsed(changed("/confidence", R"("high")"));
    CHECK(warned(line(sure)).empty());
    sure.at_pointer("/choice/rationale") = "the base map is in EPSG:3857, so features line up";
    sure.at_pointer("/choice/tradeoffs") = "areas are far too large";
    CHECK(warned(line(sure)) == "confidence;");
}

TEST_CASE("the schema shown with a question is offered to clients as it is and accepts what we accept") {
    const auto text = answer_schema("EPSG:3857");
    CHECK(base::lint_schema(text).empty());
    const auto schema = base::schema::compile(text).value();
    CHECK(schema.check(parsed(reason("EPSG:3857"))));
    CHECK_FALSE(schema.check(parsed(reason("EPSG:4326"))));
    CHECK_FALSE(schema.check(answer_skeleton("EPSG:3857")));
    CHECK(base::lint_schema(justification_schema()).empty());
}
