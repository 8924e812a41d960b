// SHA-256 (FIPS 180-4) and HMAC (RFC 2104) by libcrypto. Digests are lower-case hex.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "base/problem.hpp"

namespace gdalmcp::base {

std::string sha256_hex(std::string_view bytes);                          // 64 hex digits
result<std::string> sha256_hex_of_file(const std::filesystem::path& p);  // streamed; a large one by two threads
// From offset 0, by pread; fd keeps its offset. By the caller's thread alone.
result<std::string> sha256_hex_of_descriptor(int fd);

// For files too large to be read whole, in place of a digest of the content: SHA-256 of the line "<size> <mtime>\n"
// (bytes, ns since the epoch), the first partial_block bytes and the last.
constexpr std::size_t partial_block = 1u << 20;
result<std::string> partial_sha256_hex_of_descriptor(int fd);

std::string hmac_sha256(std::string_view key, std::string_view bytes);  // the 32 bytes themselves
// Constant time for equal sizes: the duration does not reveal where they differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace gdalmcp::base
