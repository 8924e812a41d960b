// For each of the six domains: what every kind of decision looks like.
#include <algorithm>

#include "base/pointer.hpp"
#include "example.hpp"
#include "reflection/bounce.hpp"

using namespace example;

namespace {

struct domain_case {
    std::string domain;
    std::string free_call;     // arguments of a call that chooses nothing
    std::string tool;          // the governed call
    std::string arguments;     // its arguments
    std::string facts;         // of its input
    std::string other_facts;   // of an input the reason was not given for
    std::string what_changed;  // as the receipt says it
    std::string conflict;      // facts that contradict the choice; empty: this domain has no such check
    std::string conflict_text;
};

std::string about(const std::string& members) {
    return R"({"input":{"kind_of_dataset":"raster","path":"a.tif","state":"1","kind":"continuous","cell_m":[30,30],
        "bounds_wgs84":[10,50,12,52],"crs":{"normal":"EPSG:32616","geographic":false,"unit_m":1})" +
           members + R"(},"inputs":[]})";
}
std::string elsewhere(const std::string& box) {
    auto v = parsed(about(""));
    v.at("input").as_object()["bounds_wgs84"] = parsed(box);
    return line(v);
}
std::string of_kind(const std::string& kind) {
    auto v = parsed(about(R"(,"kind_why":"it has a palette")"));
    v.at("input").as_object()["kind"] = kind;
    return line(v);
}
std::string with_cells(const std::string& size) {
    auto v = parsed(about(""));
    v.at("input").as_object()["cell_m"] = parsed(size);
    return line(v);
}
std::string with_evidence(const std::string& name, const std::string& members) {
    auto v = parsed(about(""));
    v.as_object()["evidence"] = parsed("{\"" + name + "\":" + members + "}");
    return line(v);
}

const std::vector<domain_case>& all_domains() {
    static const std::vector<domain_case> all = {
        {"crs_datum", R"({"uri":"a.tif","dst_crs":"EPSG:32616"})", "vector_reproject",
         R"({"uri":"a.gpkg","dst_crs":"EPSG:3857"})", about(R"(,"layers":[{"name":"a"}])"),
         elsewhere("[140,-30,141,-29]"), "bbox is [140, -30, 141, -29], the reason was given for [10, 50, 12, 52]", "",
         ""},
        {"resampling", R"({"geometry":[0,0,1,1],"resampling":"average"})", "raster_query",
         R"({"geometry":[0,0,1,1],"resolution":60,"resampling":"average"})", about(""), of_kind("ratio"),
         "kind is ratio, the reason was given for continuous", of_kind("class"),
         "a.tif holds codes (it has a palette), and average computes values between codes"},
        {"spatial_query", R"({"geometry":[0,0,1,1]})", "raster_query", R"({"geometry":[0,0,1,1],"purpose":"heat"})",
         with_evidence("raster_profile", R"({"clipped_share":0.1})"),
         with_evidence("raster_profile", R"({"clipped_share":0.4})"),
         "clipped share is 0.4, the reason was given for 0.1",
         with_evidence("raster_profile", R"({"clipped_share":0.75})"),
         "75 % of the extent lies outside of a.tif, and the purpose is heat"},
        {"hydrology", R"({"uri":"d8.tif"})", "hydro_condition", R"({"uri":"a.tif","method":"fill"})", about(""),
         with_cells("[1,1]"), "cell size is 1, the reason was given for 30", of_kind("class"),
         "a.tif holds class values (it has a palette), and condition needs heights"},
        {"aggregation", R"({"stats":["count","max"]})", "aggregate_zonal", R"({"raster":"a.tif","stats":["mean"]})",
         about(""), of_kind("ratio"), "kind is ratio, the reason was given for continuous", of_kind("class"),
         "a.tif holds codes (it has a palette), and mean does arithmetic on them"},
        {"format_selection", R"({"output":"a.tif"})", "raster_convert", R"({"output":"a.jpg","quality":80})", about(""),
         of_kind("imagery"), "kind is imagery, the reason was given for continuous", of_kind("class"),
         "a.tif holds codes (it has a palette), and jpeg may change them"},
    };
    return all;
}

