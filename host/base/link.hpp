// What a plugin may point a reader to, and what it may call what it hands out.
#pragma once
#include <algorithm>
#include <iterator>
#include <string_view>

namespace gdalmcp::base {

namespace detail {

// Printable ASCII without what a URI must escape.
inline bool is_plain(std::string_view uri) {
    return std::all_of(uri.begin(), uri.end(), [](char c) {
        return c > ' ' && c < 0x7F && std::string_view{"\"<>\\^`{|}"}.find(c) == std::string_view::npos;
    });
}

}  // namespace detail

// Only pages on the web, and only in the clear: an https URI of printable ASCII without credentials. A client may open
// what it is offered, outside of every sandbox; so no file (the host itself links what a call has written), no scheme
// of the host's own, nothing that another program answers to.
inline bool is_offerable_link(std::string_view uri) {
    constexpr std::string_view scheme = "https://";
    if (uri.substr(0, scheme.size()) != scheme || uri.size() > 2048) return false;
    const auto authority = uri.substr(scheme.size(), uri.find_first_of("/?#", scheme.size()) - scheme.size());
    return !authority.empty() && authority.find('@') == std::string_view::npos && detail::is_plain(uri);
}

// The name of a resource a plugin embeds: a URI of printable ASCII that nobody can take for one of the host's own.
inline bool is_embeddable_uri(std::string_view uri) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto scheme = uri.substr(0, uri.find(':'));
    if (scheme.size() + 1 >= uri.size() || uri.size() > 2048 || scheme.empty() || !letter(scheme.front())) return false;
    if (!std::all_of(scheme.begin(), scheme.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '.' || c == '-'; }))
        return false;
    constexpr std::string_view own[] = {"query",  "catalog",  "metadata", "reference", "justification", "methodology",
                                        "schema", "receipts", "history",  "bundles",   "file"};
    const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
    return std::none_of(std::begin(own), std::end(own),
                        [&](std::string_view o) {
                            return std::equal(o.begin(), o.end(), scheme.begin(), scheme.end(), same);
                        }) &&
           detail::is_plain(uri);
}

}  // namespace gdalmcp::base
