// Who else could have written a file that is believed.
#pragma once
#include <sys/stat.h>

#include <filesystem>

#include "base/problem.hpp"

namespace gdalmcp::base {

// Errors (`code`): group or others may write it, or it belongs to a user who is neither root nor the one we run as,
// whom no mode keeps from writing. any_owner: whose it is does not matter.
result<void> check_not_writable_by_others(const std::filesystem::path& p, const struct stat& s, const char* code,
                                          bool any_owner = false);

}  // namespace gdalmcp::base
