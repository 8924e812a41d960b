// For each of the six domains: what an answer must be, and what becomes of it.
#include "reflection/bounce.hpp"
#include "six_domains.hpp"

using namespace six_domains;

TEST_CASE("no answer of the wrong shape, size or place gets through") {
    for (const auto& d : all_domains()) {
        INFO(d.domain);
        one_domain s{d};
        const auto refused = [&](const std::string& answer) { return s.decided(d.arguments, s.inline_answer(answer)); };
        CHECK(refused("7").find("invalid_justification /justification/" + d.domain) == 0);
        CHECK(refused("[]").find("invalid_justification") == 0);
        CHECK(refused("{}").find("invalid_justification") == 0);
        CHECK(refused("null").find("invalid_justification") == 0);
        auto large = parsed(s.answer());
        large.as_object()["intent"] = std::string(100 * 1024, 'x');
        CHECK(refused(line(large)).find("the limit is 3072") != std::string::npos);
        auto number = parsed(s.answer());
        number.at_pointer("/choice/rationale") = 5;
        CHECK(refused(line(number)).find("/justification/" + d.domain + "/choice/rationale") != std::string::npos);
        auto blank = parsed(s.answer());
        blank.at_pointer("/choice/tradeoffs") = " \t ";
        CHECK(refused(line(blank)).find("empty in the justification: choice.tradeoffs") != std::string::npos);
        CHECK(s.decided(d.arguments, R"({"../../etc":)" + s.answer() + "}").find("is not a domain of") !=
              std::string::npos);
        const auto stored = s.gate().store_justification(store_call("../" + d.domain, "{}", s.answer()), crs());
        CHECK(stored.error().at == "/domain");
        CHECK(s.decided(d.arguments) == "block");
    }
}

TEST_CASE("a corrupted record is a miss with a warning") {
    for (const auto& d : all_domains()) {
        INFO(d.domain);
        one_domain s{d};
        s.store();
        const auto file = s.file_of(d.domain, s.ruled().input_hash);
        auto text = base::read_file(file).value();
        text.replace(text.find("web map"), 3, "WEB");
        REQUIRE(base::write_file_atomically(file, text));
        const auto r = s.ruled();
        CHECK(to_string(r.outcome) == "block");
        CHECK(r.notes.front().find("its digest does not match its content: it was edited") != std::string::npos);
    }
}

TEST_CASE("facts the data lack are asked once") {
    setting s;
    std::map<std::string, std::string> kept;
    const auto asking = [&](const std::string& justification) {
        auto c = s.calling("aggregate_zonal", R"({"raster":"a.tif","stats":["mean"]})", justification);
        c.keep_for_dataset = [&](const std::string& fact, const std::string& value) { kept[fact] = value; };
        return c;
    };
    s.facts = parsed(of_kind("unknown"));
    const auto v = s.gate().decide(asking("null")).value();
    REQUIRE(v.rulings.front().asks.size() == 1);
    CHECK(v.rulings.front().asks.front()->name == "kind");
    auto a = parsed(reason("mean"));
    a.as_object()["facts"] = json::object{{"kind", "height"}};
    CHECK(s.decisions(asking("{\"aggregation\":" + line(a) + "}")) ==
          "problem: aggregate_zonal was not run: aggregation: facts.kind is 'height', which is not one of its values");
    CHECK(kept.empty());
    a.as_object()["facts"] = json::object{{"kind", "elevation"}};
    CHECK(s.decisions(asking("{\"aggregation\":" + line(a) + "}")) == "aggregation=proceed");
    CHECK(kept.at("kind") == "elevation");
    CHECK(s.decisions(asking("null")) == "aggregation=proceed");  // also before the host knows it
}

TEST_CASE("an answer that says the result measures, in degrees, is warned about") {
    setting s;
    auto a = parsed(reason("EPSG:4326"));
    a.as_object()["facts"] = json::object{{"use", "measure"}};
    const auto v =
        s.gate()
            .decide(s.calling("vector_reproject", R"({"dst_crs":"EPSG:4326"})", "{\"crs_datum\":" + line(a) + "}"))
            .value();
    CHECK(v.runs());
    REQUIRE(cautions(v).size() == 1);
    CHECK(cautions(v).front().find("the result is for measure, and EPSG:4326 is in degrees") == 0);
}

