#pragma once
#include <cerrno>
#include <cstring>
#include <string>

namespace gdalmcp::worker {

// ": " and the system's words for errno.
inline std::string errno_text() { return std::string{": "} + std::strerror(errno); }

}  // namespace gdalmcp::worker