// The shipped specs with one domain under another policy or another wording.
std::shared_ptr<const specs> shipped_with(const std::string& domain, const std::string& policy,
                                          const std::string& more_prompt = "") {
    auto source =
        folder_source("core", fs::path{SOURCE_DIR} / "reflection-specs", fs::path{SOURCE_DIR} / "prompts").value();
    for (auto& file : source.specs)
        if (file.path.stem() == domain && !policy.empty()) {
            const auto at = file.text.find("policy:");
            file.text.replace(at, file.text.find('\n', at) - at, "policy: " + policy);
        }
    const auto name = shipped()->find(domain)->question_prompt.name;
    for (auto& file : source.prompts)
        if (file.path.stem() == name) file.text += more_prompt;
    return specs::load({source}).value();
}

struct one_domain : setting {
    const domain_case& d;
    explicit one_domain(const domain_case& c) : d{c} { facts = parsed(d.facts); }

    // Evidence comes as the facts hold it.
    call asking(const std::string& arguments, const std::string& tool, std::string_view justification = "null") {
        auto c = calling(tool, arguments, justification);
        c.evidence = [this](const std::string& provider, const json::object&) -> base::result<json::object> {
            const auto* found = base::at_pointer(*facts, "/evidence/" + provider);
            if (!found) return base::fail(base::code::unsupported, "not measured in this test");
            auto o = found->as_object();
            o["summary"] = "measured";
            return o;
        };
        return c;
    }
    std::string decided(const std::string& arguments, std::string_view justification = "null") {
        const auto v = gate().decide(asking(arguments, d.tool, justification));
        if (!v) return v.error().code + " " + v.error().at + " " + v.error().message;
        for (const auto& r : v->rulings)
            if (r.question->domain == d.domain) return std::string{word_of(r.outcome)};
        return "not governed";
    }
    ruling ruled() {
        auto v = gate().decide(asking(d.arguments, d.tool)).value();
        for (auto& r : v.rulings)
            if (r.question->domain == d.domain) return r;
        throw std::logic_error{"not governed"};
    }
    std::string answer(const std::string& confidence = "medium") {
        const auto r = ruled();
        auto a = parsed(reason("x"));
        a.at_pointer("/choice/method") = choice_of(*r.question, r.key_arguments);
        a.as_object()["confidence"] = confidence;
        return line(a);
    }
    std::string inline_answer(const std::string& a) { return "{\"" + d.domain + "\":" + a + "}"; }
    std::string store(const std::string& confidence = "medium") {
        return decided(d.arguments, inline_answer(answer(confidence)));
    }
};

}  // namespace

TEST_CASE("a call that chooses nothing asks nothing") {
    for (const auto& d : all_domains()) {
        INFO(d.domain);
        one_domain s{d};
        const auto tool = d.domain == "hydrology" ? std::string{"hydro_flow_accumulation"} : d.tool;
        const auto v = s.gate().decide(s.asking(d.free_call, tool)).value();
        for (const auto& r : v.rulings)
            if (r.question->domain == d.domain) CHECK(word_of(r.outcome) == "not_needed");
    }
}

TEST_CASE("a choice without a reason is asked about, and the stored reason serves the next call") {
    for (const auto& d : all_domains()) {
        INFO(d.domain);
        one_domain s{d};
        CHECK(s.decided(d.arguments) == "block");
        CHECK(s.store() == "proceed");
        CHECK(s.decided(d.arguments) == "proceed");
    }
}

TEST_CASE("a reason is looked at again where the data are others, and says what changed") {
    for (const auto& d : all_domains()) {
        INFO(d.domain);
        one_domain s{d};
        s.store();
        s.facts = parsed(d.other_facts);
        const auto r = s.ruled();
        CHECK(word_of(r.outcome) == "revisit");
        REQUIRE(r.changed.size() == 1);
        CHECK(r.changed.front() == d.what_changed);
        s.asked = shipped_with(d.domain, "{revisit: block}");
        CHECK(s.decided(d.arguments) == "block");
        CHECK(s.decided(d.arguments, s.inline_answer(R"({"still_holds":""})")) ==
              "invalid_justification /justification/" + d.domain + "/still_holds " + d.domain +
                  ": empty in the justification: still_holds");
        CHECK(s.decided(d.arguments, s.inline_answer(R"({"still_holds":"the same property matters here"})")) ==
              "proceed");
        CHECK(s.decided(d.arguments) == "proceed");
        const auto record = s.ruled().reason;
        CHECK(record->text.at("revisits").at(0).at("sentence") == json::value("the same property matters here"));
        CHECK(record->text.at("revisits").at(0).at("changed").at(0) == json::value(d.what_changed));
        CHECK(record->text.at("parents").at(0) == json::value(record->cache_key));
        s.facts = parsed(d.facts);  // where it came from it still holds
        CHECK(s.decided(d.arguments) == "proceed");
    }
}