TEST_CASE("a statement that nothing is at stake is accepted where the risk is low") {
    one_domain s{all_domains()[4]};  // aggregation: medium risk
    const auto waiver = s.inline_answer(R"({"needs_escalation":false,"reason":"a preview for myself"})");
    CHECK(s.decided(s.d.arguments, waiver) == "warn");
    CHECK(s.decided(s.d.arguments) == "block");  // nothing was stored
    CHECK(s.decided(s.d.arguments, s.inline_answer(R"({"needs_escalation":false})"))
              .find("empty in the justification: reason") != std::string::npos);
    s.facts = parsed(s.d.conflict);
    CHECK(s.decided(s.d.arguments, waiver) == "block");
    one_domain high{all_domains()[0]};
    CHECK(high.decided(high.d.arguments,
                       high.inline_answer(R"({"needs_escalation":false,"reason":"trust me on this"})")) == "block");
    const auto wrapped = high.inline_answer(R"({"needs_escalation":true,"justification":)" + high.answer() + "}");
    CHECK(high.decided(high.d.arguments, wrapped) == "proceed");
}

TEST_CASE("a reason given without data takes the facts of the first call that uses it") {
    one_domain s{all_domains().front()};
    const auto done =
        s.gate().store_justification(store_call("crs_datum", R"({"dst_crs":"EPSG:3857"})", reason("EPSG:3857")), crs());
    REQUIRE(done);
    CHECK(s.decided(s.d.arguments) == "proceed");
    s.facts = parsed(s.d.other_facts);
    CHECK(s.decided(s.d.arguments) == "revisit");
}

TEST_CASE("a submission brings the facts the question was asked under") {
    one_domain s{all_domains().front()};
    const auto v = s.gate().decide(s.asking(s.d.arguments, s.d.tool)).value();
    auto submit = missing_entry(v.rulings.front(), s.asking(s.d.arguments, s.d.tool)).at("submit").at("arguments");
    CHECK(line(submit.at("scope").at("bbox")) == "[10,50,12,52]");
    submit.at("justification") = parsed(reason("EPSG:3857"));
    REQUIRE(s.gate().store_justification(submit, crs()));
    s.facts = parsed(s.d.other_facts);
    CHECK(s.decided(s.d.arguments) == "revisit");
    submit.at("scope").as_object()["colour"] = "red";
    CHECK(s.gate().store_justification(submit, crs()).error().at == "/scope/colour");
}

TEST_CASE("a confirmation names its situation, and never widens a reason to everywhere") {
    one_domain s{all_domains().front()};
    s.store();
    s.facts = parsed(s.d.other_facts);
    s.asked = shipped_with("crs_datum", "{revisit: block}");
    const auto v = s.gate().decide(s.asking(s.d.arguments, s.d.tool)).value();
    auto submit = missing_entry(v.rulings.front(), s.asking(s.d.arguments, s.d.tool)).at("submit").at("arguments");
    submit.at("justification") = skeleton_of(v.rulings.front());
    submit.at_pointer("/justification/still_holds") = "the same tiles";
    auto nowhere = submit;
    nowhere.as_object().erase("scope");
    CHECK(s.gate().store_justification(nowhere, crs()).error().at == "/scope");
    CHECK(s.decided(s.d.arguments) == "block");
    REQUIRE(s.gate().store_justification(submit, crs()));
    CHECK(s.decided(s.d.arguments) == "proceed");
    CHECK(s.ruled().reason->text.at("revisits").at(0).at("changed").at(0) == json::value(s.d.what_changed));
    s.facts = parsed(elsewhere("[-80,0,-79,1]"));
    CHECK(s.decided(s.d.arguments) == "block");
    CHECK(adopted(*s.ruled().reason, {}).situations().size() == 2);
}

TEST_CASE("where a person must review, an agent's whole answer does not suffice") {
    for (const auto& d : all_domains()) {
        INFO(d.domain);
        one_domain s{d};
        s.store();
        s.facts = parsed(d.other_facts);
        s.asked = shipped_with(d.domain, "{revisit: person}");
        auto again = parsed(s.answer());
        again.as_object()["intent"] = "tiles of another town";
        CHECK(s.decided(d.arguments, s.inline_answer(line(again))) == "block");
        const auto v = s.gate().decide(s.asking(d.arguments, d.tool)).value();
        for (const auto& r : v.rulings) {
            if (r.question->domain != d.domain) continue;
            auto submit = missing_entry(r, s.asking(d.arguments, d.tool)).at("submit").at("arguments");
            submit.at("justification") = again;
            CHECK(s.gate().store_justification(submit, crs()).error().code == base::code::policy);
        }
        again.as_object()["chosen_by"] = "user";
        CHECK(s.decided(d.arguments, s.inline_answer(line(again))) == "proceed");
    }
}

