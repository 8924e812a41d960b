// For each of the six domains: what every kind of decision looks like.
#include <algorithm>

#include "six_domains.hpp"

using namespace six_domains;

TEST_CASE("a call that chooses nothing asks nothing") {
    for (const auto& d : all_domains()) {
        INFO(d.domain);
        one_domain s{d};
        const auto tool = d.domain == "hydrology" ? std::string{"hydro_flow_accumulation"} : d.tool;
        const auto v = s.gate().decide(s.asking(d.free_call, tool)).value();
        for (const auto& r : v.rulings)
            if (r.question->domain == d.domain) CHECK(to_string(r.outcome) == "not_needed");
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

TEST_CASE("other data make a reason subject to review, and the change is named") {
    for (const auto& d : all_domains()) {
        INFO(d.domain);
        one_domain s{d};
        s.store();
        s.facts = parsed(d.other_facts);
        const auto r = s.ruled();
        CHECK(to_string(r.outcome) == "revisit");
        REQUIRE(r.changed.size() == 1);
        CHECK(r.changed.front() == d.what_changed);
        s.asked = shipped_with(d.domain, "{revisit: block}");
        CHECK(s.decided(d.arguments) == "block");
        CHECK(s.decided(d.arguments, s.inline_answer(R"({"still_holds":""})")) ==
              "invalid_justification /justification/" + d.domain + "/still_holds " + d.tool +
                  " was not run: " + d.domain + ": empty in the justification: still_holds");
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

TEST_CASE(
    "a conflict between choice and data is named with both facts, and the reason must have been given in view of it") {
    for (const auto& d : all_domains()) {
        if (d.conflict.empty()) continue;
        INFO(d.domain);
        one_domain s{d};
        s.store();
        s.facts = parsed(d.conflict);
        const auto r = s.ruled();
        CHECK(to_string(r.outcome) == "block");
        REQUIRE_FALSE(r.findings.empty());
        CHECK(r.findings.front().text == d.conflict_text);
        CHECK_FALSE(r.confirmable());
        const auto accepted =
            line(json::array{json::object{{"name", r.findings.front().check}, {"why_accepted", "so it is"}}});
        CHECK(s.decided(d.arguments,
                        s.inline_answer(R"({"still_holds":"looked at and accepted","conflicts":)" + accepted + "}"))
                  .find("one sentence is not enough") != std::string::npos);
        auto whole = parsed(s.answer());
        CHECK(s.decided(d.arguments, s.inline_answer(line(whole))) == "block");
        whole.as_object()["conflicts"] = parsed(accepted);
        CHECK(s.decided(d.arguments, s.inline_answer(line(whole))) == "proceed");
        const auto v = s.gate().decide(s.asking(d.arguments, d.tool)).value();
        const auto said = cautions(v);
        CHECK(
            std::any_of(said.begin(), said.end(), [&](const std::string& c) { return c.find(d.conflict_text) == 0; }));
    }
}

TEST_CASE("an answer sent with the first call does not pass a conflict that it does not name") {
    for (const auto& d : all_domains()) {
        if (d.conflict.empty()) continue;
        INFO(d.domain);
        one_domain s{d};
        s.facts = parsed(d.conflict);
        const auto asked = s.asking(d.arguments, d.tool, s.inline_answer(s.answer()));
        const auto v = s.gate().decide(asked).value();
        CHECK_FALSE(v.runs());
        const auto told = bounce(v, asked);
        CHECK(told.text.find(d.conflict_text) != std::string::npos);
        CHECK(s.decided(d.arguments) == "block");  // the answer was not stored
        auto answer = parsed(s.answer());
        answer.as_object()["conflicts"] =
            told.body.at("retry").at("arguments").at("justification").at(d.domain).at("conflicts");
        CHECK(s.decided(d.arguments, s.inline_answer(line(answer))).find("conflicts[0].why_accepted") !=
              std::string::npos);
        answer.at_pointer("/conflicts/0/why_accepted") = "the codes are ranks";
        CHECK(s.decided(d.arguments, s.inline_answer(line(answer))) == "proceed");
        CHECK(s.ruled().reason->answer().at("conflicts") == answer.at("conflicts"));
    }
}

TEST_CASE("a submission names the conflicts of the refused call") {
    one_domain s{all_domains()[4]};
    s.facts = parsed(s.d.conflict);
    const auto asked = s.asking(s.d.arguments, s.d.tool);
    auto submit = missing_entry(s.ruled(), asked).at("submit").at("arguments");
    const auto conflicts = skeleton_of(s.ruled()).at("conflicts");
    submit.at("justification") = parsed(s.answer());
    CHECK(s.gate().store_justification(submit, crs()).error().at == "/justification/conflicts");
    submit.at("justification").as_object()["conflicts"] = conflicts;
    submit.at_pointer("/justification/conflicts/0/why_accepted") = "the codes are ranks";
    REQUIRE(s.gate().store_justification(submit, crs()));
    CHECK(s.decided(s.d.arguments) == "proceed");
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
        const auto refused = s.gate().decide(s.asking(d.arguments, d.tool)).value();
        CHECK_FALSE(refused.runs());
        bool noted = false;
        for (const auto& receipt : receipts(refused))
            noted = noted ||
                    (receipt.at("domain") == json::value(d.domain) && receipt.at("decision") == json::value("block") &&
                     line(receipt.at("notes")).find("refused by the policy (check " + check) != std::string::npos);
        CHECK(noted);
        CHECK(s.store().find("policy") == 0);
        CHECK(s.records->list(d.domain).records.empty());
        s.asked = shipped_with(d.domain, "{checks: {" + check + ": off}}");
        CHECK(s.store() == "proceed");
    }
}

TEST_CASE("an answer under another wording is stale, an old one expired, a weak one reported") {
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
        CHECK(s.ruled().notes.front() == "its confidence is low, the policy requires medium");
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

TEST_CASE("in a critical case low confidence stops what it would only warn about elsewhere") {
    one_domain s{all_domains().front()};
    s.store("low");
    s.asked = shipped_with("crs_datum", "{min_confidence: medium, low_confidence: warn}");
    CHECK(s.decided(s.d.arguments) == "warn");
    s.facts = parsed(of_kind("elevation"));
    CHECK(s.decided(s.d.arguments) == "block");
    CHECK_FALSE(s.ruled().confirmable());  // one sentence does not raise the confidence
    CHECK(s.store("high") == "proceed");
}

TEST_CASE("a reason is reviewed once a reason it builds on is revoked, and one sentence confirms it") {
    for (const auto& d : all_domains()) {
        INFO(d.domain);
        one_domain s{d};
        const auto parent =
            s.gate()
                .store_justification(store_call("hydrology", R"({"operation":"streams","method":"constant_drop"})",
                                                reason("constant_drop")),
                                     crs())
                .value();
        const std::string key{base::string_member(parent, "cache_key")};
        auto child = parsed(s.answer());
        child.as_object()["parents"] = json::array{key};
        REQUIRE(s.decided(d.arguments, s.inline_answer(line(child))) == "proceed");
        CHECK(s.decided(d.arguments) == "proceed");
        REQUIRE(s.records->revoke("hydrology", key));
        CHECK(s.decided(d.arguments) == "revisit");
        const auto sentence =
            "the reason it builds on, justification://hydrology/" + key + ", was revoked on " + utc_now().substr(0, 10);
        CHECK(s.ruled().notes.front() == sentence);
        s.asked = shipped_with(d.domain, "{revisit: block}");
        CHECK(s.decided(d.arguments) == "block");
        REQUIRE(s.ruled().confirmable());
        CHECK(s.ruled().changed.front() == sentence);
        s.now = "2999-01-01T00:00:00.000Z";
        CHECK(s.decided(d.arguments, s.inline_answer(R"({"still_holds":"the area was read off a map instead"})")) ==
              "proceed");
        CHECK(s.decided(d.arguments) == "proceed");
        CHECK(s.ruled().reason->text.at("revisits").at(0).at("changed").at(0) == json::value(sentence));
    }
}

TEST_CASE("a reason is reviewed once a reason behind the one it builds on is revoked") {
    one_domain s{all_domains()[0]};
    const auto stored = [&](const char* domain, const char* key, const char* choice, const json::array& parents) {
        auto answer = parsed(reason(choice));
        answer.as_object()["parents"] = parents;
        const auto kept = s.gate().store_justification(store_call(domain, key, line(answer)), crs()).value();
        return std::string{base::string_member(kept, "cache_key")};
    };
    const auto first = stored("hydrology", R"({"operation":"streams","method":"constant_drop"})", "constant_drop", {});
    const auto second = stored("resampling", R"({"method":"average"})", "average", {json::value(first)});
    auto third = parsed(s.answer());
    third.as_object()["parents"] = json::array{second};
    REQUIRE(s.decided(s.d.arguments, s.inline_answer(line(third))) == "proceed");
    REQUIRE(s.records->revoke("hydrology", first));
    CHECK(s.decided(s.d.arguments) == "revisit");
    CHECK(s.ruled().notes.front().find("justification://hydrology/" + first) != std::string::npos);
    // Confirming the reason in between settles what is built on it.
    s.now = "2999-01-01T00:00:00.000Z";
    REQUIRE(s.records->put(*s.records->find("resampling", second).records.front()));
    CHECK(s.decided(s.d.arguments) == "revisit");
    stored("resampling", R"({"method":"average"})", "average", {json::value(first)});
    CHECK(s.decided(s.d.arguments) == "proceed");
}

TEST_CASE("a revoked reason that is stored again, and the same answer given again, need no review") {
    one_domain s{all_domains()[4]};
    const auto parent = store_call("resampling", R"({"method":"average"})", reason("average"));
    const std::string key{base::string_member(s.gate().store_justification(parent, crs()).value(), "cache_key")};
    auto child = parsed(s.answer());
    child.as_object()["parents"] = json::array{key};
    REQUIRE(s.decided(s.d.arguments, s.inline_answer(line(child))) == "proceed");
    REQUIRE(s.records->revoke("resampling", key));
    CHECK(s.decided(s.d.arguments) == "revisit");
    REQUIRE(s.gate().store_justification(parent, crs()));
    CHECK(s.decided(s.d.arguments) == "proceed");
    REQUIRE(s.records->revoke("resampling", key));
    CHECK(s.decided(s.d.arguments) == "revisit");
    s.now = "2999-01-01T00:00:00.000Z";
    CHECK(s.decided(s.d.arguments, s.inline_answer(line(child))) == "proceed");
    CHECK(s.decided(s.d.arguments) == "proceed");
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
            heights.at("input").as_object()["made_by"] =
                parsed(R"({"resampled":{"tool":"raster_reproject","method":"bilinear"}})");
            s.facts = heights;
        }
        s.asked = shipped_with(d.domain, "{missing: warn}" + critical);
        CHECK(s.decided(d.arguments) == "block");
        CHECK(s.ruled().critical);
        CHECK(s.ruled().notes.back().find("critical: ") == 0);
    }
}

TEST_CASE("a person's reason is requested where the policy requires one") {
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

TEST_CASE("every receipt notes a domain that is switched off") {
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
                  json::value("switched off by the operator's policy: no reason was requested"));
        }
    }
}
