// `gdal-mcp bundle new|check|sign|verify`, for authors and publishers of bundles. All print and return the exit code.
#pragma once
#include <filesystem>
#include <string>

#include "app/authoring/bundle_check.hpp"
#include "app/authoring/bundle_project.hpp"
#include "app/configuration.hpp"

namespace gdalmcp::app {

// Writes the project `./<name>` from the installed template. Writes nothing when that name exists.
int make_bundle(const project_choices& choices);

int run_bundle_check(const std::filesystem::path& bundle, const configuration& c, const check_settings& s, bool as_json,
                     bool strict);

// Writes manifest.json.minisig after every hash was compared. The password of an encrypted key is read from the
// terminal, or as one line from stdin where there is none.
int sign_bundle(const std::filesystem::path& bundle, const std::filesystem::path& secret_key, std::string comment);

// Hashes every file and, where `c` names trusted keys, requires a signature by one of them.
int verify_bundle(const std::filesystem::path& bundle, const configuration& c);

}  // namespace gdalmcp::app
