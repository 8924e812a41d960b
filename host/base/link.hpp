// What a plugin may point a reader to.
#pragma once
#include <algorithm>
#include <string_view>

namespace gdalmcp::base {

// Only pages on the web, and only in the clear: an https URI of printable ASCII without credentials. A client may open
// what it is offered, outside of every sandbox; so no file (the host itself links what a call has written), no scheme
// of the host's own, nothing that another program answers to.
inline bool is_offerable_link(std::string_view uri) {
    constexpr std::string_view scheme = "https://";
    if (uri.substr(0, scheme.size()) != scheme || uri.size() > 2048) return false;
    const auto authority = uri.substr(scheme.size(), uri.find_first_of("/?#", scheme.size()) - scheme.size());
    return !authority.empty() && authority.find('@') == std::string_view::npos &&
           std::all_of(uri.begin(), uri.end(), [](char c) {
               return c > ' ' && c < 0x7F && std::string_view{"\"<>\\^`{|}"}.find(c) == std::string_view::npos;
           });
}

}  // namespace gdalmcp::base
