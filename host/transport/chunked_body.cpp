#include "transport/chunked_body.hpp"

#include <algorithm>
#include <charconv>

namespace gdalmcp::transport {

const char* flaw_in_line(char before, char c) {
    if ((before == '\r') != (c == '\n')) return "a bare CR or LF";
    if (before == '\n' && (c == ' ' || c == '\t')) return "a folded line";
    if ((static_cast<unsigned char>(c) < ' ' && c != '\r' && c != '\n' && c != '\t') || c == 0x7F)
        return "a control character";
    return nullptr;
}

std::size_t chunked_body::feed(std::string_view bytes, std::string& body) {
    std::size_t taken = 0;
    while (taken < bytes.size() && at_ == outcome::more) {
        if (part_ != part::bytes) {
            take(bytes[taken++]);
            continue;
        }
        const auto data = bytes.substr(taken, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
        body += data;
        taken += data.size();
        left_ -= data.size();
        if (left_ == 0) part_ = part::end;
    }
    return taken;
}

void chunked_body::take(char c) {
    if (const auto* const flaw = flaw_in_line(line_.empty() ? '\0' : line_.back(), c)) return fail(flaw);
    line_ += c;
    if (part_ == part::end && line_ != "\r" && line_ != "\r\n") return fail("a chunk longer than its size");
    if (part_ == part::trailer) ++trailer_bytes_;
    if (std::max(line_.size(), trailer_bytes_) > line_limit_) {
        at_ = outcome::long_line;
    } else if (c == '\n') {
        line_ended(std::string_view{line_}.substr(0, line_.size() - 2));
        line_.clear();
    }
}

void chunked_body::line_ended(std::string_view line) {
    if (part_ == part::size) return begin_chunk(line);
    if (part_ == part::end) {
        part_ = part::size;
    } else if (line.empty()) {
        at_ = outcome::whole;
    } else if (const auto colon = line.find(':');
               colon == 0 || colon == std::string_view::npos || line[0] == ' ' || line[0] == '\t') {
        fail("a trailer without a name");
    }
}

void chunked_body::begin_chunk(std::string_view line) {
    const auto* const end = line.data() + line.size();
    const auto [stop, error] = std::from_chars(line.data(), end, left_, 16);
    const auto rest = std::string_view{stop, static_cast<std::size_t>(end - stop)};
    const auto extension = rest.find_first_not_of(" \t");
    if (error != std::errc{} || (extension == std::string_view::npos ? !rest.empty() : rest[extension] != ';'))
        return fail("a chunk without a size");
    if (left_ == 0) {
        part_ = part::trailer;
    } else if (left_ > body_limit_ - total_) {
        at_ = outcome::long_body;
    } else {
        total_ += static_cast<std::size_t>(left_);
        part_ = part::bytes;
    }
}

void chunked_body::fail(const char* flaw) {
    at_ = outcome::malformed;
    flaw_ = flaw;
}

}  // namespace gdalmcp::transport