TEST_CASE("an answer's own conditions for a revisit are kept") {
    one_domain s{all_domains().front()};
    auto a = parsed(s.answer());
    a.as_object()["epistemic_status"] = parsed(R"({"conditions_for_revisit":["input changed","extent outside"]})");
    CHECK(s.decided(s.d.arguments, s.inline_answer(line(a))) == "proceed");
    auto changed = parsed(s.d.facts);
    changed.at("input").as_object()["state"] = "2";
    s.facts = changed;
    CHECK(s.decided(s.d.arguments) == "revisit");
    CHECK(s.ruled().changed.front() == "a.tif has changed since the reason was given");
    s.facts = parsed(elsewhere("[10,50,12.5,52]"));  // within the grown box, outside the strict one
    CHECK(s.ruled().changed.front() == "bbox is [10, 50, 12.5, 52], the reason was given for [10, 50, 12, 52]");
}

TEST_CASE("evidence is shown also where nothing else looks at the data") {
    const folder f;
    setting s;
    s.asked = specs::load({{"acme",
                            {f.file("d.yaml",
                                    "domain: d\ntitle: D\nprompt: why\nrisk: low\nquestion: Why?\nkey: {a: lower}\n"
                                    "tools: {t: {a: /a}}\nevidence: [{name: e, arguments: {uri: /uri}}]\n")},
                            {f.file("why.md",
                                    "---\nname: why\ntitle: W\ndescription: D\narguments: [{name: a, "
                                    "description: A}]\n---\nWhy {{a}}?\n")}}})
                  .value();
    auto c = s.calling("t", R"({"a":"x","uri":"a.tif"})");
    c.evidence = [](const std::string&, const json::object& given) -> base::result<json::object> {
        return json::object{{"summary", "7 of 9 cells of " + std::string{given.at("uri").as_string()}}};
    };
    const auto v = s.gate().decide(c).value();
    CHECK(bounce(v, c).text.find("Measured: 7 of 9 cells of a.tif") != std::string::npos);
}

TEST_CASE("the first hydrology question offers the whole plan") {
    one_domain s{all_domains()[3]};
    const auto v = s.gate().decide(s.asking(s.d.arguments, s.d.tool)).value();
    const auto entry = missing_entry(v.rulings.front(), s.asking(s.d.arguments, s.d.tool));
    const auto& plan = entry.at("plan").as_array();
    REQUIRE(plan.size() == 2);  // the step at hand is asked already
    auto flow = plan[0].at("submit").at("arguments");
    CHECK(line(plan[0].at("one_of")) == R"(["d8","dinf","mfd"])");
    flow.at_pointer("/prompt_args/method") = "d8";
    flow.at("justification") = parsed(reason("d8"));
    REQUIRE(s.gate().store_justification(flow, crs()));
    const auto next = s.gate().decide(s.asking(R"({"uri":"a.tif","method":"d8"})", "hydro_flow_direction")).value();
    CHECK(to_string(next.rulings.front().outcome) == "proceed");
    CHECK(next.rulings.front().reason->text.at("parents").at(0) == json::value(v.rulings.front().input_hash));

    // What has an answer is offered no more.
    const auto again = s.gate().decide(s.asking(s.d.arguments, s.d.tool)).value();
    const auto left = missing_entry(again.rulings.front(), s.asking(s.d.arguments, s.d.tool)).at("plan").as_array();
    REQUIRE(left.size() == 1);
    CHECK(left[0].at("prompt_args").at("operation") == json::value("streams"));
    store_reason(s, "hydrology", R"({"operation":"streams","method":"contributing_area","threshold_km2":0.2})",
                 "contributing_area");
    const auto whole = s.gate().decide(s.asking(s.d.arguments, s.d.tool)).value();
    CHECK_FALSE(missing_entry(whole.rulings.front(), s.asking(s.d.arguments, s.d.tool)).contains("plan"));
}
