#include "transport/out_queue.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace gdalmcp::transport {

namespace {
constexpr std::uint64_t piece = 128u << 10;
}

out_queue::~out_queue() { close_file(); }

void out_queue::close_file() {
    if (file_ >= 0) ::close(std::exchange(file_, -1));
}

void out_queue::clear() {
    close_file();
    parts_.clear();
    bytes_ = begun_ = 0;
    left_ = 0;
}

void out_queue::push(std::string bytes) {
    if (bytes.empty()) return;
    bytes_ += bytes.size();
    parts_.push_back(std::move(bytes));
}

void out_queue::push_file(int fd, std::uint64_t offset, std::uint64_t length) {
    close_file();
    file_ = fd;
    offset_ = offset;
    left_ = length;
    if (left_ == 0) close_file();
}

bool out_queue::fill() {
    if (bytes_ > 0 || left_ == 0) return true;
    std::string bytes(static_cast<std::size_t>(std::min(left_, piece)), '\0');
    ssize_t n = 0;
    do n = ::pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset_));
    while (n < 0 && errno == EINTR);
    if (n <= 0) return false;
    bytes.resize(static_cast<std::size_t>(n));
    offset_ += bytes.size();
    left_ -= bytes.size();
    if (left_ == 0) close_file();
    push(std::move(bytes));
    return true;
}

std::size_t out_queue::buffers(std::span<iovec> out) const {
    std::size_t used = 0;
    for (auto part = parts_.begin(); part != parts_.end() && used < out.size(); ++part, ++used) {
        const auto skip = used == 0 ? begun_ : 0;
        // iovec also serves reads, so it has no const pointer.
        out[used] = {const_cast<char*>(part->data()) + skip, part->size() - skip};
    }
    return used;
}

void out_queue::sent(std::size_t n) {
    bytes_ -= n;
    begun_ += n;
    while (!parts_.empty() && begun_ >= parts_.front().size()) {
        begun_ -= parts_.front().size();
        parts_.pop_front();
    }
}

}  // namespace gdalmcp::transport
