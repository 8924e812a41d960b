#include "transport/request_reader.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <optional>

#include "transport/chunked_body.hpp"

namespace gdalmcp::transport {
namespace http = boost::beast::http;

namespace {

using stage = request_reader::stage;
using refusal = request_reader::refusal;

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Nothing where an escape is broken or stands for a control character.
std::optional<std::string> percent_decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
            if (high < 0 || low < 0) return {};
            c = static_cast<char>(high * 16 + low);
            i += 2;
        }
        if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) return {};
        out += c;
    }
    return out;
}

// RFC 9112, 3.2: origin form or absolute form; the others (*, host:port) have no path.
void split_target(http_request& r) {
    std::string_view rest{r.target};
    constexpr std::string_view scheme = "http://";
    if (base::lower_ascii(rest.substr(0, scheme.size())) == scheme) {
        rest.remove_prefix(scheme.size());
        const auto authority = rest.substr(0, rest.find_first_of("/?#"));
        rest.remove_prefix(authority.size());
        for (auto& [name, value] : r.fields)
            if (base::lower_ascii(name) == "host") value = authority;
    }
    const auto question = rest.find('?');
    if (question != std::string_view::npos) r.query = rest.substr(question + 1);
    const auto path = rest.substr(0, question);
    if (path.empty() || path.front() != '/' || rest.find('#') != std::string_view::npos) return;
    r.path = percent_decoded(path).value_or("");
}

// Whether the request line ends in a version: then only the version is unsupported.
bool names_a_version(std::string_view head) {
    const auto line = head.substr(0, head.find('\r'));
    const auto word = line.substr(line.rfind(' ') + 1);
    return std::count(line.begin(), line.end(), ' ') == 2 && word.substr(0, 5) == "HTTP/";
}

// Ambiguities that Beast accepts but two readers could interpret differently.
std::optional<refusal> ambiguity(const http_request& r, bool is_http_1_1) {
    const auto lengths = r.count("content-length"), encodings = r.count("transfer-encoding"), hosts = r.count("host");
    if (hosts > 1) return refusal{400, "the request has " + std::to_string(hosts) + " Host fields, not one"};
    if (hosts == 0 && is_http_1_1) return refusal{400, "the request has no Host field"};
    if (lengths > 1) return refusal{400, "the request has " + std::to_string(lengths) + " Content-Length fields"};
    if (lengths == 1 && encodings > 0) return refusal{400, "the request has both Content-Length and Transfer-Encoding"};
    if (lengths == 1) {
        const auto value = *r.field("content-length");
        if (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos)
            return refusal{400, "Content-Length is not one number"};
    }
    if (encodings > 0) {
        if (!is_http_1_1) return refusal{400, "HTTP/1.0 has no Transfer-Encoding"};
        if (encodings > 1 || base::lower_ascii(*r.field("transfer-encoding")) != "chunked")
            return refusal{501, "chunked is the only supported transfer encoding"};
    }
    const auto expected = r.field("expect");
    if (expected && is_http_1_1 && base::lower_ascii(*expected) != "100-continue")
        return refusal{417, "100-continue is the only supported expectation"};
    return {};
}

}  // namespace

struct request_reader::state {
    state(std::size_t header_limit, std::size_t body_limit) : header_bytes{header_limit}, body_bytes{body_limit} {}

    std::size_t refuse(int status, std::string why) {
        at = stage::refused;
        because = {status, std::move(why)};
        held = {};
        return 0;
    }

