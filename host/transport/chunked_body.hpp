// RFC 9112, 7.1: a body that comes in chunks. Beast's own reader (1.81) looks for the end of a quoted extension beyond
// its line and counts the chunk again with every piece that comes meanwhile, so that the result depends on how the
// bytes are split.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gdalmcp::transport {

// Why `c` is invalid after `before` (0 at the start) in lines that end with CR LF: a bare CR or LF, a line that begins
// with a blank and so continues the one before, a control character. Null if it is valid.
const char* flaw_in_line(char before, char c);

// Extensions are passed over and trailers dropped, whatever they say.
class chunked_body {
public:
    chunked_body(std::size_t line_limit, std::size_t body_limit) : line_limit_{line_limit}, body_limit_{body_limit} {}

    enum class outcome { more, whole, malformed, long_line, long_body };
    outcome at() const { return at_; }
    const char* flaw() const { return flaw_; }  // when malformed

    // Consumes bytes from the front, appends their content to `body`, and returns how many it took: all, unless at()
    // has changed.
    std::size_t feed(std::string_view bytes, std::string& body);

private:
    void take(char c);
    void line_ended(std::string_view line);
    void begin_chunk(std::string_view line);
    void fail(const char* flaw);

    enum class part { size, bytes, end, trailer };
    const std::size_t line_limit_, body_limit_;
    outcome at_ = outcome::more;
    const char* flaw_ = "";
    part part_ = part::size;
    std::string line_;
    std::uint64_t left_ = 0;  // of the chunk
    std::size_t total_ = 0;   // of the body, with this chunk
    std::size_t trailer_bytes_ = 0;
};

}  // namespace gdalmcp::transport
