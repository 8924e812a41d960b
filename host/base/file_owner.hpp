// Whether other users could have written a trusted file.
#pragma once
#include <sys/stat.h>

#include <filesystem>

#include "base/problem.hpp"

namespace gdalmcp::base {

// Errors (`code`): group or others can write to it, or it belongs to a user other than root and the process's own, whom
// no mode keeps from writing. any_owner: the owner is not checked.
result<void> check_not_writable_by_others(const std::filesystem::path& p, const struct stat& s, const char* code,
                                          bool any_owner = false);

}  // namespace gdalmcp::base
