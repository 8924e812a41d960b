// A transcript: a whole exchange in one text file.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::protocol_test {

// Lines of the file (rules.md beside it explains the format).
struct transcript_step {
    enum class kind { client, server, eof } what;
    std::size_t line_number;
    std::string text;  // after the mark, names replaced
};

struct transcript {
    std::filesystem::path file;
    std::vector<transcript_step> steps;
};

transcript read_transcript(const std::filesystem::path& file);  // throws std::runtime_error naming file and line

// Does `got` agree with `expected`, where "…" stands for anything, "…" within a string for any characters, as the last
// array element for any more elements, and as a member name for any more members?
bool agrees(const base::json::value& expected, const base::json::value& got);

}  // namespace gdalmcp::protocol_test