TEST_CASE("a conflict between choice and data is named with both facts, and must have been in sight of the reason") {
    for (const auto& d : all_domains()) {
        if (d.conflict.empty()) continue;
        INFO(d.domain);
        one_domain s{d};
        s.store();
        s.facts = parsed(d.conflict);
        const auto r = s.ruled();
        CHECK(word_of(r.outcome) == "block");
        REQUIRE_FALSE(r.findings.empty());
        CHECK(r.findings.front().text == d.conflict_text);
        CHECK(s.decided(d.arguments, s.inline_answer(R"({"still_holds":"looked at, and wanted all the same"})")) ==
              "proceed");
        const auto v = s.gate().decide(s.asking(d.arguments, d.tool)).value();
        const auto said = cautions(v);
        CHECK(
            std::any_of(said.begin(), said.end(), [&](const std::string& c) { return c.find(d.conflict_text) == 0; }));
    }
}

TEST_CASE("the policy may refuse a conflict whatever the reason") {
    for (const auto& d : all_domains()) {
        if (d.conflict.empty()) continue;
        INFO(d.domain);
        one_domain s{d};
        s.facts = parsed(d.conflict);
        const auto check = s.ruled().findings.front().check;
        s.asked = shipped_with(d.domain, "{checks: {" + check + ": refuse}}");
        CHECK(s.decided(d.arguments).find("policy") == 0);
        CHECK(s.decided(d.arguments).find(d.conflict_text) != std::string::npos);
        s.asked = shipped_with(d.domain, "{checks: {" + check + ": off}}");
        CHECK(s.store() == "proceed");
    }
}

TEST_CASE("an answer under another wording is stale, an old one expired, a weak one said") {
    for (const auto& d : all_domains()) {
        INFO(d.domain);
        one_domain s{d};
        s.store("low");
        s.asked = shipped_with(d.domain, "{stale: warn}", "One more thing.\n");
        CHECK(s.decided(d.arguments) == "warn");
        CHECK(s.ruled().notes.front().find("stale: answered on 2026-01-02") == 0);
        s.asked = shipped_with(d.domain, "{stale: block}", "One more thing.\n");
        CHECK(s.decided(d.arguments) == "block");
        s.asked = shipped_with(d.domain, "{max_age_days: 30}");
        CHECK(s.decided(d.arguments) == "proceed");
        s.now = "2026-02-02T00:00:00.000Z";
        CHECK(s.decided(d.arguments) == "warn");
        CHECK(s.ruled().notes.front() == "expired: the reason is 31 days old, the policy allows 30");
        s.asked = shipped_with(d.domain, "{max_age_days: 30, stale: block}");
        CHECK(s.decided(d.arguments) == "block");
        CHECK(s.decided(d.arguments, s.inline_answer(R"({"still_holds":"nothing changed in a month"})")) == "proceed");
        s.asked = shipped_with(d.domain, "{min_confidence: medium}");
        CHECK(s.decided(d.arguments) == "warn");
        CHECK(s.ruled().notes.front() == "its confidence is low, the policy asks for medium");
        s.asked = shipped_with(d.domain, "{min_confidence: medium, low_confidence: block}");
        CHECK(s.decided(d.arguments) == "block");
        CHECK(s.store("high") == "proceed");
    }
}

TEST_CASE("a critical case stops where another would run with a warning") {
    one_domain s{all_domains().front()};
    s.asked = shipped_with("crs_datum", "{missing: warn}");
    CHECK(s.decided(s.d.arguments) == "warn");
    s.facts = parsed(of_kind("elevation"));
    CHECK(s.decided(s.d.arguments) == "block");
    CHECK(s.ruled().notes.back() == "critical: slopes and flow follow from these heights");
    s.asked = shipped();
    CHECK(s.store() == "proceed");
    auto far = parsed(of_kind("elevation"));
    far.at("input").as_object()["bounds_wgs84"] = parsed("[140,-30,141,-29]");
    s.facts = far;
    CHECK(s.decided(s.d.arguments) == "block");  // revisit: warn is not enough here
}

