// Pending output of a client, in order: bytes, then perhaps a file.
#pragma once
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>

namespace gdalmcp::transport {

//   queue.push(head); queue.push_file(fd, 0, size);
//   while (queue.fill() && !queue.empty()) queue.sent(writev(socket, …queue.buffers(…)…));
class out_queue {
public:
    out_queue() = default;
    ~out_queue();
    out_queue(const out_queue&) = delete;
    out_queue& operator=(const out_queue&) = delete;

    void push(std::string bytes);
    // The descriptor is taken. It comes after the bytes; none may be pushed until it is written. One at a time.
    void push_file(int fd, std::uint64_t offset, std::uint64_t length);

    std::size_t bytes() const { return bytes_; }  // in memory
    bool empty() const { return bytes_ == 0 && left_ == 0; }

    // If no bytes are left, reads the next piece of the file. False if the file cannot be read or ends too early.
    bool fill();
    std::size_t buffers(std::span<iovec> out) const;  // the first bytes; returns the number of buffers set
    void sent(std::size_t n);                         // REQUIRES: n <= bytes()
    void clear();

private:
    void close_file();

    std::deque<std::string> parts_;
    std::size_t bytes_ = 0;
    std::size_t begun_ = 0;  // bytes of the first part that are sent
    int file_ = -1;
    std::uint64_t offset_ = 0, left_ = 0;
};

}  // namespace gdalmcp::transport
