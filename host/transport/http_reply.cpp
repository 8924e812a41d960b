#include <unistd.h>

#include "transport/http_connection.hpp"

namespace gdalmcp::transport {

http_reply::http_reply(std::shared_ptr<http_connection> connection) : connection_{std::move(connection)} {}

http_reply::~http_reply() {
    if (stage_ == stage::open) respond(500, {}, "");
    if (stage_ == stage::streaming) finish()->cut();
}

std::shared_ptr<http_connection> http_reply::finish() {
    stage_ = stage::finished;
    gone_ = nullptr;
    return std::move(connection_);
}

void http_reply::respond(int status, const http_fields& fields, std::string body) {
    if (stage_ != stage::open || closed()) return;
    finish()->send(status, fields, std::move(body));
}

void http_reply::respond_file(int status, const http_fields& fields, int fd, std::uint64_t offset,
                              std::uint64_t length) {
    if (stage_ != stage::open || closed()) {
        ::close(fd);
        return;
    }
    finish()->send_file(status, fields, fd, offset, length);
}

void http_reply::begin_stream(int status, const http_fields& fields) {
    if (stage_ != stage::open || closed()) return;
    stage_ = stage::streaming;
    connection_->begin_stream(status, fields);
}

void http_reply::write(std::string chunk) {
    if (stage_ == stage::streaming && !closed()) connection_->send_chunk(std::move(chunk));
}

void http_reply::end() {
    if (stage_ == stage::streaming && !closed()) finish()->end_stream();
}

bool http_reply::closed() const { return stage_ == stage::finished || connection_->closed(); }

std::size_t http_reply::queued() const { return closed() ? 0 : connection_->queued(); }

void http_reply::on_gone(std::function<void()> call) {
    if (stage_ == stage::finished) return;
    gone_ = std::move(call);
    if (connection_->closed()) connection_->tell_gone_later();
}

void http_reply::tell_gone() {
    if (const auto call = std::exchange(gone_, nullptr)) call();
}

}  // namespace gdalmcp::transport
