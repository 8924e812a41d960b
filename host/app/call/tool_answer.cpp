#include "app/call/tool_answer.hpp"

#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "catalog/lint.hpp"
#include "workspace/file_uri.hpp"

namespace gdalmcp::app {

namespace json = base::json;
using base::result;

namespace {

const base::schema& shape() {
    static const auto compiled = base::schema::constant(R"({
        "type": "object",
        "required": ["result", "lines", "warnings", "attachments", "expectations"],
        "properties": {
            "lines": {"type": "array", "items": {"type": "string"}},
            "warnings": {"type": "array", "items": {"type": "string"}},
            "attachments": {"type": "array", "items": {
                "type": "object", "required": ["media_type"],
                "properties": {"media_type": {"type": "string"}, "image": {"type": "string"}, "text": {"type": "string"},
                               "audio": {"type": "string"}, "resource": {"type": "string"}, "blob": {"type": "string"},
                               "link": {"type": "string"}, "name": {"type": "string"}, "description": {"type": "string"}},
                "anyOf": [{"required": ["image"]}, {"required": ["audio"]}, {"required": ["text"]},
                          {"required": ["resource", "blob"]}, {"required": ["link", "name", "description"]}]}},
            "expectations": {"type": "object"},
            "ask": {"type": "object", "required": ["requests", "used", "state"], "properties": {
                "requests": {"type": "object", "additionalProperties": {
                    "type": "object", "required": ["method", "params"],
                    "properties": {"method": {"type": "string"}, "params": {"type": "object"}}}},
                "used": {"type": "array", "items": {"type": "string"}}}}
        }})");
    return compiled;
}

std::optional<std::string> asked_crs(const json::value& schema, const json::value& arguments) {
    const auto* properties = base::find_member(schema, "properties");
    if (!properties || !properties->is_object()) return std::nullopt;
    for (const auto& p : properties->get_object())
        if (base::string_member(p.value(), "x-gdalmcp") == "output-crs")
            if (const auto text = base::string_member(arguments, p.key()); !text.empty()) return std::string{text};
    return std::nullopt;
}

// A result's path is no URI yet.
std::string uri_of(const json::value& output) {
    const auto path = base::string_member(output, "path");
    return path.empty() ? std::string{base::string_member(output, "uri")} : workspace::file_uri(path);
}

void name_output(const catalog::tool& t, const json::value& output, json::object& result) {
    const auto* properties = base::find_member(t.result_schema()->text(), "properties");
    for (const auto& p : properties ? properties->get_object() : json::object{})
        if (base::string_member(p.value(), "x-gdalmcp") == catalog::uri_of_output_role)
            result[p.key()] = uri_of(output);
}

// Whether the value at a pointer is absent where the schema wants a number.
bool lacks_number(const json::value& schema, const json::value& whole, std::string_view pointer) {
    std::string place;
    for (const char c : pointer) place += c == '/' ? "/properties/" : std::string(1, c);
    const auto* wanted = base::at_pointer(schema, place);
    return wanted && base::string_member(*wanted, "type") == "number" && !base::at_pointer(whole, pointer);
}

}  // namespace

result<void> check_answer(const json::object& done) {
    const json::value answer(done);
    if (auto ok = shape().check(answer); !ok)
        return base::fail(base::code::crashed, "the tool's process sent a broken answer: " + ok.error().message,
                          "this is a defect of the tool; report it to its author");
    return {};
}

json::object promised_output(const catalog::tool& t, const json::value& arguments, const json::object& done,
                             const std::string& pointer) {
    json::object expect;
    if (const auto* promised = base::find_member(done.at("expectations"), pointer); promised && promised->is_object())
        expect = promised->get_object();
    if (!expect.contains("crs"))
        if (auto asked = asked_crs(t.input().text(), arguments)) expect["crs"] = *asked;
    return expect;
}

result<json::object> structured_result(const catalog::tool& t, const json::object& done, const json::array& outputs,
                                       const json::array& checks, json::array warnings) {
    auto structured = done.at("result").is_object() ? done.at("result").get_object() : json::object{};
    for (const auto name : catalog::host_members)
        if (structured.contains(name))
            return base::fail(base::code::internal,
                              t.name + " returned a member '" + std::string{name} + "', which only the host may set",
                              "this is a defect of the tool; report it to its author");
    if (!outputs.empty()) {
        name_output(t, outputs.front(), structured);
        structured["output"] = outputs.front();
        structured["checks"] = checks;
    }
    structured["warnings"] = std::move(warnings);
    json::value checked(std::move(structured));
    if (auto ok = t.result_schema()->check(checked, "its members"); !ok) {
        const bool left_out = lacks_number(t.result_schema()->text(), checked, ok.error().at);
        return base::fail(base::code::internal,
                          t.name + " returned a result that does not match its output schema: " + ok.error().message +
                              (left_out ? "; numbers that are NaN or infinite are left out of a result" : ""),
                          std::string{"this is a defect of the tool; report it to its author"} +
                              (left_out ? ", who declares a field that may have no value .optional()" : ""));
    }
    return std::move(checked.get_object());
}

}  // namespace gdalmcp::app
