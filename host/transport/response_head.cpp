#include "transport/response_head.hpp"

#include <array>
#include <boost/beast/http/status.hpp>
#include <cstdio>

namespace gdalmcp::transport {

namespace {

// IMF-fixdate (RFC 9110, 5.6.7), whatever the locale: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date(std::time_t time) {
    constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::tm t{};
    ::gmtime_r(&time, &t);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%s, %02d %s %d %02d:%02d:%02d GMT",
                  days[static_cast<std::size_t>(t.tm_wday)], t.tm_mday, months[static_cast<std::size_t>(t.tm_mon)],
                  t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
    return text.data();
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
    const auto begin = out.size();
    out.append(name).append(": ").append(value);
    for (auto i = begin; i < out.size(); ++i)
        if (static_cast<unsigned char>(out[i]) < ' ' || out[i] == 0x7F) out[i] = ' ';
    out += "\r\n";
}

}  // namespace

bool has_body(int status) { return status != 204 && status != 304; }

std::string response_head(int status, const http_fields& fields, const http_framing& framing, std::time_t now) {
    namespace http = boost::beast::http;
    std::string out = "HTTP/1.1 " + std::to_string(status) + " ";
    out += std::string{http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status)))} + "\r\n";
    append_field(out, "Date", http_date(now));
    append_field(out, "Server", "gdal-mcp");
    append_field(out, "X-Content-Type-Options", "nosniff");
    if (framing.closes) append_field(out, "Connection", "close");
    if (framing.length && has_body(status)) append_field(out, "Content-Length", std::to_string(*framing.length));
    if (framing.chunked && has_body(status)) append_field(out, "Transfer-Encoding", "chunked");
    for (const auto& [name, value] : fields) append_field(out, name, value);
    return out += "\r\n";
}

}  // namespace gdalmcp::transport
