// Bytes to HTTP requests.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "transport/http_request.hpp"

namespace gdalmcp::transport {

// Reads one request after the other from one connection's bytes, however they are cut.
//   while (!bytes.empty()) {
//       bytes.remove_prefix(reader.feed(bytes));
//       if (reader.at() == request_reader::stage::whole) serve(reader.take());
//       if (reader.at() == request_reader::stage::refused) break;   // for good
//   }
// Boost.Beast parses the head; in addition, everything that two readers of one request could interpret differently is
// refused: control characters and folded lines in the head, more than one length, a length beside chunks, chunks in
// HTTP/1.0, an encoding other than chunked, no Host or several.
class request_reader {
public:
    request_reader(std::size_t header_bytes, std::size_t body_bytes);
    ~request_reader();
    request_reader(const request_reader&) = delete;
    request_reader& operator=(const request_reader&) = delete;

    enum class stage { nothing, head, body, whole, refused };
    stage at() const;

    // Consumes bytes of one request from the front and returns how many: all, unless the request is whole or refused.
    std::size_t feed(std::string_view bytes);

    struct refusal {
        int status = 0;   // of the answer: 400, 413, 417, 431, 501, 505
        std::string why;  // one sentence
    };
    const refusal& refused() const;  // REQUIRES: at() == refused

    // From the end of the head on:
    bool is_http_1_1() const;
    bool keeps_alive() const;  // the client would send another request on this connection
    bool awaits_continue()
        const;  // the client holds the body back until it reads 100 Continue, and no body byte has come yet
    const http_request& head() const;  // REQUIRES: at() == body. Without its body, and without peer_address
    // REQUIRES: at() == whole, and afterwards the next one can be read; or at() == body, and it was the last one: its
    // body is given up.
    http_request take();

private:
    struct state;
    std::unique_ptr<state> s_;
};

}  // namespace gdalmcp::transport
