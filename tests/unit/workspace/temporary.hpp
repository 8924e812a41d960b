// A folder for one test case, and the files in it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

class temporary {
public:
    temporary();
    ~temporary();
    temporary(const temporary&) = delete;
    const std::filesystem::path path;  // canonical
};

void put(const std::filesystem::path& file, const std::string& text);  // makes the folders on the way
std::string get(const std::filesystem::path& file);
std::vector<std::string> names_in(const std::filesystem::path& folder);  // sorted, hidden ones too
