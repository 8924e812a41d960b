// "Did you mean …": files of a folder with a name close to the requested one.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace gdalmcp::workspace {

// base::nearest among the files of a folder; hidden files are left out.
std::vector<std::string> near_names(const std::filesystem::path& folder, const std::string& wanted);

// Up to `count` names of files in a folder, sorted; for messages.
std::vector<std::string> some_files(const std::filesystem::path& folder, std::size_t count);

}  // namespace gdalmcp::workspace
