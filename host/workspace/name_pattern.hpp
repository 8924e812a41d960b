// Names of files by pattern: tiles/*.tif.
#pragma once
#include <string>
#include <vector>

#include "workspace/roots.hpp"

namespace gdalmcp::workspace {

// Whether the last part of `name` has a wildcard (* or ?) and there is no file of that very name.
bool is_pattern(const std::string& name, const roots& where);

// The files of its folder whose names match, in order, spelled like the pattern; without hidden files, sidecars and
// provenance records. Errors: no such folder, denied, nothing matches.
base::result<std::vector<std::string>> names_matching(const std::string& pattern, const roots& where);

}  // namespace gdalmcp::workspace
