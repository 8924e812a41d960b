// The first lines of an HTTP response.
#pragma once
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

#include "transport/http_request.hpp"

namespace gdalmcp::transport {

// How a reader finds the end of the body.
struct http_framing {
    std::optional<std::uint64_t> length = {};
    bool chunked = false;
    bool closes = false;  // the connection ends with this response
};

// Status line, the fields of every response (Date, Server, X-Content-Type-Options), those of the framing and the given
// ones, to the empty line. Control characters in a field become blanks, so that no value can begin another field. A 204
// or 304 gets no framing.
std::string response_head(int status, const http_fields& fields, const http_framing& framing, std::time_t now);

bool has_body(int status);  // not 204 and 304

}  // namespace gdalmcp::transport
