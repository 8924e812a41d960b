// The shape of an answer: its JSON Schemas, and the skeletons to fill in.
#include "base/schema.hpp"
#include "reflection/answer_parts.hpp"

namespace gdalmcp::reflection {
namespace {

constexpr const char* canonical_schema = R"({
  "type": "object", "additionalProperties": false, "required": ["intent", "choice", "confidence"],
  "title": "Justification",
  "description": "Why a methodological choice fits its purpose.",
  "properties": {
    "intent": {"type": "string", "description": "What the result is for and which property must survive"},
    "context": {"type": "string", "description": "What else a reader must know"},
    "alternatives": {"type": "array", "description": "What was considered and rejected; may be empty when chosen_by is user",
      "items": {"type": "object", "additionalProperties": false, "required": ["method", "why_not"], "properties": {
        "method": {"type": "string", "description": "The alternative"},
        "why_not": {"type": "string", "description": "Why it was rejected, in at least three words, with a number where there is one"}}}},
    "choice": {"type": "object", "additionalProperties": false, "required": ["method", "rationale"],
      "description": "What was chosen", "properties": {
        "method": {"type": "string", "description": "The choice; equal to the argument of the call"},
        "rationale": {"type": "string", "description": "Why it serves the intent, in at least three words"},
        "tradeoffs": {"type": "string", "description": "What is given up, and how much; may be left out when chosen_by is user"}}},
    "confidence": {"type": "string", "enum": ["low", "medium", "medium-high", "high"],
      "description": "How sure the chooser is"},
    "chosen_by": {"type": "string", "enum": ["user", "agent"], "description": "Who chose; agent when absent"},
    "facts": {"type": "object", "additionalProperties": {"type": "string"},
      "description": "Facts the question requests and the data does not show, e.g. the kind of values"},
    "conflicts": {"type": "array", "maxItems": 16, "description": "The conflicts of choice and data that are accepted",
      "items": {"type": "object", "additionalProperties": false, "required": ["name", "why_accepted"], "properties": {
        "name": {"type": "string", "description": "The conflict, as the refusal names it"},
        "why_accepted": {"type": "string", "description": "Why the choice is right all the same, in at least three words"}}}},
    "parents": {"type": "array", "maxItems": 16, "items": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
      "description": "Cache keys of earlier reasons this one builds on"},
    "assumptions": {"type": "object", "additionalProperties": false, "description": "What the reason rests on",
      "properties": {
        "known": {"type": "array", "items": {"type": "string"}, "description": "Checked facts"},
        "uncertain": {"type": "array", "items": {"type": "string"}, "description": "Unchecked assumptions"},
        "dependencies": {"type": "array", "items": {"type": "string"}, "description": "Earlier choices this rests on"}}},
    "candidate_methods": {"type": "object", "additionalProperties": false, "description": "The candidate methods",
      "properties": {
        "considered": {"type": "array", "items": {"type": "string"}, "description": "Methods considered"}}},
    "epistemic_status": {"type": "object", "additionalProperties": false, "description": "What stays open",
      "properties": {
        "residual_uncertainty_sources": {"type": "array", "items": {"type": "string"}, "description": "Where it may be wrong"},
        "conditions_for_revisit": {"type": "array", "items": {"type": "string"},
          "description": "When to review this reason"}}}}})";

json::array blank_conflicts(const std::vector<std::string>& names) {
    json::array all;
    for (const auto& name : names) all.push_back(json::object{{"name", name}, {"why_accepted", ""}});
    return all;
}

json::object conflicts_schema(const std::vector<std::string>& names) {
    auto schema = canonical_answer().text().at("properties").at("conflicts").as_object();
    schema["minItems"] = names.size();
    schema.at("items").at("properties").at("name").as_object()["enum"] = json::array(names.begin(), names.end());
    return schema;
}

json::object blank_facts(const std::vector<const asked_fact*>& asks) {
    json::object o;
    for (const auto* ask : asks) o[ask->name] = "";
    return o;
}

json::object facts_schema(const std::vector<const asked_fact*>& asks) {
    json::object properties;
    json::array required;
    for (const auto* ask : asks) {
        properties[ask->name] = json::object{{"type", "string"},
                                             {"enum", json::array(ask->one_of.begin(), ask->one_of.end())},
                                             {"description", ask->about}};
        required.emplace_back(ask->name);
    }
    return {{"type", "object"},
            {"additionalProperties", false},
            {"required", std::move(required)},
            {"properties", std::move(properties)},
            {"description", "Facts the data does not show"}};
}

