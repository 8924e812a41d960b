#include "reflection/prompt_question.hpp"

#include "base/text_template.hpp"
#include "reflection/condition.hpp"
#include "reflection/person.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;

// The subset of JSON Schema allowed by elicitation and enforced by base::schema.
constexpr const char* form_schema = R"({
  "type": "object", "additionalProperties": false, "required": ["type", "properties"],
  "properties": {
    "type": {"const": "object"},
    "required": {"type": "array", "items": {"type": "string"}},
    "properties": {"type": "object", "minProperties": 1, "additionalProperties": {
      "type": "object", "additionalProperties": false, "required": ["type"],
      "properties": {
        "type": {"type": "string", "enum": ["string", "number", "integer", "boolean"]},
        "title": {"type": "string"}, "description": {"type": "string"},
        "enum": {"type": "array", "minItems": 1, "items": {"type": "string"}},
        "default": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]},
        "minLength": {"type": "integer"}, "maxLength": {"type": "integer"},
        "minimum": {"type": "number"}, "maximum": {"type": "number"}}}}}})";

}  // namespace

bool prompt_question::asks(std::string_view argument) const {
    return form.text().at("properties").get_object().contains(argument);
}

result<prompt_question> parse_prompt_question(std::string_view name, const json::value& text) {
    static const auto shape = base::schema::compile(base::parse_json(form_schema).value()).value();
    const auto& schema = text.at("schema");
    if (auto ok = shape.check(schema, "the form"); !ok)
        return fail(ok.error().code, ok.error().message, ok.error().hint, "/schema" + ok.error().at);
    auto form = base::schema::compile(schema);
    if (!form) return fail(form.error().code, form.error().message, form.error().hint, "/schema" + form.error().at);
    std::string message{base::string_member(text, "message")};
    if (const auto t = base::text_template::parse(message); !t)
        return fail(base::code::invalid_argument, t.error().message, t.error().hint, "/message");
    return prompt_question{std::string{name}, std::move(message), std::move(*form)};
}

json::object request_of(const prompt_question& q, const json::object& arguments) {
    return {{"method", "elicitation/create"},
            {"params", json::object{{"mode", "form"},
                                    {"message", base::text_template::parse(q.message)->render(arguments)},
                                    {"requestedSchema", q.form.text()}}}};
}

bool take_answer(const prompt_question& q, const json::value& responses, json::object& arguments) {
    const auto* response = base::find_member(responses, q.name);
    if (!response) return false;
    if (action_of(*response) != action::accept) return true;
    const auto* content = base::find_member(*response, "content");
    if (!content || !q.form.check(*content)) return false;
    for (const auto& m : content->get_object())
        if (q.asks(m.key()) && is_absent(arguments.if_contains(m.key()))) arguments[m.key()] = m.value();
    return true;
}

}  // namespace gdalmcp::reflection
