// Mode, access list and attributes of a new file.
#pragma once
#include <filesystem>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::workspace {

// Gives these files of one folder the mode and the access list of a file the host makes there, and no attributes
// beyond: 0644 less the umask, or what the default access list of the folder; no set-user-ID, set-group-ID and sticky
// bit, no capabilities, none of the user's attributes. The kernel's own labels (security.selinux) stay.
base::result<void> make_like_new(const std::vector<std::filesystem::path>& files);

}  // namespace gdalmcp::workspace
