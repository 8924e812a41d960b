#include "runner/call_log.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/hidden_characters.hpp"
#include "base/log.hpp"

namespace gdalmcp::runner {

call_log::~call_log() {
    if (!begun_.empty()) takes(begun_);
    if (left_out_)
        base::log(base::log_level::warning,
                  (tool_.empty() ? "a confined process" : tool_) + " wrote " + std::to_string(left_out_) +
                      " more bytes to the log; one call may write " + std::to_string(max_bytes) + " bytes and " +
                      std::to_string(max_lines) + " lines");
}

bool call_log::takes(std::string_view line) {
    const auto written = base::with_hidden_shown(line).size();  // a NUL becomes eight bytes
    if (lines_ == max_lines || bytes_ + written > max_bytes) {
        lines_ = max_lines;  // once a line is dropped, drop all later ones
        left_out_ += line.size() + 1;
        return false;
    }
    ++lines_;
    bytes_ += written;
    base::log(base::log_level::info, tool_.empty() ? std::string{line} : tool_ + ": " + std::string{line});
    return true;
}

void call_log::print(std::string_view bytes) {
    while (!bytes.empty() && lines_ < max_lines) {
        const auto room = max_line - begun_.size();
        const auto end = bytes.substr(0, room).find('\n');
        begun_ += bytes.substr(0, std::min(end, room));
        bytes.remove_prefix(std::min(end == std::string_view::npos ? room : end + 1, bytes.size()));
        if (end == std::string_view::npos && begun_.size() < max_line) return;
        takes(begun_);
        begun_.clear();
    }
    left_out_ += bytes.size();
}

bool call_log::read(int pipe) {
    constexpr std::size_t most_at_once = 1u << 20;  // then return, so that the waiting thread checks its deadline
    std::array<char, 65536> block;
    for (std::size_t got = 0; got < most_at_once;) {
        const auto n = ::read(pipe, block.data(), block.size());
        if (n > 0) {
            print({block.data(), static_cast<std::size_t>(n)});
            got += static_cast<std::size_t>(n);
            continue;
        }
        if (n < 0 && errno == EINTR) continue;
        return n < 0 && errno == EAGAIN;
    }
    return true;
}

}  // namespace gdalmcp::runner
