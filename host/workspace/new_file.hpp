// What a new file looks like beside its content.
#pragma once
#include <filesystem>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::workspace {

// Gives these files of one folder the mode and the access list of a file the host makes there, and no attributes
// beyond: 0644 less the umask, or what the default access list of the folder says; no set-user-ID, set-group-ID and
// sticky bit, no capabilities, none of the user's attributes. What the kernel labels files with by itself
// (security.selinux) stays.
base::result<void> make_like_new(const std::vector<std::filesystem::path>& files);

}  // namespace gdalmcp::workspace
