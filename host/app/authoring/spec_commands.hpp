// `gdal-mcp reflect explain`, `key` and `validate-specs`, for authors of specs.
#pragma once
#include <filesystem>
#include <string>

#include "app/call/host.hpp"

namespace gdalmcp::app {

// Prints which questions a call would raise and why: a sentence per domain, with the measurements. Exit code 0: the
// call would run, 4: a reason is missing, 3: it cannot be judged.
int explain_call(host& h, const std::string& tool, const std::string& arguments, bool raw);

// Prints, for every domain of the tool, the key arguments with their sources, the text that is hashed, and both hashes.
int print_keys(host& h, const std::string& tool, const std::string& arguments, bool raw);

// Every defect of the specs and prompts in `folder` (or, if empty, of those a server would use), a line each.
// Extensions are read after the program's own domains. A folder reflection/ stands for the bundle around it, whose
// tools are used as far as it has been described. Exit code 0: none, 3: some.
int validate_specs(const configuration& c, const std::filesystem::path& folder);

}  // namespace gdalmcp::app
