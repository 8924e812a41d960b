#include "reflection/key_report.hpp"

namespace gdalmcp::reflection {
namespace {

json::object report_on(const spec& s, const call& c) {
    json::object o{{"domain", s.domain}};
    key_origins origins;
    const auto key = key_of_call(s, c.tool, c.arguments, c.facts, c.crs, &origins);
    if (!key) {
        o["problem"] = key.error().message;
        return o;
    }
    json::array arguments;
    for (const auto& m : *key) {
        const auto& from = origins[std::string{m.key()}];
        arguments.push_back(
            json::object{{"name", m.key()}, {"normal", m.value()}, {"given", from.given}, {"source", from.source}});
    }
    o["key_arguments"] = std::move(arguments);
    // Each member of a list is a question of its own.
    const auto& prompt_hash = s.question_prompt.hash;
    json::array keys;
    for (const auto& each : keys_of_members(s, *key))
        keys.push_back(json::object{{"hashed", base::canonical_json(hashed_text(s.domain, prompt_hash, each))},
                                    {"cache_key", cache_key(s.domain, prompt_hash, each)},
                                    {"question_hashed", base::canonical_json(hashed_text(s.domain, {}, each))},
                                    {"question_hash", question_hash(s.domain, each)}});
    o["keys"] = std::move(keys);
    return o;
}

}  // namespace

json::array key_report(const specs& asked, const call& c) {
    json::array all;
    for (const auto* s : asked.of_tool(c.tool)) all.push_back(report_on(*s, c));
    return all;
}

}  // namespace gdalmcp::reflection
