#include "temporary.hpp"

#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace fs = std::filesystem;

namespace {
fs::path make() {
    std::string name = (fs::temp_directory_path() / "workspace-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error{"mkdtemp " + name};
    return fs::canonical(name);
}
}  // namespace

temporary::temporary() : path{make()} {}
temporary::~temporary() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
}

void put(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream{file, std::ios::binary} << text;
}

std::string get(const fs::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator{folder}) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}