// Of a part: the skeleton holds what it requires, and that a text is one.
json::object without_remarks_and_demands(json::object schema) {
    schema = without_remarks(std::move(schema));
    schema.erase("required");
    if (auto* properties = schema.if_contains("properties"))
        for (auto& p : properties->get_object())
            if (const json::object text{{"type", "string"}}; p.value() == json::value(text)) p.value() = json::object{};
    if (schema.contains("properties") || schema.contains("items")) schema.erase("type");
    return schema;
}

}  // namespace

const base::schema& canonical_answer() {
    static const auto s = base::schema::constant(canonical_schema);
    return s;
}

json::object answer_schema(std::string_view choice, const std::vector<const asked_fact*>& asks,
                           const std::vector<std::string>& conflicts) {
    auto schema = canonical_answer().text().as_object();
    const auto all = std::move(schema["properties"].as_object());
    json::object properties;
    for (const char* name : {"intent", "alternatives", "choice", "confidence", "chosen_by"})
        properties.emplace(name, all.at(name));
    properties["choice"].as_object()["properties"].as_object()["method"].as_object()["const"] = choice;
    properties["choice"].as_object()["required"] = json::array{"method", "rationale", "tradeoffs"};
    schema["properties"] = std::move(properties);
    schema["required"] = json::array{"intent", "alternatives", "choice", "confidence"};
    if (!asks.empty()) {
        schema["properties"].as_object()["facts"] = facts_schema(asks);
        schema["required"].as_array().emplace_back("facts");
    }
    if (!conflicts.empty()) {
        schema["properties"].as_object()["conflicts"] = conflicts_schema(conflicts);
        schema["required"].as_array().emplace_back("conflicts");
    }
    return schema;
}

json::object confirmation_schema(const std::vector<const asked_fact*>& asks,
                                 const std::vector<std::string>& conflicts) {
    json::object properties{
        {"still_holds",
         json::object{{"type", "string"},
                      {"description", "Why the earlier reason holds for this call, too, in at least three words"}}},
        {"chosen_by", json::object{{"type", "string"}, {"enum", json::array{"user", "agent"}}}}};
    json::array required{"still_holds"};
    if (!asks.empty()) {
        properties["facts"] = facts_schema(asks);
        required.emplace_back("facts");
    }
    if (!conflicts.empty()) {
        properties["conflicts"] = conflicts_schema(conflicts);
        required.emplace_back("conflicts");
    }
    return {{"type", "object"},
            {"additionalProperties", false},
            {"required", std::move(required)},
            {"properties", std::move(properties)}};
}

json::object without_remarks(json::object schema) {
    for (const char* remark : {"title", "description", "additionalProperties", "minItems", "maxItems"})
        schema.erase(remark);
    if (schema.contains("enum") || schema.contains("const")) schema.erase("type");
    if (auto* items = schema.if_contains("items")) *items = without_remarks_and_demands(items->get_object());
    if (auto* properties = schema.if_contains("properties"))
        for (auto& p : properties->get_object()) p.value() = without_remarks_and_demands(p.value().get_object());
    return schema;
}

const json::value& justification_schema() { return canonical_answer().text(); }

json::object answer_skeleton(std::string_view choice, const std::vector<const asked_fact*>& asks,
                             const std::vector<std::string>& conflicts) {
    json::object o{{"intent", ""},
                   {"alternatives", json::array{json::object{{"method", ""}, {"why_not", ""}}}},
                   {"choice", json::object{{"method", choice}, {"rationale", ""}, {"tradeoffs", ""}}},
                   {"confidence", ""}};
    if (!asks.empty()) o["facts"] = blank_facts(asks);
    if (!conflicts.empty()) o["conflicts"] = blank_conflicts(conflicts);
    return o;
}

json::object confirmation_skeleton(const std::vector<const asked_fact*>& asks,
                                   const std::vector<std::string>& conflicts) {
    json::object o{{"still_holds", ""}};
    if (!asks.empty()) o["facts"] = blank_facts(asks);
    if (!conflicts.empty()) o["conflicts"] = blank_conflicts(conflicts);
    return o;
}

}  // namespace gdalmcp::reflection
