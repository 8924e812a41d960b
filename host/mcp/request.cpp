#include "mcp/request.hpp"

#include <algorithm>

#include "mcp/log_level.hpp"

namespace gdalmcp::mcp {
namespace {

constexpr const char* version_member = "io.modelcontextprotocol/protocolVersion";
constexpr const char* capabilities_member = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* log_level_member = "io.modelcontextprotocol/logLevel";

const json::object* meta_of(const request& r) {
    const auto* m = r.params.if_contains("_meta");
    return m ? m->if_object() : nullptr;
}

// Walks over the members of the outermost object without parsing their values.
class member_walk {
public:
    explicit member_walk(std::string_view text) : text_{text} {}

    // f(name, value) for each, both as they are written. False: the text is not one object from its first brace to its
    // last.
    template <class F>
    bool each(F f) {
        if (!skip_to('{')) return false;
        do {
            const auto name = value();
            if (!skip_to(':')) return false;
            f(name, value());
        } while (skip_to(','));
        const bool closed = skip_to('}');
        skip_space();
        return closed && at_ == text_.size();
    }

private:
    void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
    bool skip_to(char c) {
        skip_space();
        const bool found = at_ < text_.size() && text_[at_] == c;
        if (found) ++at_;
        return found;
    }
    void skip_string() {
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
            if (text_[at_] == '\\') ++at_;
        at_ = std::min(at_ + 1, text_.size());
    }
    std::string_view value() {
        skip_space();
        const auto begin = at_;
        std::size_t depth = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            const bool closes = c == '}' || c == ']';
            if (depth == 0 && (closes || c == ',' || c == ':')) break;
            if (c == '"') {
                skip_string();
                continue;
            }
            if (c == '{' || c == '[') ++depth;
            if (closes) --depth;
            ++at_;
        }
        const auto end = text_.find_last_not_of(" \t\r\n", at_ - 1);
        return end == std::string_view::npos || end < begin ? std::string_view{} : text_.substr(begin, end + 1 - begin);
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

rpc_error invalid(std::string message) { return {rpc_code::invalid_params, std::move(message), nullptr}; }

}  // namespace

bool is_request_id(const json::value& v) { return v.is_string() || v.is_int64() || v.is_uint64(); }

json::value id_of_unreadable(std::string_view message) {
    json::value id;
    std::size_t ids = 0, methods = 0;
    const bool whole = member_walk{message}.each([&](std::string_view name, std::string_view value) {
        if (name == "\"method\"") ++methods;
        if (name != "\"id\"" || ++ids > 1) return;
        if (auto read = base::parse_json(value); read && is_request_id(*read)) id = std::move(*read);
    });
    return whole && ids == 1 && methods == 1 ? id : json::value{};
}

std::optional<rpc_error> take_params(request& r, json::value params) {
    if (params.is_null()) return std::nullopt;
    if (!params.is_object()) return invalid("params must be an object");
    r.params = std::move(params.get_object());
    if (r.params.contains("_meta") && !meta_of(r)) return invalid("params._meta must be an object");
    const auto* meta = meta_of(r);
    const auto* token = meta ? meta->if_contains("progressToken") : nullptr;
    if (!token) return std::nullopt;
    if (!is_request_id(*token)) return invalid("params._meta.progressToken must be a string or an integer");
    r.progress_token = *token;
    return std::nullopt;
}

bool begins_handshake(const json::value& message) {
    const auto* id = base::find_member(message, "id");
    const auto* params = base::find_member(message, "params");
    if (base::string_member(message, "method") != "initialize" || base::string_member(message, "jsonrpc") != "2.0" ||
        !id || !is_request_id(*id) || !params || !params->is_object())
        return false;
    request r;
    return !take_params(r, *params);
}

bool has_envelope(const request& r) {
    const auto* meta = meta_of(r);
    return meta && has_envelope(*meta);
}

bool has_envelope(const json::object& meta) {
    return meta.contains(version_member) || meta.contains(capabilities_member);
}

bool declares_tasks(const request& r) {
    const auto* extensions = r.client_capabilities.if_contains("extensions");
    const auto* settings = extensions ? base::find_member(*extensions, tasks_extension) : nullptr;
    return settings && settings->is_object();
}

std::optional<rpc_error> take_envelope(request& r, const http_fields* header) {
    const auto& meta = *meta_of(r);
    const auto* version = meta.if_contains(version_member);
    if (!version || !version->is_string())
        return invalid(std::string{"params._meta[\""} + version_member + "\"] must be a string");
    const auto* capabilities = meta.if_contains(capabilities_member);
    if (!capabilities || !capabilities->is_object())
        return invalid(std::string{"params._meta[\""} + capabilities_member + "\"] must be an object");
    const auto* level = meta.if_contains(log_level_member);
    const auto wanted = level && level->is_string() ? log_level_named(level->get_string()) : std::nullopt;
    if (level && !wanted)
        return invalid(std::string{"params._meta[\""} + log_level_member + "\"] must be one of " + log_level_names());
    if (header)
        if (auto e = version_disagreement(*header, version->get_string())) return e;
    if (revision_named(version->get_string()) != stateless)
        return rpc_error{
            rpc_code::unsupported_protocol_version,
            "Unsupported protocol version: " + std::string{version->get_string()},
            json::object{{"supported", json::array{json::string{name_of(stateless)}}}, {"requested", *version}}};
    r.spoken = stateless;
    r.client_capabilities = capabilities->get_object();
    r.log_level = wanted.value_or(-1);
    return std::nullopt;
}

}  // namespace gdalmcp::mcp
