// One call of each of the six domains, with data it fits and data it does not.
#pragma once
#include "base/pointer.hpp"
#include "example.hpp"

namespace six_domains {

using namespace example;

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

inline std::string about(const std::string& members) {
    return R"({"input":{"kind_of_dataset":"raster","path":"a.tif","state":"1","kind":"continuous","cell_m":[30,30],
        "bounds_wgs84":[10,50,12,52],"crs":{"normal":"EPSG:32616","geographic":false,"unit_m":1})" +
           members + R"(},"inputs":[]})";
}
inline std::string elsewhere(const std::string& box) {
    auto v = parsed(about(""));
    v.at("input").as_object()["bounds_wgs84"] = parsed(box);
    return line(v);
}
inline std::string of_kind(const std::string& kind) {
    auto v = parsed(about(R"(,"kind_why":"it has a palette")"));
    v.at("input").as_object()["kind"] = kind;
    return line(v);
}
inline std::string with_cells(const std::string& size) {
    auto v = parsed(about(""));
    v.at("input").as_object()["cell_m"] = parsed(size);
    return line(v);
}
inline std::string with_evidence(const std::string& name, const std::string& members) {
    auto v = parsed(about(""));
    v.as_object()["evidence"] = parsed("{\"" + name + "\":" + members + "}");
    return line(v);
}

inline const std::vector<domain_case>& all_domains() {
    static const std::vector<domain_case> all = {
        {"crs_datum", R"({"uri":"a.tif","dst_crs":"EPSG:32616"})", "vector_reproject",
         R"({"uri":"a.gpkg","dst_crs":"EPSG:3857"})", about(R"(,"layers":[{"name":"a"}])"),
         elsewhere("[140,-30,141,-29]"), "bbox is [140, -30, 141, -29], the reason was given for [10, 50, 12, 52]", "",
         ""},
        {"resampling", R"({"geometry":[0,0,1,1],"resampling":"average"})", "raster_query",
         R"({"geometry":[0,0,1,1],"resolution":60,"resampling":"average"})", about(""), of_kind("ratio"),
         "kind is ratio, the reason was given for continuous", of_kind("class"),
         "a.tif holds codes (it has a palette), and average treats codes as quantities"},
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
inline std::shared_ptr<const specs> shipped_with(const std::string& domain, const std::string& policy,
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
        if (v->refused) return v->refused->code + " " + v->refused->at + " " + v->refused->message;
        for (const auto& r : v->rulings)
            if (r.question->domain == d.domain) return std::string{to_string(r.outcome)};
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

}  // namespace six_domains
