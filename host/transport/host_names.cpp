#include "transport/host_names.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.hpp"

namespace gdalmcp::transport {

namespace {

template <class Address>
std::optional<Address> parsed(int family, std::string_view text) {
    Address a{};
    if (::inet_pton(family, std::string{text}.c_str(), &a) != 1) return {};
    return a;
}

// The IPv4 address where one is written as IPv6 (::ffff:127.0.0.1).
std::string shortest(const in6_addr& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (IN6_IS_ADDR_V4MAPPED(&address))
        ::inet_ntop(AF_INET, &address.s6_addr[12], text.data(), text.size());
    else
        ::inet_ntop(AF_INET6, &address, text.data(), text.size());
    return text.data();
}

bool is_port(std::string_view text) {
    return text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_name(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    });
}

}  // namespace

bool is_loopback(std::string_view address) {
    const auto host = host_of(address);
    if (!host) return false;
    if (*host == "localhost" || *host == "::1") return true;
    const auto v4 = parsed<in_addr>(AF_INET, *host);
    return v4 && (ntohl(v4->s_addr) >> 24) == 127;
}

std::optional<std::string> host_of(std::string_view authority) {
    if (authority.find('\0') != std::string_view::npos) return {};
    if (const auto bare = parsed<in6_addr>(AF_INET6, authority)) return shortest(*bare);
    if (!authority.empty() && authority.front() == '[') {
        const auto end = authority.find(']');
        if (end == std::string_view::npos) return {};
        const auto port = authority.substr(end + 1);
        const auto address = parsed<in6_addr>(AF_INET6, authority.substr(1, end - 1));
        if (!address || (!port.empty() && (port.front() != ':' || !is_port(port.substr(1))))) return {};
        return shortest(*address);
    }
    const auto colon = authority.find(':');
    if (colon != std::string_view::npos && !is_port(authority.substr(colon + 1))) return {};
    auto name = base::lower_ascii(authority.substr(0, colon));
    if (!is_name(name)) return {};
    return name;
}

hosts_allowed::hosts_allowed(const std::vector<std::string>& hosts) {
    for (const auto& h : hosts)
        if (auto host = host_of(h)) hosts_.push_back(std::move(*host));
}

bool hosts_allowed::has_host(std::string_view field) const {
    const auto host = host_of(field);
    return host && std::find(hosts_.begin(), hosts_.end(), *host) != hosts_.end();
}

bool hosts_allowed::has_origin(std::string_view field) const {
    const auto separator = field.find("://");
    if (separator == std::string_view::npos) return false;
    const auto scheme = base::lower_ascii(field.substr(0, separator));
    return (scheme == "http" || scheme == "https") && has_host(field.substr(separator + 3));
}

std::vector<std::string> default_hosts(std::string_view address) {
    std::vector<std::string> hosts{"localhost", "127.0.0.1", "::1"};
    if (const auto bound = host_of(address); bound && *bound != "0.0.0.0" && *bound != "::") hosts.push_back(*bound);
    return hosts;
}

}  // namespace gdalmcp::transport
