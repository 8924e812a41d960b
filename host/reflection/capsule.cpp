#include "reflection/capsule.hpp"

#include <algorithm>
#include <chrono>

#include "reflection/gate.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

constexpr std::string_view capsule_suffix = "_justification";

json::value list_of(const json::object& reason, const char* object, const char* member) {
    const auto* o = reason.if_contains(object);
    const auto* list = o ? base::find_member(*o, member) : nullptr;
    return list ? *list : json::value(json::array{});
}

// Captures the record a gate would store.
class catching_store final : public store {
public:
    std::optional<record> caught;

    findings find(std::string_view, std::string_view) override { return {}; }
    findings find_question(std::string_view, std::string_view) override { return {}; }
    std::vector<std::string> domains() override { return {}; }
    findings list(std::string_view) override { return {}; }
    result<void> put(const record& r) override {
        caught = r;
        return {};
    }
    result<void> revoke(std::string_view, std::string_view) override { return nothing(); }
    result<void> erase(std::string_view, std::string_view) override { return nothing(); }

private:
    static result<void> nothing() { return fail(code::not_found, "nothing is kept here"); }
};

// Empty lists are part of the capsule's form, not of the reason.
void drop_empty_members(json::object& o, const char* name) {
    auto* member = o.if_contains(name);
    if (!member || !member->is_object()) return;
    auto& lists = member->get_object();
    for (auto it = lists.begin(); it != lists.end();)
        it = it->value().is_array() && it->value().get_array().empty() ? lists.erase(it) : std::next(it);
    if (lists.empty()) o.erase(name);
}

// The key arguments of a capsule.
result<json::value> prompt_args_of(const json::object& capsule, const spec& s, const json::value& meta) {
    if (const auto* told = base::find_member(meta, "prompt_args")) return *told;
    const auto needed = std::count_if(s.key.begin(), s.key.end(), [](const auto& k) { return !k.optional; });
    const auto* selected = capsule.if_contains("selected_method");
    const auto* name = selected ? base::find_member(*selected, "name") : nullptr;
    if (needed == 1 && !s.find_key(s.choice)->optional && name) return json::value(json::object{{s.choice, *name}});
    std::string names;
    for (const auto& k : s.key) names += (names.empty() ? "" : ", ") + k.name;
    return fail(code::invalid_justification, "a capsule of " + s.domain + " does not identify the question it answers",
                "add _meta.prompt_args with " + names, "/_meta/prompt_args");
}

std::string time_of(const json::value& meta, const std::string& now) {
    if (const auto told = base::string_member(meta, "timestamp"); !told.empty()) return std::string{told};
    return now;
}

result<const spec*> spec_named(std::string_view domain, const specs& asked) {
    if (const auto* s = asked.find(domain)) return s;
    std::string names;
    for (const auto& s : asked.all()) names += (names.empty() ? "" : ", ") + s.domain;
    return fail(code::invalid_justification, "unknown domain '" + std::string{domain.substr(0, 80)} + "'",
                "domains: " + names, "/domain");
}

result<record> read_capsule(json::object capsule, const std::shared_ptr<const specs>& asked, const crs_lookup& crs,
                            const std::string& now) {
    auto domain = std::string{base::string_member(capsule, "domain")};
    if (domain.size() > capsule_suffix.size() && !asked->find(domain) &&
        domain.compare(domain.size() - capsule_suffix.size(), std::string::npos, capsule_suffix) == 0)
        domain.resize(domain.size() - capsule_suffix.size());
    const auto s = spec_named(domain, *asked);
    if (!s) return tl::unexpected{s.error()};
    json::value meta(json::object{});
    if (const auto* told = capsule.if_contains("_meta"); told && told->is_object()) meta = *told;
    capsule.erase("_meta");
    const auto& prompt = (*s)->question_prompt;
    if (const auto hash = base::string_member(meta, "prompt_hash", prompt.hash);
        hash != prompt.hash &&
        std::find(prompt.equivalent_to.begin(), prompt.equivalent_to.end(), hash) == prompt.equivalent_to.end())
        return fail(code::invalid_justification,
                    "it answered " + prompt.name + " under the wording " + std::string{hash.substr(0, 16)} +
                        "; here it is " + prompt.hash,
                    "import the record itself (export --format json), which then answers with a warning");
    auto prompt_args = prompt_args_of(capsule, **s, meta);
    if (!prompt_args) return tl::unexpected{prompt_args.error()};
    for (const char* name : {"assumptions", "candidate_methods", "epistemic_status"}) drop_empty_members(capsule, name);
    json::object submission{{"domain", domain}, {"prompt_args", *prompt_args}, {"justification", std::move(capsule)}};
    for (const char* name : {"chosen_by", "tool_name", "parents"})
        if (const auto* told = base::find_member(meta, name)) submission[name] = *told;
    const auto caught = std::make_shared<catching_store>();
    const auto stored = gate{asked, caught, [&] { return time_of(meta, now); }}.store_justification(
        json::value(std::move(submission)), crs);
    if (!stored) return tl::unexpected{stored.error()};
    return std::move(*caught->caught);
}

