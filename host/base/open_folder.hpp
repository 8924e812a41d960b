// Folders by descriptor, reached through no symbolic link.
#pragma once
#include <filesystem>

namespace gdalmcp::base {

// The folder `name` in the folder of a descriptor, for the …at() functions (O_PATH): -1 with errno, ELOOP for a link.
int open_folder_at(int parent, const char* name);

// The same of an absolute path, no part of which may be a link.
int open_folder(const std::filesystem::path& absolute);

}  // namespace gdalmcp::base
