// The address the server listens on.
#pragma once
#include <cstdint>
#include <string>

#include "app/configuration.hpp"
#include "base/problem.hpp"

namespace gdalmcp::app {

struct http_address {
    std::string host;
    std::uint16_t port = 0;

    // Parses --http. Errors: not ADDR:PORT; an address reachable from other machines without a token file.
    static base::result<http_address> of(const configuration& c);
};

}  // namespace gdalmcp::app
