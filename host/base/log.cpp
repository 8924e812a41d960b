#include "base/log.hpp"

#include <unistd.h>

#include <atomic>
#include <string>

#include "base/hidden_characters.hpp"

namespace gdalmcp::base {
namespace {
std::atomic<log_level> least{log_level::info};
constexpr const char* names[] = {"error", "warning", "info", "debug"};
}  // namespace

void set_log_level(log_level least_severe) { least = least_severe; }

void log(log_level level, std::string_view text) {
    if (level > least.load()) return;
    std::string line = "gdal-mcp ";
    line += names[static_cast<int>(level)];
    line += ": ";
    // A line break would let a text forge log lines.
    for (const char c : with_hidden_shown(text))
        if (c == '\n')
            line += "\\n";
        else
            line += c;
    line += '\n';
    // One write, so that lines of several threads do not mix. A closed stderr is ignored.
    [[maybe_unused]] const auto n = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace gdalmcp::base
