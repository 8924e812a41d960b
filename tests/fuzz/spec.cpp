// One more file beside the specs there are: a prompt if it begins with "---", else a spec or an extension. It is taken
// in whole, and then every call of a tool it governs can be judged; or it is refused, and nothing has changed.
#include "questions.hpp"
#include "reflection/key.hpp"

using namespace fuzz;

namespace {

const json::value& example(const char* text) {
    static std::map<std::string, json::value> known;
    const auto found = known.find(text);
    return found != known.end() ? found->second : known.emplace(text, base::parse_json(text).value()).first->second;
}

void judge(const spec& s, const std::string& tool) {
    const auto& arguments = example(R"({"method": "near", "uri": "a.tif", "dst_crs": "EPSG:3857", "use": "measure",
        "options": ["COMPRESS=JPEG", "QUALITY=80"], "n": 2.5, "list": ["mean", "max"], "box": [0, 0, 1, 1]})");
    const auto& facts = example(R"({"input": {"kind": "class", "crs": {"normal": "EPSG:3006"}, "ratio": 16,
        "bounds_wgs84": [10, 50, 11, 51], "bands": [{"nodata": null, "palette": true}]}, "evidence": {"x": {"n": 3}}})");
    const auto lookup = [&]() -> base::result<json::value> { return facts; };
    const auto key = key_of_call(s, tool, arguments, lookup, crs);
    if (!answered(key)) return;
    choice_of(s, *key);
    must(cache_key(s.domain, s.question_prompt.hash, *key).size() == 71);
    s.question_prompt.render(question_values(s, *key));
    const auto again = key_of_prompt_args(s, json::value(*key), crs);
    must(again && base::canonical_json(*again) == base::canonical_json(*key));
    circumstances here;
    here.tool = tool;
    here.arguments = &arguments;
    here.facts = &facts;
    here.key = &*key;
    here.normalise = [](auto, const json::value& v) -> base::result<json::value> { return v; };
    for (const auto* conditions : {&s.not_needed_when, &s.critical_when})
        for (const auto& c : *conditions) holds(c, here);
    for (const auto& f : findings_of(s.checks, here, s.policy)) must(!f.text.empty());
    for (const auto& e : s.evidence) arguments_of(e, arguments, facts, *key);
    const auto situation = situation_of(s.scope, facts, tool, arguments, {});
    must(differences(s.scope, situation, situation).empty());
    still_asked(s.asks, &facts);
    with_relations(facts, arguments, s.grid, "EPSG:3857", crs);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const auto text = text_of(bytes, size);
    spec_source more{"fuzz", {}, {}, {{"page.md", "A page."}}};
    (text.starts_with("---") ? more.prompts : more.specs).push_back({"file", std::string{text}});
    specs all = *asked();
    if (!answered(all.add(more))) {
        must(all.all().size() == asked()->all().size() && all.prompts().size() == asked()->prompts().size());
        for (const auto& s : all.all()) must(s.tools.size() == 1);
        return 0;
    }
    for (const auto& [name, prompt] : all.prompts()) prompt.render({{"method", "nearest"}});
    for (const auto& s : all.all())
        for (const auto& [tool, key] : s.tools) judge(s, tool);
    return 0;
}