    // Up to the empty line. Control characters, bare line ends and folded lines are refused the moment they are seen.
    std::size_t feed_head(std::string_view bytes) {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            const char c = bytes[i];
            if (held.empty() && (c == '\r' || c == '\n') && blank < 2) {  // RFC 9112, 2.2: one empty line may precede
                if (c != "\r\n"[blank++]) return refuse(400, "the request begins with a broken line end");
                continue;
            }
            if (blank == 1) return refuse(400, "the request begins with a broken line end");
            at = stage::head;
            if (const auto* const flaw = flaw_in_line(held.empty() ? '\0' : held.back(), c))
                return refuse(400, std::string{"the head has "} + flaw);
            held += c;
            if (held.size() > header_bytes)
                return refuse(431, "the header section is longer than " + std::to_string(header_bytes) + " bytes");
            if (held.size() >= 4 && std::string_view{held}.substr(held.size() - 4) == "\r\n\r\n") {
                parse_head();
                return i + 1;
            }
        }
        return bytes.size();
    }

    void parse_head() {
        http::request_parser<http::empty_body> parser;
        parser.header_limit(static_cast<std::uint32_t>(held.size()));
        parser.body_limit(boost::none);
        boost::beast::error_code ec;
        parser.put(boost::asio::buffer(held), ec);
        if (ec == http::error::bad_version && names_a_version(held)) {
            refuse(505, "only HTTP/1.1 and HTTP/1.0 are supported");
        } else if (ec || !parser.is_header_done()) {
            refuse(400, "the header section is malformed: " + ec.message());
        } else {
            copy_head(parser.get());
            keeps_alive = is_http_1_1 && parser.keep_alive();
            begin_body(parser.content_length().value_or(0));
        }
        held.clear();
    }

    void copy_head(const http::request<http::empty_body>& m) {
        request = {};
        request.method = std::string{m.method_string()};
        request.target = std::string{m.target()};
        for (const auto& f : m) request.fields.emplace_back(std::string{f.name_string()}, std::string{f.value()});
        is_http_1_1 = m.version() == 11;
        split_target(request);
    }

    void begin_body(std::uint64_t length) {
        if (auto why = ambiguity(request, is_http_1_1)) {
            refuse(why->status, std::move(why->why));
        } else if (request.count("transfer-encoding") > 0) {
            chunks.emplace(header_bytes, body_bytes);
            at = stage::body;
        } else if (length > body_bytes) {
            refuse_body();
        } else {
            left = static_cast<std::size_t>(length);
            at = left > 0 ? stage::body : stage::whole;
        }
    }

    std::size_t refuse_body() {
        return refuse(413, "the body is longer than " + std::to_string(body_bytes) + " bytes");
    }

    std::size_t feed_body(std::string_view bytes) {
        if (chunks) return feed_chunks(bytes);
        const auto data = bytes.substr(0, left);
        request.body += data;
        left -= data.size();
        if (left == 0) at = stage::whole;
        return data.size();
    }

    std::size_t feed_chunks(std::string_view bytes) {
        using outcome = chunked_body::outcome;
        const auto taken = chunks->feed(bytes, request.body);
        if (chunks->at() == outcome::whole) at = stage::whole;
        if (chunks->at() == outcome::malformed) return refuse(400, std::string{"the body has "} + chunks->flaw());
        if (chunks->at() == outcome::long_body) return refuse_body();
        if (chunks->at() == outcome::long_line)
            return refuse(431, "a line between chunks is longer than " + std::to_string(header_bytes) + " bytes");
        return taken;
    }

    const std::size_t header_bytes, body_bytes;
    stage at = stage::nothing;
    std::string held;       // the head so far
    std::size_t blank = 0;  // characters of the empty line before the request
    http_request request;
    bool is_http_1_1 = true, keeps_alive = false;
    std::size_t left = 0;  // of a body of known length
    std::optional<chunked_body> chunks;
    bool body_begun = false;
    refusal because;
};

request_reader::request_reader(std::size_t header_bytes, std::size_t body_bytes)
    : s_{std::make_unique<state>(header_bytes, body_bytes)} {}
request_reader::~request_reader() = default;

request_reader::stage request_reader::at() const { return s_->at; }
const request_reader::refusal& request_reader::refused() const { return s_->because; }
bool request_reader::is_http_1_1() const { return s_->is_http_1_1; }
bool request_reader::keeps_alive() const { return s_->keeps_alive; }

std::size_t request_reader::feed(std::string_view bytes) {
    if (s_->at == stage::whole || s_->at == stage::refused || bytes.empty()) return 0;
    if (s_->at != stage::body) return s_->feed_head(bytes);
    s_->body_begun = true;
    return s_->feed_body(bytes);
}

bool request_reader::awaits_continue() const {
    return s_->at == stage::body && s_->is_http_1_1 && !s_->body_begun && s_->request.count("expect") > 0;
}

const http_request& request_reader::head() const { return s_->request; }

http_request request_reader::take() {
    auto out = std::exchange(s_->request, {});
    s_->chunks.reset();
    std::string{}.swap(s_->held);  // an idle connection keeps no memory
    s_->at = stage::nothing;
    s_->blank = 0;
    s_->body_begun = false;
    return out;
}

}  // namespace gdalmcp::transport
