// A client's bytes through the request reader, as one connection would give them: how they are cut changes nothing.
// What is read is then put to the functions that look at fields, paths and hosts.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "promise.hpp"
#include "transport/byte_range.hpp"
#include "transport/host_names.hpp"
#include "transport/request_reader.hpp"
#include "transport/response_head.hpp"
#include "transport/sse.hpp"

namespace {

using namespace gdalmcp::transport;
using fuzz::must;
using stage = request_reader::stage;

constexpr std::size_t header_bytes = 2000, body_bytes = 500;

struct conversation {
    std::vector<http_request> requests;
    int refused = 0;  // status
    stage end = stage::nothing;
};

// In pieces of `piece` bytes.
conversation read(std::string_view bytes, std::size_t piece) {
    conversation c;
    request_reader reader{header_bytes, body_bytes};
    while (!bytes.empty() && reader.at() != stage::refused) {
        const auto taken = reader.feed(bytes.substr(0, piece));
        must(taken <= std::min(piece, bytes.size()));
        must(taken > 0 || reader.at() == stage::refused);
        bytes.remove_prefix(taken);
        if (reader.at() == stage::whole) c.requests.push_back(reader.take());
    }
    c.end = reader.at();
    if (c.end == stage::refused) {
        c.refused = reader.refused().status;
        must(c.refused >= 400 && c.refused <= 505 && !reader.refused().why.empty());
    }
    return c;
}

bool same(const http_request& a, const http_request& b) {
    return a.method == b.method && a.target == b.target && a.path == b.path && a.query == b.query && a.body == b.body &&
           a.fields == b.fields;
}

bool has_control_character(std::string_view s) {
    return std::any_of(s.begin(), s.end(), [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7F; });
}

std::size_t occurrences(std::string_view text, std::string_view of) {
    std::size_t n = 0;
    for (auto at = text.find(of); at != std::string_view::npos; at = text.find(of, at + of.size())) ++n;
    return n;
}

void look_at(const http_request& r) {
    must(!r.method.empty() && !r.target.empty() && r.body.size() <= body_bytes);
    must(r.path.empty() || (r.path.front() == '/' && !has_control_character(r.path)));
    must(r.count("host") <= 1 && r.count("content-length") + r.count("transfer-encoding") <= 1);
    for (const auto& [name, value] : r.fields) {
        must(!name.empty() && !has_control_character(name) && !has_control_character(value));
        must(r.field(name).has_value());
    }
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{100}, UINT64_MAX}) {
        const auto range = parse_range(r.field("range"), size);
        must(range.offset <= size && range.length <= size - range.offset);
        must(range.answer != byte_range::kind::part || range.length > 0);
    }
    const hosts_allowed hosts{default_hosts("127.0.0.1")};
    const auto host = host_of(r.field("host").value_or(""));
    if (host) must(host_of(*host) == host);  // the form in which hosts are compared is its own
    must(!hosts.has_host(r.field("host").value_or("")) || is_loopback(*host));
    if (const auto origin = r.field("origin"); origin && hosts.has_origin(*origin))
        must(origin->find("://") != std::string_view::npos);

    const auto event = to_text({.data = r.body});
    must(occurrences(event, "\n\n") == 1 && event.find('\r') == std::string::npos);
    const auto head = response_head(200, {{"X-Path", r.path}, {"X-Body", r.body}}, {.length = 1}, 0);
    must(occurrences(head, "\n") == 8 && occurrences(head, "\r\n") == 8);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const auto text = fuzz::text_of(bytes, size);
    const auto whole = read(text, std::max<std::size_t>(size, 1));
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
        const auto cut = read(text, piece);
        must(cut.refused == whole.refused && cut.end == whole.end);
        must(std::equal(cut.requests.begin(), cut.requests.end(), whole.requests.begin(), whole.requests.end(), same));
    }
    for (const auto& r : whole.requests) look_at(r);
    return 0;
}
