#include "reflection/spec_shape.hpp"

namespace gdalmcp::reflection::spec_text {
namespace {

constexpr const char* spec_schema = R"({
  "type": "object", "additionalProperties": false,
  "required": ["domain", "title", "prompt", "risk", "question", "key", "tools"],
  "properties": {
    "domain": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$"},
    "title": {"type": "string", "minLength": 1, "maxLength": 80},
    "title_when": {"type": "array", "items": {"type": "object", "required": ["note"]}},
    "prompt": {"type": "string", "minLength": 1},
    "methodology": {"type": "string", "minLength": 1},
    "risk": {"type": "string", "enum": ["low", "medium", "high"]},
    "question": {"type": "string", "minLength": 1, "maxLength": 200},
    "question_when": {"type": "array", "items": {"type": "object", "required": ["note"]}},
    "nudge": {"type": "string", "maxLength": 200},
    "alternative": {"type": "string", "maxLength": 200},
    "key": {"type": "object", "minProperties": 1},
    "choice": {"type": "string"},
    "tools": {"type": "object", "additionalProperties": {"type": "object"}},
    "measured_by": {"type": "array", "items": {"type": "string"}},
    "compared_by": {"type": "array", "items": {"type": "string"}},
    "not_needed_when": {"type": "array", "items": {"type": "object"}},
    "critical_when": {"type": "array", "items": {"type": "object"}},
    "critical_tolerance": {"type": "number", "minimum": 0, "maximum": 1},
    "scope": {"type": "object"},
    "asks": {"type": "object"},
    "policy": {"type": "object"},
    "checks": {"type": "array", "items": {"type": "object"}},
    "evidence": {"type": "array", "items": {"type": "object"}},
    "grid": {"type": "object"},
    "plan": {"type": "array", "items": {"type": "object", "additionalProperties": false,
      "required": ["title", "prompt_args", "one_of"], "properties": {
        "title": {"type": "string", "minLength": 1, "maxLength": 80},
        "prompt_args": {"type": "object"},
        "one_of": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}}}}},
    "implies": {"type": "array", "items": {"type": "object", "additionalProperties": false,
      "required": ["of", "key", "keep"], "properties": {
        "of": {"type": "object", "minProperties": 1},
        "key": {"type": "object", "minProperties": 1},
        "keep": {"type": "array", "items": {"type": "string"}}}}}}})";

constexpr const char* key_schema = R"({
  "type": "object", "additionalProperties": false, "required": ["normalise"], "properties": {
    "normalise": {"type": "string", "enum": ["crs", "synonym", "geometry", "number", "lower", "text"]},
    "table": {"type": "object", "additionalProperties": {"type": "string"}},
    "list": {"type": "boolean"},
    "ignore": {"type": "array", "items": {"type": "string"}},
    "optional": {"type": "boolean"},
    "crs_of": {"type": "string"}}})";

constexpr const char* extension_schema = R"({
  "type": "object", "additionalProperties": false, "required": ["extends", "tools"],
  "properties": {
    "extends": {"type": "string"},
    "tools": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "object"}},
    "not_needed_when": {"type": "array", "items": {"type": "object"}},
    "evidence": {"type": "array", "items": {"type": "object"}},
    "judged_as": {"type": "object", "additionalProperties": {"type": "object"}}}})";

}  // namespace

const base::schema& spec_shape() {
    static const auto shape = base::schema::constant(spec_schema);
    return shape;
}

const base::schema& extension_shape() {
    static const auto shape = base::schema::constant(extension_schema);
    return shape;
}

const base::schema& key_shape() {
    static const auto shape = base::schema::constant(key_schema);
    return shape;
}

}  // namespace gdalmcp::reflection::spec_text
