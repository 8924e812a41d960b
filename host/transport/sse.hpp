// Server-sent events (WHATWG HTML, 9.2) to text.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace gdalmcp::transport {

struct sse_event {
    std::string event = "message";
    std::string data;                    // several lines become several data lines, which the reader joins again
    std::optional<std::string> id = {};  // what the client sends back as Last-Event-ID
    std::optional<std::chrono::milliseconds> retry = {};  // how long to wait before connecting again
};

// "event: message\ndata: …\n\n". REQUIRES: no line break in event and id, no NUL in id.
std::string to_text(const sse_event& e);

// A comment line that readers ignore: keeps an idle stream alive.
inline constexpr std::string_view sse_keep_alive = ":\n\n";

}  // namespace gdalmcp::transport
