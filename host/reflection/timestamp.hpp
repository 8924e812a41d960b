// Times as records hold them.
#pragma once
#include <chrono>
#include <string>

namespace gdalmcp::reflection {

// RFC 3339, UTC, milliseconds: 2025-01-31T12:00:00.000Z.
std::string timestamp_of(std::chrono::system_clock::time_point t);

}  // namespace gdalmcp::reflection
