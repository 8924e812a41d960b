#include "base/pointer.hpp"

#include <charconv>

#include "base/text.hpp"

namespace gdalmcp::base {
namespace {

std::string unescape(std::string_view token) {
    std::string out;
    for (std::size_t i = 0; i < token.size(); ++i)
        if (token[i] == '~')
            out += token[++i] == '0' ? '~' : '/';
        else
            out += token[i];
    return out;
}

// Takes the first token off a pointer that is not empty.
std::string next_token(std::string_view& at) {
    at.remove_prefix(1);
    const auto end = at.find('/');
    const auto token = at.substr(0, end);
    at.remove_prefix(end == std::string_view::npos ? at.size() : end);
    return unescape(token);
}

std::optional<std::size_t> index_of(std::string_view token) {
    std::size_t i = 0;
    const auto [p, ec] = std::from_chars(token.data(), token.data() + token.size(), i);
    if (ec != std::errc{} || p != token.data() + token.size() || (token.size() > 1 && token.front() == '0'))
        return std::nullopt;
    return i;
}

json::value* child(json::value& v, std::string_view token) {
    if (auto* o = v.if_object()) return o->if_contains(token);
    if (auto* a = v.if_array()) {
        const auto i = index_of(token);
        if (i && *i < a->size()) return &(*a)[*i];
    }
    return nullptr;
}

}  // namespace

bool is_pointer(std::string_view at) {
    if (!at.empty() && at.front() != '/') return false;
    for (std::size_t i = at.find('~'); i != at.npos; i = at.find('~', i + 1))
        if (i + 1 == at.size() || (at[i + 1] != '0' && at[i + 1] != '1')) return false;
    return is_utf8(at);
}

json::value* at_pointer(json::value& root, std::string_view at) {
    if (!is_pointer(at)) return nullptr;
    auto* v = &root;
    while (v && !at.empty()) v = child(*v, next_token(at));
    return v;
}

const json::value* at_pointer(const json::value& root, std::string_view at) {
    return at_pointer(const_cast<json::value&>(root), at);
}

bool put_at_pointer(json::value& root, std::string_view at, json::value v) {
    if (!is_pointer(at)) return false;
    auto* place = &root;
    while (!at.empty()) {
        const auto token = next_token(at);
        if (place->is_null()) {
            if (token == "-" || token == "0")
                *place = json::array{};
            else
                *place = json::object{};
        }
        if (auto* o = place->if_object()) {
            place = &(*o)[token];
        } else if (auto* a = place->if_array()) {
            const auto i = token == "-" ? std::optional{a->size()} : index_of(token);
            if (!i || *i > a->size()) return false;
            if (*i == a->size()) a->emplace_back(nullptr);
            place = &(*a)[*i];
        } else {
            return false;
        }
    }
    *place = std::move(v);
    return true;
}

std::string escape_token(std::string_view token) {
    if (token.find_first_of("~/") == token.npos) return std::string{token};
    std::string out;
    for (char c : token)
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    return out;
}

}  // namespace gdalmcp::base
