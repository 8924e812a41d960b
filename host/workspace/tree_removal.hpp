// Removal of file trees, whatever a tool has left in them.
#pragma once
#include <filesystem>
#include <functional>

#include "base/problem.hpp"

namespace gdalmcp::workspace {

// Removes `folder` with everything below it and follows no links: by descriptors, in time linear in the number of
// entries, and with memory and descriptors that do not grow with its depth. `go_on` is called before each entry; once
// it returns false, the rest stays for another attempt. Returns whether the folder is gone. Several may remove one
// tree. Errors: io, for what cannot be removed.
base::result<bool> remove_tree(const std::filesystem::path& folder, const std::function<bool()>& go_on);

}  // namespace gdalmcp::workspace
