#include "mcp/http_fields.hpp"

#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "mcp/request.hpp"

namespace gdalmcp::mcp {
namespace {

rpc_error mismatch(std::string message) { return {rpc_code::header_mismatch, std::move(message), nullptr}; }

// nullopt: not base64 despite its frame, or with characters not allowed in a field.
std::optional<std::string> decoded(const std::string& value) {
    constexpr std::string_view begin = "=?base64?", end = "?=";
    const std::string_view v{value};
    if (v.size() >= begin.size() + end.size() && v.substr(0, begin.size()) == begin &&
        v.substr(v.size() - end.size()) == end)
        return base::from_base64(v.substr(begin.size(), v.size() - begin.size() - end.size()));
    for (const char c : v)
        if ((c < ' ' && c != '\t') || c > '~') return std::nullopt;
    return value;
}

// The member of params that Mcp-Name repeats; none for methods without a name.
const char* named_by(std::string_view method) {
    if (method == "tools/call" || method == "prompts/get") return "name";
    if (method == "resources/read") return "uri";
    if (method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel") return "taskId";
    return nullptr;
}

std::optional<rpc_error> compare(const char* field, const std::optional<std::string>& told, std::string_view said) {
    if (!told) return mismatch("the " + std::string{field} + " header is missing; this request requires it");
    const auto value = decoded(*told);
    if (!value) return mismatch("the " + std::string{field} + " header cannot be read: '" + *told + "'");
    if (*value != said)
        return mismatch("the " + std::string{field} + " header is '" + *value + "', but the request has '" +
                        std::string{said} + "'");
    return std::nullopt;
}

template <class Integer>
bool same_integer(const std::string& text, Integer wanted) {
    Integer n = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), n);
    return ec == std::errc{} && end == text.data() + text.size() && n == wanted;
}

// 42, 42.0 and 4.2e1 are one number; from 2^53 on, where doubles meet, only its digits are it.
bool same_number(const std::string& text, const json::value& v) {
    if (const auto* i = v.if_int64(); i && std::abs(v.to_number<double>()) >= 9007199254740992.0)
        return same_integer(text, *i);
    if (const auto* u = v.if_uint64()) return same_integer(text, *u);
    double n = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), n);
    return ec == std::errc{} && end == text.data() + text.size() && n == v.to_number<double>();
}

bool same_value(const std::string& text, const json::value& v) {
    if (const auto* s = v.if_string()) return text == std::string_view{*s};
    if (const auto* b = v.if_bool()) return text == (*b ? "true" : "false");
    return v.is_number() && same_number(text, v);
}

std::optional<rpc_error> compare_argument(const http_fields& header, std::string_view field, const json::value* said) {
    const auto told = header.parameters.find(base::lower_ascii(field));
    const bool given = said && !said->is_null();
    const auto name = "Mcp-Param-" + std::string{field};
    if (told == header.parameters.end()) {
        if (given) return mismatch("the " + name + " header is missing; the tool requires it beside the argument");
        return std::nullopt;
    }
    const auto value = decoded(told->second);
    if (!value) return mismatch("the " + name + " header cannot be read: '" + told->second + "'");
    if (!given) return mismatch("the " + name + " header is '" + *value + "', but the argument is absent");
    if (!same_value(*value, *said))
        return mismatch("the " + name + " header is '" + *value + "', but the argument is " + base::write_json(*said));
    return std::nullopt;
}

}  // namespace

bool is_stateless(const json::value& message, const http_fields& header) {
    const auto* params = base::find_member(message, "params");
    const auto* meta = params ? base::find_member(*params, "_meta") : nullptr;
    if (meta && meta->is_object() && has_envelope(meta->get_object())) return true;
    return header.protocol_version == name_of(stateless) && base::string_member(message, "method") != "initialize";
}

std::optional<rpc_error> version_disagreement(const http_fields& header, std::string_view in_envelope) {
    if (!header.protocol_version || *header.protocol_version == in_envelope) return std::nullopt;
    return mismatch("the MCP-Protocol-Version header is '" + *header.protocol_version + "', but the request has '" +
                    std::string{in_envelope} + "'");
}

std::optional<rpc_error> disagreement(const http_fields& header, const request& r) {
    if (auto e = compare("MCP-Protocol-Version", header.protocol_version, name_of(r.spoken))) return e;
    if (auto e = compare("Mcp-Method", header.method, r.method)) return e;
    const auto* member = named_by(r.method);
    if (!member) return std::nullopt;
    const auto* name = r.params.if_contains(member);
    if (name && name->is_string()) return compare("Mcp-Name", header.name, name->get_string());
    if (header.name)
        return mismatch("the Mcp-Name header is '" + *header.name + "', but the request has no string " + member);
    return std::nullopt;
}

std::optional<rpc_error> disagreement(const http_fields& header, const json::value& input_schema,
                                      const json::object* arguments) {
    const auto* properties = base::find_member(input_schema, "properties");
    if (!properties || !properties->is_object()) return std::nullopt;
    for (const auto& p : properties->get_object()) {
        const auto* said = arguments ? arguments->if_contains(p.key()) : nullptr;
        if (const auto field = base::string_member(p.value(), "x-mcp-header"); !field.empty())
            if (auto e = compare_argument(header, field, said)) return e;
        if (auto e = disagreement(header, p.value(), said ? said->if_object() : nullptr)) return e;
    }
    return std::nullopt;
}

}  // namespace gdalmcp::mcp
