// Links a plugin may give, and URIs it may use for its own resources.
#pragma once
#include <algorithm>
#include <iterator>
#include <string>
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

// An https URI of printable ASCII without credentials. A client may open a link outside of every sandbox; so no file
// URIs (the host itself links the outputs of a call), none of the host's own schemes, and no scheme that another
// program handles.
inline bool is_offerable_link(std::string_view uri) {
    constexpr std::string_view scheme = "https://";
    if (uri.substr(0, scheme.size()) != scheme || uri.size() > 2048) return false;
    const auto authority = uri.substr(scheme.size(), uri.find_first_of("/?#", scheme.size()) - scheme.size());
    return !authority.empty() && authority.find('@') == std::string_view::npos && detail::is_plain(uri);
}

// Schemes not available for a plugin's resources: those of the host, those with a meaning to clients, and those under
// which a client would fetch, open or run something. In lower case.
inline bool is_taken_scheme(std::string_view scheme) {
    constexpr std::string_view taken[] = {
        "query",       "catalog", "metadata", "reference",  "justification", "methodology", "schema",
        "receipts",    "history", "bundles",  "ui",         "skill",         "http",        "https",
        "file",        "ftp",     "ftps",     "sftp",       "ssh",           "smb",         "ws",
        "wss",         "data",    "blob",     "filesystem", "about",         "javascript",  "vbscript",
        "view-source", "mailto",  "tel",      "sms",        "intent",        "urn"};
    return std::find(std::begin(taken), std::end(taken), scheme) != std::end(taken);
}

// The name of a resource a plugin embeds: a URI of printable ASCII, of a scheme that is not taken.
inline bool is_embeddable_uri(std::string_view uri) {
    const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto scheme = uri.substr(0, uri.find(':'));
    return scheme.size() + 1 < uri.size() && uri.size() <= 2048 && !scheme.empty() && letter(scheme.front()) &&
           std::all_of(
               scheme.begin(), scheme.end(),
               [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '.' || c == '-'; }) &&
           !is_taken_scheme(scheme) && detail::is_plain(uri);
}

}  // namespace gdalmcp::base
