#include "reflection/host_tools.hpp"

namespace gdalmcp::reflection {
namespace {

constexpr const char* store_definition = R"({
  "name": "store_justification", "title": "Store a reason",
  "description": "Stores the reason for a methodological choice; later calls with the same choice run at once. Call it as a refused call's `submit` shows, every empty string filled in, at most 3 KiB. Domains: ",
  "inputSchema": {"type": "object", "additionalProperties": false, "required": ["domain", "prompt_args", "justification"],
    "properties": {
      "domain": {"type": "string", "description": "As in `submit`"},
      "prompt_args": {"type": "object", "description": "As in `submit`"},
      "justification": {"type": "object", "description": "intent, alternatives[{method, why_not}], choice{method, rationale, tradeoffs}, confidence (low, medium, medium-high, high); or {still_holds: sentence} for an earlier reason"},
      "scope": {"type": "object", "description": "As in `submit`: facts the reason holds for"},
      "tool_name": {"type": "string", "description": "The refused tool"},
      "prompt_name": {"type": "string", "description": "As in the refused call"},
      "chosen_by": {"type": "string", "enum": ["user", "agent"], "description": "user: alternatives may be empty. Default: agent"},
      "parents": {"type": "array", "maxItems": 16, "items": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
        "description": "Cache keys of reasons this one builds on"}}},
  "outputSchema": {"type": "object", "required": ["status", "domain", "cache_key", "warnings"], "properties": {
      "status": {"type": "string", "description": "stored"},
      "domain": {"type": "string", "description": "The domain"},
      "cache_key": {"type": "string", "description": "sha256:<hex>, the name of the record"},
      "warnings": {"type": "array", "items": {"type": "string"}, "description": "What would make the reason better; it is stored all the same"}}},
  "annotations": {"title": "Store a reason", "readOnlyHint": false, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}})";

constexpr const char* preflight_definition = R"({
  "name": "preflight", "title": "What would this call need?",
  "description": "Reports which reasons a call would need, with question, evidence and answer schema, without running it.",
  "inputSchema": {"type": "object", "additionalProperties": false, "required": ["tool", "arguments"], "properties": {
      "tool": {"type": "string", "description": "Name of the tool"},
      "arguments": {"type": "object", "description": "Its arguments, as they would be sent"}}},
  "outputSchema": {"type": "object", "required": ["tool", "runs", "domains"], "properties": {
      "tool": {"type": "string", "description": "Name of the tool"},
      "runs": {"type": "boolean", "description": "Whether the call would run as it is"},
      "domains": {"type": "array", "description": "One entry per domain that governs the tool; empty if none does",
        "items": {"type": "object", "required": ["domain", "risk_class", "decision", "notes"], "properties": {
          "domain": {"type": "string", "description": "The domain"},
          "risk_class": {"type": "string", "description": "low, medium or high"},
          "decision": {"type": "string", "enum": ["off", "not_needed", "only_option", "immaterial", "proceed", "revisit", "warn", "block"], "description": "block: a reason is missing or does not hold; with all others the call runs"},
          "notes": {"type": "array", "items": {"type": "string"}, "description": "Why"},
          "missing": {"type": "object", "description": "The question and everything needed to answer it"}}}},
      "retry": {"type": "object", "description": "The call with an empty justification to fill in: {tool, arguments}"}}},
  "annotations": {"title": "What would this call need?", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}})";

}  // namespace

json::array host_tool_definitions(const specs& s) {
    auto store = base::parse_json(store_definition).value();
    std::string domains;
    for (const auto& known : s.all()) domains += (domains.empty() ? "" : ", ") + known.domain;
    auto& o = store.get_object();
    o["description"] = std::string{o["description"].get_string()} + domains + ".";
    return {std::move(store), base::parse_json(preflight_definition).value()};
}

}  // namespace gdalmcp::reflection
