// A store with two reasons, for the tests of what is made of stored reasons.
#pragma once
#include "example.hpp"
#include "reflection/capsule.hpp"
#include "reflection/methods_text.hpp"

namespace example {

constexpr const char* full_reason = R"({
    "intent": "hectares per land-cover class for a regional report",
    "context": "the report compares counties",
    "assumptions": {"known": ["the data end at 41 N"], "uncertain": ["nobody prints the map."]},
    "alternatives": [{"method": "EPSG:3857", "why_not": "areas 1.6 times too large at 37 N"}],
    "choice": {"method": "EPSG:6933", "rationale": "equal-area, so class totals are right at every latitude;",
               "tradeoffs": "shapes are widened by a factor of 1.18 at 37 N"},
    "confidence": "high",
    "epistemic_status": {"residual_uncertainty_sources": ["the datum shift, 2 m"],
                         "conditions_for_revisit": ["shapes are read off the map"]}})";

// A store with one full reason for EPSG:6933 by the user, and one for bilinear that builds on it.
struct kept : setting {
    std::string crs_key, method_key;
    kept() {
        auto submission = store_call("crs_datum", R"({"dst_crs":"EPSG:6933"})", full_reason);
        submission.as_object()["chosen_by"] = "user";
        submission.as_object()["tool_name"] = "raster_reproject";
        crs_key = gate().store_justification(submission, crs()).value().at("cache_key").as_string();
        submission = store_call("resampling", R"({"method":"bilinear"})", reason("bilinear"));
        submission.as_object()["parents"] = json::array{crs_key};
        method_key = gate().store_justification(submission, crs()).value().at("cache_key").as_string();
    }
    const found_record& crs_record() { return *keep(records->find("crs_datum", crs_key)); }
    const found_record& method_record() { return *keep(records->find("resampling", method_key)); }
    base::result<record> read(const json::value& given) {
        return read_exchanged(given, asked, crs(), "2026-05-05T05:05:05.555Z");
    }
    std::string refusal(const json::value& given) {
        const auto r = read(given);
        return r ? "taken" : r.error().message;
    }
    record_lookup lookup() {
        return [this](std::string_view ref, std::string_view) -> std::shared_ptr<const found_record> {
            const auto slash = ref.rfind('/');
            const auto found = records->find(ref.substr(16, slash - 16), ref.substr(slash + 1));
            return found.records.empty() ? nullptr : found.records.front();
        };
    }

private:
    std::shared_ptr<const found_record> keep(const findings& f) { return held.emplace_back(f.records.at(0)); }
    std::vector<std::shared_ptr<const found_record>> held;
};

inline json::object receipt(const std::string& domain, const std::string& decision, const std::string& ref) {
    return {{"domain", domain},
            {"decision", decision},
            {"notes", json::array{}},
            {"justification_ref", ref.empty() ? json::value{} : json::value(ref)}};
}

}  // namespace example
