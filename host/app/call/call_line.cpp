#include "app/call/call_line.hpp"

namespace gdalmcp::app {

std::string quoted(const std::string& word) {
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string{"'\\''"} : std::string{c};
    return out + "'";
}

std::string call_line(const std::string& tool, const base::json::value& arguments) {
    return "gdal-mcp call " + tool + " --json " + quoted(base::write_json(arguments));
}

}  // namespace gdalmcp::app