result<record> read_stored(const json::object& text, const specs& asked, const crs_lookup& crs) {
    const auto s = spec_named(base::string_member(text, "domain"), asked);
    if (!s) return tl::unexpected{s.error()};
    auto r = read_record(base::write_json(text), (*s)->domain, base::string_member(text, "cache_key"));
    if (!r) return r;
    const auto& told = r->text.at("prompt_args");
    const auto key = key_of_prompt_args(**s, told, crs);
    if (!key) return tl::unexpected{key.error()};
    if (base::canonical_json(*key) != base::canonical_json(told))
        return fail(code::invalid_justification,
                    "it is foreign: its key arguments are " + base::canonical_json(told).substr(0, 200) +
                        ", their normal form here is " + base::canonical_json(*key).substr(0, 200));
    const auto method = base::string_member(r->text.at("justification").at("choice"), "method");
    if (const auto choice = choice_of(**s, *key); method != choice)
        return fail(code::invalid_justification, "its choice.method is '" + std::string{method.substr(0, 200)} +
                                                     "', but its key stands for '" + choice.substr(0, 200) + "'");
    return r;
}

}  // namespace

json::object capsule_of(const record& r) {
    const auto& reason = r.text.at("justification").get_object();
    json::object intent{{"description", reason.at("intent")}};
    if (const auto* context = reason.if_contains("context")) intent["context"] = *context;
    json::array rejected;
    if (const auto* alternatives = reason.if_contains("alternatives"))
        for (const auto& a : alternatives->get_array())
            rejected.push_back(json::object{{"method", a.at("method")}, {"reason", a.at("why_not")}});
    const auto& choice = reason.at("choice");
    json::object selected{{"name", choice.at("method")}, {"rationale", choice.at("rationale")}};
    if (const auto* tradeoffs = base::find_member(choice, "tradeoffs")) selected["tradeoffs"] = *tradeoffs;
    json::object capsule{
        {"domain", r.domain + std::string{capsule_suffix}},
        {"intent", std::move(intent)},
        {"assumptions", json::object{{"known", list_of(reason, "assumptions", "known")},
                                     {"uncertain", list_of(reason, "assumptions", "uncertain")},
                                     {"dependencies", list_of(reason, "assumptions", "dependencies")}}},
        {"candidate_methods", json::object{{"considered", list_of(reason, "candidate_methods", "considered")},
                                           {"rejected", std::move(rejected)}}},
        {"selected_method", std::move(selected)},
        {"epistemic_status",
         json::object{
             {"confidence_level", reason.at("confidence")},
             {"residual_uncertainty_sources", list_of(reason, "epistemic_status", "residual_uncertainty_sources")},
             {"conditions_for_revisit", list_of(reason, "epistemic_status", "conditions_for_revisit")}}},
        {"_meta", json::object{{"prompt_args", r.text.at("prompt_args")},
                               {"prompt_hash", r.prompt_hash},
                               {"chosen_by", r.chosen_by},
                               {"tool_name", r.text.at("tool_name")},
                               {"parents", r.text.at("parents")},
                               {"timestamp", r.timestamp}}},
    };
    if (const auto* conflicts = reason.if_contains("conflicts")) capsule["conflicts"] = *conflicts;
    return capsule;
}

result<record> read_exchanged(const json::value& given, const std::shared_ptr<const specs>& asked,
                              const crs_lookup& crs, const std::string& now) {
    if (!given.is_object())
        return fail(code::invalid_justification, "it is " + base::write_json(given).substr(0, 80) + ", not an object");
    const auto& o = given.get_object();
    auto r = o.contains("cache_key") ? read_stored(o, *asked, crs) : read_capsule(o, asked, crs, now);
    if (!r) return r;
    // Refuses, by field, a record that the store would reject on reading.
    return read_record(base::canonical_json(r->text), r->domain, r->cache_key);
}

}  // namespace gdalmcp::reflection
