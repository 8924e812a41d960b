// A new bundle's project, rendered from sdk/template.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::app {

struct project_choices {
    std::string name;  // [a-z][a-z0-9-]{0,39}
    bool c = false;    // else C++
    bool gdal = false;
};

// Writes the files that <template_folder>/template.yaml lists into `target`, which must not exist: all or nothing.
// Returns their paths inside it. The language of the list is described in sdk/template/README.md.
base::result<std::vector<std::string>> write_project(const std::filesystem::path& template_folder,
                                                     const project_choices& choices,
                                                     const std::filesystem::path& target);

}  // namespace gdalmcp::app
