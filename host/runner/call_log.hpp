// Limits a call's log output: sent lines and printed text, 64 KiB and 1000 lines together.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace gdalmcp::runner {

//   call_log log{"acme_survey"};
//   if (log.takes(line)) …;        // a line sent by the tool; logged
//   open = log.read(pipe);         // whenever the pipe is readable
// One thread.
class call_log {
public:
    explicit call_log(std::string_view tool) : tool_{tool} {}
    ~call_log();  // logs an unfinished line, and how much was left out
    call_log(const call_log&) = delete;
    call_log& operator=(const call_log&) = delete;

    static constexpr std::size_t max_bytes = 64u << 10, max_lines = 1000, max_line = 8192;

    // False: the limit is reached and the line is dropped.
    bool takes(std::string_view line);

    // Reads what is available from a non-blocking pipe; false: end of stream.
    bool read(int pipe);

private:
    void print(std::string_view bytes);

    const std::string tool_;
    std::string begun_;  // a printed line without its end
    std::size_t bytes_ = 0, lines_ = 0, left_out_ = 0;
};

}  // namespace gdalmcp::runner
