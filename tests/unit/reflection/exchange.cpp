// Capsules and statistics.
#include "base/digest.hpp"
#include "kept_reasons.hpp"
#include "reflection/statistics.hpp"

using namespace example;

TEST_CASE("a capsule is the full form, with the members that restore the record") {
    kept k;
    const auto capsule = capsule_of(k.crs_record());
    CHECK(capsule.at("domain") == "crs_datum_justification");
    CHECK(
        line(capsule.at("intent")) ==
        R"({"description":"hectares per land-cover class for a regional report","context":"the report compares counties"})");
    CHECK(line(capsule.at("candidate_methods")) ==
          R"({"considered":[],"rejected":[{"method":"EPSG:3857","reason":"areas 1.6 times too large at 37 N"}]})");
    CHECK(capsule.at("selected_method").at("name") == "EPSG:6933");
    CHECK(capsule.at("epistemic_status").at("confidence_level") == "high");
    CHECK(line(capsule.at("assumptions").at("dependencies")) == "[]");
}

TEST_CASE("a record that goes out as a capsule and comes back is the same record") {
    kept k;
    for (const auto* r : {&k.crs_record(), &k.method_record()}) {
        const auto back = k.read(json::value(capsule_of(*r)));
        REQUIRE(back);
        CHECK(back->text == r->text);
        CHECK(k.read(json::value(r->text))->text == r->text);
    }
}

TEST_CASE("a user's choice without tradeoffs goes out as a capsule and comes back") {
    kept k;
    const auto submission = store_call("crs_datum", R"({"dst_crs":"EPSG:6933"})",
                                       R"({"intent": "hectares per class", "chosen_by": "user",
            "choice": {"method": "EPSG:6933", "rationale": "the client's standard"}, "confidence": "medium"})");
    REQUIRE(k.gate().store_justification(submission, crs()));
    const auto& chosen = k.crs_record();
    const auto capsule = capsule_of(chosen);
    CHECK(line(capsule.at("selected_method")) == R"({"name":"EPSG:6933","rationale":"the client's standard"})");
    const auto back = k.read(json::value(capsule));
    REQUIRE(back);
    CHECK(back->text == chosen.text);
}

TEST_CASE("a capsule of another program is accepted if its choice is the whole key") {
    kept k;
    auto capsule = capsule_of(k.crs_record());
    capsule.erase("_meta");
    const auto taken = k.read(json::value(capsule));
    REQUIRE(taken);
    CHECK(taken->cache_key == k.crs_key);
    CHECK(taken->timestamp == "2026-05-05T05:05:05.555Z");
    CHECK(taken->chosen_by == "agent");
    capsule["domain"] = "hydrology_justification";
    CHECK(k.refusal(json::value(capsule)) == "a capsule of hydrology does not identify the question it answers");
}

TEST_CASE("imported answers are refused like new ones, by field") {
    kept k;
    auto capsule = capsule_of(k.crs_record());
    SECTION("a domain nobody asks about") {
        capsule["domain"] = "../x_justification";
        CHECK(k.refusal(json::value(capsule)) == "unknown domain '../x'");
    }
    SECTION("an empty sentence") {
        capsule["selected_method"].as_object()["rationale"] = " ";
        CHECK(k.refusal(json::value(capsule)) == "empty in the justification: choice.rationale");
    }
    SECTION("a choice that is not the question's") {
        capsule["selected_method"].as_object()["name"] = "EPSG:3857";
        CHECK(k.refusal(json::value(capsule)).find("choice.method is 'EPSG:3857'") == 0);
    }
    SECTION("another wording of the question") {
        capsule["_meta"].as_object()["prompt_hash"] = "0123456789abcdef";
        CHECK(k.refusal(json::value(capsule)).find("under the wording 0123456789abcdef") != std::string::npos);
    }
    SECTION("a time that is none") {
        capsule["_meta"].as_object()["timestamp"] = "yesterday";
        CHECK(k.refusal(json::value(capsule)) == "its field 'timestamp' is missing or malformed");
    }
    SECTION("no object") { CHECK(k.refusal(json::value("x")) == R"(it is "x", not an object)"); }
}

TEST_CASE("an imported record is accepted only with the keys, digest and choice computed here") {
    kept k;
    auto text = k.crs_record().text;
    const auto sealed = [&] {
        text.erase("digest");
        text["digest"] = "sha256:" + base::sha256_hex(base::canonical_json(text));
        return k.refusal(json::value(text));
    };
    SECTION("edited") {
        text["tool_name"] = "another";
        CHECK(k.refusal(json::value(text)) == "its digest does not match its content: it was edited");
    }
    SECTION("with another question's key") {
        text["prompt_args"].as_object()["dst_crs"] = "EPSG:3857";
        CHECK(sealed() == "it is foreign: its key cannot be recomputed from its content");
    }
    SECTION("with a spelling for a normal form") {
        text["prompt_args"].as_object()["dst_crs"] = "epsg:3857";
        text["cache_key"] = cache_key("crs_datum", k.crs_record().prompt_hash, text["prompt_args"].as_object());
        text["question_hash"] = question_hash("crs_datum", text["prompt_args"].as_object());
        CHECK(sealed().find("it is foreign: its key arguments are") == 0);
    }
    SECTION("with a choice that is not its key's") {
        text["justification"].at_pointer("/choice/method") = "EPSG:3857";
        CHECK(sealed() == "its choice.method is 'EPSG:3857', but its key stands for 'EPSG:6933'");
    }
}

TEST_CASE("statistics count reasons, decisions, and what was asked again") {
    kept k;
    statistics sums;
    CHECK(sums.text().at("hit_rate").is_null());
    sums.add(k.crs_record());
    sums.add(k.method_record());
    const auto ref = k.crs_record().ref();
    for (const char* word : {"block", "proceed", "proceed", "proceed", "revisit", "revisit", "not_needed"})
        sums.add_receipt(receipt("crs_datum", word, ref));
    sums.add_receipt(receipt("resampling", "block", ""));
    sums.add_receipt("no receipt");
    const auto text = sums.text();
    CHECK(text.at("hit_rate") == 0.6);
    CHECK(line(text.at("decisions")) == R"({"block":2,"not_needed":1,"proceed":3,"revisit":2})");
    CHECK(line(text.at("domains").at("crs_datum")) ==
          R"({"reasons":1,"questions":1,"decisions":{"block":1,"not_needed":1,"proceed":3,"revisit":2}})");
    CHECK(line(text.at("confidence")) == R"({"high":1,"medium":1})");
    CHECK(line(text.at("chosen_by")) == R"({"agent":1,"user":1})");
    CHECK(line(text.at("most_revisited")) ==
          R"([{"ref":")" + ref + R"(","choice":"EPSG:6933","revisits":2,"kept":0}])");
}
