// SHA-256 (FIPS 180-4) by libcrypto, as lower-case hex.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "base/problem.hpp"

namespace gdalmcp::base {

std::string sha256_hex(std::string_view bytes);                          // 64 hex digits
result<std::string> sha256_hex_of_file(const std::filesystem::path& p);  // streamed
result<std::string> sha256_hex_of_descriptor(int fd);                    // from offset 0, by pread; fd keeps its offset

}  // namespace gdalmcp::base
