// Cuts a stream of bytes into lines.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace gdalmcp::transport {

// Lines end with "\n" or "\r\n", the last one also with the stream. A line of more than `limit` bytes is reported once,
// as soon as that is known, and skipped up to its newline; it never holds more than that.
//   cutter.feed(bytes, on_line, on_too_long);   // as the chunks come
//   cutter.finish(on_line);                     // at the end of the stream
class line_cutter {
public:
    explicit line_cutter(std::size_t limit) : limit_{limit} {}

    template <class Line, class TooLong>
    void feed(std::string_view bytes, const Line& on_line, const TooLong& on_too_long) {
        while (!bytes.empty()) {
            const auto newline = bytes.find('\n');
            if (!skipping_) {
                held_ += bytes.substr(0, newline);
                if (held_.size() > limit_) {
                    skipping_ = true;
                    held_ = {};
                    on_too_long();
                }
            }
            if (newline == std::string_view::npos) return;
            bytes.remove_prefix(newline + 1);
            finish(on_line);
        }
    }

    // Empty lines are not reported.
    template <class Line>
    void finish(const Line& on_line) {
        std::string_view line{held_};
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        if (!line.empty()) on_line(line);
        held_.clear();
        skipping_ = false;
    }

private:
    std::size_t limit_;
    std::string held_;
    bool skipping_ = false;
};

}  // namespace gdalmcp::transport
