// RFC 9110, 13 and 14: conditions on a file, and one range of its bytes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gdalmcp::transport {

// The response: 200 with the whole file, 206 with a part, 416 with nothing.
struct byte_range {
    enum class kind { whole, part, unsatisfiable };
    kind answer = kind::whole;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;

    friend bool operator==(const byte_range&, const byte_range&) = default;
};

// Of a Range field (nothing: there is none) and the size of the file. bytes=a-b, bytes=a-, bytes=-n. Other units,
// several ranges and malformed fields are ignored, as the RFC allows: the whole file is sent. If-Range is the caller's
// task.
byte_range parse_range(std::optional<std::string_view> field, std::uint64_t size);

// The Content-Range field of a 206 or 416: "bytes 0-9/100", "bytes */100".
std::string content_range(const byte_range& range, std::uint64_t size);

// Whether an If-Match or If-None-Match names this entity tag, quoted; "*" names every one. A weak tag names the strong
// one of the same text: a file here never changes.
bool names_tag(std::string_view list, std::string_view tag);

}  // namespace gdalmcp::transport