TEST_CASE("every domain can name its critical cases") {
    for (const auto& d : all_domains()) {
        INFO(d.domain);
        one_domain s{d};
        const bool has_its_own = !shipped()->find(d.domain)->critical_when.empty();
        const std::string critical =
            has_its_own ? "" : "\ncritical_when: [{fact: /input/state, is: '1', note: so it is}]";
        s.asked = shipped_with(d.domain, "{missing: warn}");
        CHECK(s.decided(d.arguments) == "warn");
        if (has_its_own) {
            auto heights = parsed(d.facts);
            heights.at("input").as_object()["kind"] = "elevation";
            s.facts = heights;
        }
        s.asked = shipped_with(d.domain, "{missing: warn}" + critical);
        CHECK(s.decided(d.arguments) == "block");
        CHECK(s.ruled().critical);
        CHECK(s.ruled().notes.back().find("critical: ") == 0);
    }
}

TEST_CASE("a person's reason is asked for where the policy wants one") {
    for (const auto& d : all_domains()) {
        INFO(d.domain);
        one_domain s{d};
        s.store();
        s.asked = shipped_with(d.domain, "{missing: person}");
        const auto r = s.ruled();
        CHECK(r.blocks());
        CHECK(r.person);
        auto by_user = parsed(s.answer());
        by_user.as_object()["chosen_by"] = "user";
        CHECK(s.decided(d.arguments, s.inline_answer(line(by_user))) == "proceed");
    }
}

TEST_CASE("a domain that is switched off says so in every receipt") {
    for (const auto& d : all_domains()) {
        one_domain s{d};
        const gate g{s.asked, s.records, [] { return std::string{"2026-01-02T03:04:05.678Z"}; },
                     [](const spec& of) {
                         auto p = of.policy;
                         p.off = true;
                         return p;
                     }};
        const auto v = g.decide(s.asking(d.arguments, d.tool)).value();
        CHECK(v.runs());
        for (const auto& receipt : receipts(v)) {
            CHECK(receipt.at("decision") == json::value("off"));
            CHECK(receipt.at("notes").at(0) ==
                  json::value("switched off by the operator's policy: no reason was asked for"));
        }
    }
}

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
        CHECK(s.decided(d.arguments, R"({"../../etc":)" + s.answer() + "}").find("is no domain of") !=
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
        CHECK(word_of(r.outcome) == "block");
        CHECK(r.notes.front().find("its digest does not fit its content: it was edited") != std::string::npos);
    }
}

TEST_CASE("what the data cannot tell is asked for once") {
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
          "problem: aggregation: facts.kind is 'height', which is none of its words");
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

TEST_CASE("whoever says that nothing is at stake is believed where little is") {
    one_domain s{all_domains()[4]};  // aggregation: medium risk
    const auto waiver = s.inline_answer(R"({"needs_escalation":false,"reason":"a preview for myself"})");
    CHECK(s.decided(s.d.arguments, waiver) == "warn");
    CHECK(s.decided(s.d.arguments) == "block");  // nothing was stored
    CHECK(s.decided(s.d.arguments, s.inline_answer(R"({"needs_escalation":false})"))
              .find("empty in the justification: reason") != std::string::npos);
    s.facts = parsed(s.d.conflict);
    CHECK(s.decided(s.d.arguments, waiver) == "block");
    one_domain high{all_domains()[0]};
    CHECK(high.decided(high.d.arguments, high.inline_answer(R"({"needs_escalation":false,"reason":"trust me"})")) ==
          "block");
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

TEST_CASE("a confirmation says where, and never widens a reason to everywhere") {
    one_domain s{all_domains().front()};
    s.store();
    s.facts = parsed(s.d.other_facts);
    s.asked = shipped_with("crs_datum", "{revisit: block}");
    const auto v = s.gate().decide(s.asking(s.d.arguments, s.d.tool)).value();
    auto submit = missing_entry(v.rulings.front(), s.asking(s.d.arguments, s.d.tool)).at("submit").at("arguments");
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

TEST_CASE("where a person is to look again, an agent's whole answer does not stand in") {
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
    CHECK(s.ruled().changed.front() == "a.tif was changed since the reason was given");
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
    CHECK(word_of(next.rulings.front().outcome) == "proceed");
    CHECK(next.rulings.front().reason->text.at("parents").at(0) == json::value(v.rulings.front().input_hash));
}
