// The dependencies a shared object declares, read from the file without loading it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::base {

// The DT_NEEDED entries of a 64-bit ELF file of this machine's byte order, in file order: {"libgdal.so.32",
// "libc.so.6"}. Errors: io (cannot be read), unsupported (no such ELF file). Source: elf(5), System V ABI.
result<std::vector<std::string>> needed_libraries(const std::filesystem::path& file);
result<std::vector<std::string>> needed_libraries(int descriptor);

// Its DT_SONAME, the name dependents link to; "" if it has none. Errors as above.
result<std::string> soname_of(const std::filesystem::path& file);

// The first that is a libgdal ("libgdal.so.32"), or "".
std::string libgdal_among(const std::vector<std::string>& needed);

}  // namespace gdalmcp::base
