// Where the server listens.
#pragma once
#include <cstdint>
#include <string>

#include "app/configuration.hpp"
#include "base/problem.hpp"

namespace gdalmcp::app {

struct http_address {
    std::string host;
    std::uint16_t port = 0;

    // Of --http. Errors: not ADDR:PORT; an address that other machines reach, without a file of tokens.
    static base::result<http_address> of(const configuration& c);
};

}  // namespace gdalmcp::app
