#include "mcp/log_level.hpp"

namespace gdalmcp::mcp {

std::string log_level_names() {
    std::string out;
    for (auto l = log_levels.rbegin(); l != log_levels.rend(); ++l) out.append(out.empty() ? "" : ", ").append(*l);
    return out;
}

}  // namespace gdalmcp::mcp
