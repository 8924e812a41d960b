#include "app/server/http_address.hpp"

#include <charconv>

#include "transport/host_names.hpp"

namespace gdalmcp::app {
namespace {

base::result<http_address> parse(const std::string& text) {
    const auto colon = text.rfind(':');
    const auto wrong = [&] {
        return base::fail(base::code::invalid_argument, "--http " + text + " is not an address and a port",
                          "use --http 127.0.0.1:8080 or --http [::1]:8080; port 0 takes any free one");
    };
    if (colon == std::string::npos || colon == 0) return wrong();
    http_address a{text.substr(0, colon), 0};
    const auto* const end = text.data() + text.size();
    const auto [p, ec] = std::from_chars(text.data() + colon + 1, end, a.port);
    if (ec != std::errc{} || p != end) return wrong();
    if (a.host.front() == '[' && a.host.back() == ']') a.host = a.host.substr(1, a.host.size() - 2);
    return a;
}

}  // namespace

base::result<http_address> http_address::of(const configuration& c) {
    auto a = parse(c.http);
    if (!a || transport::is_loopback(a->host) || !c.tokens.empty()) return a;
    // An address reachable from other machines requires tokens.
    return base::fail(base::code::invalid_argument,
                      "--http " + c.http + " is reachable from other machines, where anyone could use it",
                      "name a token file: --tokens FILE ('gdal-mcp token NAME' creates one), or listen on 127.0.0.1");
}

}  // namespace gdalmcp::app
