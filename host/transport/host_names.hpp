// Checks of the Host and Origin fields: the guard against DNS rebinding and foreign web pages.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdalmcp::transport {

// 127.0.0.0/8 and ::1, the latter also in brackets, and IPv4 written as IPv6; localhost too. Not a wildcard address.
bool is_loopback(std::string_view address);

// The host of "host" or "host:port" in the form in which hosts are compared: lower case, IPv6 without brackets in its
// shortest spelling. Nothing where it is malformed. IPv6 needs its brackets only where a port follows.
std::optional<std::string> host_of(std::string_view authority);

// The hosts a server answers to.
//   const hosts_allowed hosts{default_hosts("127.0.0.1")};
//   if (!hosts.has_host(request.field("host").value_or(""))) …
//   if (const auto origin = request.field("origin"); origin && !hosts.has_origin(*origin)) …
class hosts_allowed {
public:
    explicit hosts_allowed(const std::vector<std::string>& hosts);  // names or addresses; malformed ones match nothing
    bool has_host(std::string_view field) const;                    // of a Host field, whatever its port
    bool has_origin(
        std::string_view field) const;  // of an Origin field: http or https, whatever its port; never "null"

private:
    std::vector<std::string> hosts_;
};

// localhost, 127.0.0.1, ::1 and the address listened on. A wildcard address (0.0.0.0, ::) names no host and is not
// added: its other names must be given.
std::vector<std::string> default_hosts(std::string_view address);

}  // namespace gdalmcp::transport
