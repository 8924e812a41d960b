#include "app/resources/resource_uri.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.hpp"

namespace gdalmcp::app {

using base::fail;
using base::result;
namespace code = base::code;

namespace {

result<std::string> decoded(std::string_view part, std::string_view uri) {
    auto plain = base::percent_decoded(part);
    if (!plain)
        return fail(code::invalid_argument,
                    "'" + std::string{uri} + "' has a broken % escape in '" + std::string{part} + "'",
                    "write %25 for a percent sign");
    return std::move(*plain);
}

std::string joined(const std::vector<std::string_view>& names) {
    std::string all;
    for (const auto n : names) all += (all.empty() ? "" : ", ") + std::string{n};
    return all;
}

}  // namespace

result<resource_uri> resource_uri::parse(std::string_view uri, const std::vector<std::string_view>& known) {
    resource_uri u;
    u.given = uri;
    const auto colon = uri.find("://");
    if (colon == std::string_view::npos) return fail(code::invalid_argument, "'" + u.given + "' is not a resource URI");
    u.scheme = uri.substr(0, colon);
    uri.remove_prefix(colon + 3);
    const auto question = std::min(uri.find('?'), uri.size());
    auto path = decoded(uri.substr(0, question), u.given);
    if (!path) return tl::unexpected{path.error()};
    u.path = std::move(*path);
    auto rest = uri.substr(std::min(question + 1, uri.size()));
    while (!rest.empty()) {
        const auto member = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(member.size() + 1, rest.size()));
        if (member.empty()) continue;
        const auto equals = std::min(member.find('='), member.size());
        auto name = decoded(member.substr(0, equals), u.given);
        auto value = decoded(member.substr(std::min(equals + 1, member.size())), u.given);
        if (!name || !value) return tl::unexpected{name ? value.error() : name.error()};
        if (std::find(known.begin(), known.end(), *name) == known.end())
            return fail(code::invalid_argument,
                        "'" + u.given + "' has the parameter '" + *name + "', which this resource does not take",
                        known.size() ? "it takes " + joined(known) : "leave out the question mark and what follows it");
        if (!value->empty()) u.query[*name] = std::move(*value);
    }
    return u;
}

const std::string* resource_uri::find(std::string_view name) const {
    const auto found = query.find(name);
    return found == query.end() ? nullptr : &found->second;
}

result<std::uint64_t> resource_uri::number(std::string_view name, std::uint64_t fallback, std::uint64_t least,
                                           std::uint64_t most) const {
    const auto* text = find(name);
    if (!text) return fallback;
    std::uint64_t n = 0;
    const auto* end = text->data() + text->size();
    const auto [stopped, error] = std::from_chars(text->data(), end, n);
    if (error != std::errc{} || stopped != end || n < least || n > most)
        return fail(code::invalid_argument,
                    std::string{name} + " is '" + *text + "'; it must be a whole number from " + std::to_string(least) +
                        " to " + std::to_string(most),
                    "leave it out for " + std::to_string(fallback));
    return n;
}

result<bool> resource_uri::flag(std::string_view name) const {
    const auto* text = find(name);
    if (!text || *text == "false" || *text == "0") return false;
    if (*text == "true" || *text == "1") return true;
    return fail(code::invalid_argument, std::string{name} + " is '" + *text + "'; it must be true or false");
}

std::string resource_uri::at_offset(std::uint64_t offset) const {
    auto members = query;
    members["offset"] = std::to_string(offset);
    auto uri = given.substr(0, given.find('?'));
    char mark = '?';
    for (const auto& [name, value] : members)
        uri += std::exchange(mark, '&') + percent_encoded(name) + "=" + percent_encoded(value);
    return uri;
}

std::string percent_encoded(std::string_view s) {
    constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    constexpr char digits[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : s) {
        const auto byte = static_cast<unsigned char>(c);
        if (plain.find(c) != std::string_view::npos)
            out += c;
        else
            out += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return out;
}

}  // namespace gdalmcp::app
