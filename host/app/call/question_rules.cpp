#include "app/call/question_rules.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>

#include "app/call/review.hpp"

namespace gdalmcp::app {

using base::find_member;
using base::result;
using base::string_member;

namespace {

using names = std::initializer_list<std::string_view>;

result<void> defect(std::string what) {
    return base::fail(base::code::internal, std::move(what), "this is a defect of the tool; report it to its author");
}

bool is_text(const json::value& v) { return v.is_string(); }
bool is_number(const json::value& v) { return v.is_number(); }
bool is_integer(const json::value& v) { return v.is_int64(); }
bool is_flag(const json::value& v) { return v.is_bool(); }
bool is_count(const json::value& v) { return v.is_int64() && v.get_int64() >= 0; }
bool is_texts(const json::value& v) {
    const auto* a = v.if_array();
    return a && std::all_of(a->begin(), a->end(), is_text);
}
bool is_options(const json::value& v) { return is_texts(v) && !v.get_array().empty(); }
bool is_titled_options(const json::value& v) {
    const auto* a = v.if_array();
    return a && !a->empty() && std::all_of(a->begin(), a->end(), [](const json::value& o) {
               const auto* option = o.if_object();
               return option && option->size() == 2 && find_member(o, "const") && is_text(*find_member(o, "const")) &&
                      find_member(o, "title") && is_text(*find_member(o, "title"));
           });
}
bool is_format(const json::value& v) { return v == "email" || v == "uri" || v == "date" || v == "date-time"; }
bool is_items(const json::value& v) {
    const auto* o = v.if_object();
    if (!o) return false;
    if (const auto* titled = o->if_contains("anyOf")) return o->size() == 1 && is_titled_options(*titled);
    const auto* plain = o->if_contains("enum");
    return plain && is_options(*plain) && string_member(v, "type") == "string" && o->size() == 2;
}

struct keyword {
    const char* name;
    bool (*fits)(const json::value&);
};

// The keywords of each type of field, beside type, title and description.
const std::vector<keyword>* keywords_of(std::string_view type) {
    static const std::map<std::string_view, std::vector<keyword>> table = {
        {"string",
         {{"minLength", is_count},
          {"maxLength", is_count},
          {"format", is_format},
          {"default", is_text},
          {"enum", is_options},
          {"enumNames", is_options},
          {"oneOf", is_titled_options}}},
        {"integer", {{"minimum", is_number}, {"maximum", is_number}, {"default", is_integer}}},
        {"number", {{"minimum", is_number}, {"maximum", is_number}, {"default", is_number}}},
        {"boolean", {{"default", is_flag}}},
        {"array", {{"minItems", is_count}, {"maxItems", is_count}, {"items", is_items}, {"default", is_texts}}}};
    const auto found = table.find(type);
    return found == table.end() ? nullptr : &found->second;
}

result<void> only(const json::object& o, names allowed, const std::string& what) {
    for (const auto& m : o)
        if (std::find(allowed.begin(), allowed.end(), std::string_view{m.key()}) == allowed.end())
            return defect(what + " has '" + std::string{m.key()} + "', which is not allowed");
    return {};
}

result<void> check_field(std::string_view name, const json::value& field) {
    const auto what = "the field '" + std::string{name} + "'";
    const auto type = string_member(field, "type");
    const auto* keywords = keywords_of(type);
    if (!keywords)
        return defect(what + " is of type " +
                      base::write_json(find_member(field, "type") ? field.at("type") : nullptr) +
                      "; a field is a string, an integer, a number, a boolean or an array of choices");
    for (const auto& m : field.get_object()) {
        const std::string_view key = m.key();
        if (key == "type") continue;
        if (key == "title" || key == "description") {
            if (!m.value().is_string()) return defect(what + " has a " + std::string{key} + " that is not a string");
            continue;
        }
        const auto known =
            std::find_if(keywords->begin(), keywords->end(), [&](const keyword& k) { return key == k.name; });
        if (known == keywords->end())
            return defect(what + " of type " + std::string{type} + " has '" + std::string{key} +
                          "', which forms do not allow");
        if (!known->fits(m.value()))
            return defect(what + " has " + std::string{key} + " " + base::write_json(m.value()) +
                          ", which forms do not allow");
    }
    if (type == "array" && !find_member(field, "items")) return defect(what + " is an array without items");
    return {};
}

result<void> check_form(const json::object& params) {
    if (auto ok = only(params, {"mode", "message", "requestedSchema"}, "the form"); !ok) return ok;
    if (string_member(params, "mode", "form") != "form")
        return defect("the form has the mode " + base::write_json(params.at("mode")) + "; tools may ask by form only");
    if (string_member(params, "message").empty()) return defect("the form has no message");
    const auto* schema = find_member(params, "requestedSchema");
    const auto* root = schema ? schema->if_object() : nullptr;
    if (!root || string_member(*schema, "type") != "object")
        return defect("the form's requestedSchema is not an object");
    if (auto ok = only(*root, {"type", "properties", "required"}, "the form's schema"); !ok) return ok;
    const auto* properties = find_member(*schema, "properties");
    const auto* fields = properties ? properties->if_object() : nullptr;
    if (!fields) return defect("the form has no fields");
    for (const auto& f : *fields)
        if (auto ok = check_field(f.key(), f.value()); !ok) return ok;
    const auto* required = root->if_contains("required");
    if (!required) return {};
    if (!is_texts(*required)) return defect("the form's 'required' is not a list of names");
    for (const auto& name : required->get_array())
        if (!fields->contains(name.get_string()))
            return defect("the form requires '" + std::string{name.get_string()} + "', which is not one of its fields");
    return {};
}

bool is_message(const json::value& m) {
    const auto role = string_member(m, "role");
    const auto* content = find_member(m, "content");
    const auto type = content ? string_member(*content, "type") : "";
    return (role == "user" || role == "assistant") && (type == "text" || type == "image" || type == "audio");
}

result<void> check_sampling(const json::object& params) {
    if (auto ok = only(
            params,
            {"messages", "maxTokens", "systemPrompt", "modelPreferences", "temperature", "stopSequences", "metadata"},
            "the question to the model");
        !ok)
        return ok;
    const auto* messages = params.if_contains("messages");
    const auto* list = messages ? messages->if_array() : nullptr;
    if (!list || list->empty() || !std::all_of(list->begin(), list->end(), is_message))
        return defect("the question to the model has no messages, or one without role and content");
    const auto* most = params.if_contains("maxTokens");
    if (!most || !most->is_int64() || most->get_int64() < 1)
        return defect("the question to the model has no maxTokens");
    return {};
}

bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
               c == '-';
    });
}

}  // namespace

result<void> check_question(std::string_view name, std::string_view method, const json::object& params) {
    if (!is_name(name) || is_gate_question(name))
        return defect("a question has the name '" + std::string{name.substr(0, 80)} +
                      "'; it must be 1 to 64 of [A-Za-z0-9_.-] and not begin with reason_ or second_look_");
    auto ok = method == "elicitation/create"       ? check_form(params)
              : method == "sampling/createMessage" ? check_sampling(params)
              : method == "roots/list"             ? only(params, {}, "the question for roots")
                                                   : defect("its method is unknown");
    if (!ok)
        ok.error().message =
            "the question '" + std::string{name} + "' (" + std::string{method} + "): " + ok.error().message;
    return ok;
}

}  // namespace gdalmcp::app
