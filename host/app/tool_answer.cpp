#include "app/tool_answer.hpp"

#include "base/schema.hpp"

namespace gdalmcp::app {

namespace json = base::json;
using base::result;

namespace {

const base::schema& shape() {
    static const auto compiled = base::schema::compile(*base::parse_json(R"({
        "type": "object",
        "required": ["result", "lines", "warnings", "attachments", "expectations"],
        "properties": {
            "lines": {"type": "array", "items": {"type": "string"}},
            "warnings": {"type": "array", "items": {"type": "string"}},
            "attachments": {"type": "array", "items": {
                "type": "object", "required": ["media_type"],
                "properties": {"media_type": {"type": "string"}, "image": {"type": "string"}, "text": {"type": "string"},
                               "link": {"type": "string"}, "name": {"type": "string"}, "description": {"type": "string"}},
                "anyOf": [{"required": ["image"]}, {"required": ["text"]}, {"required": ["link", "name", "description"]}]}},
            "expectations": {"type": "object"}
        }})"));
    return *compiled;
}

}  // namespace

result<void> check_answer(const json::object& done) {
    const json::value answer(done);
    if (auto ok = shape().check(answer); !ok)
        return base::fail(base::code::crashed, "the tool's process sent a broken answer: " + ok.error().message,
                          "this is a defect of the tool; report it to its author");
    return {};
}

}  // namespace gdalmcp::app
