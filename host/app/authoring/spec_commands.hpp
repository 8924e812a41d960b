// `gdal-mcp reflect explain` and `validate-specs`: for those who write specs.
#pragma once
#include <filesystem>
#include <string>

#include "app/call/host.hpp"

namespace gdalmcp::app {

// What would this call be asked, and why? A sentence per domain, with what was measured. Exit code 0: it would run, 4:
// a reason is missing, 3: it cannot be judged.
int explain_call(host& h, const std::string& tool, const std::string& arguments, bool raw);

// Every defect of the specs and prompts in `folder` (or, if empty, of those a server would use), a line each.
// Extensions are read after the program's own domains. Exit code 0: none, 3: some.
int validate_specs(const configuration& c, const std::filesystem::path& folder);

}  // namespace gdalmcp::app
