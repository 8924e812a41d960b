// file:// URIs (RFC 8089).
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "base/problem.hpp"

namespace gdalmcp::workspace {

std::string file_uri(const std::filesystem::path& absolute);  // file:///a%20b.tif

// The path in `file:///…` or `file://localhost/…`. Errors: another host, a broken or NUL escape, a query or fragment.
base::result<std::filesystem::path> path_of_file_uri(std::string_view uri);

}  // namespace gdalmcp::workspace
