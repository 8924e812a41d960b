// A bundle as its manifest describes it: one folder of tools, prompts and reflection specs.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/problem.hpp"
#include "catalog/icon.hpp"

namespace gdalmcp::catalog {

// The process that loads a bundle's library: one with GDAL, or one without.
enum class runtime { gdal, plain };

// The shared object of a bundle. Not opened here; the loader compares the digest first.
struct library {
    std::filesystem::path path;  // absolute, inside the bundle, a regular file when the catalogue was loaded
    std::string sha256;          // 64 hex digits, from the manifest
};

// A prompt or a reflection spec: exactly the bytes whose digest matched the manifest.
struct document {
    std::filesystem::path path;  // absolute
    std::string text;
};

struct bundle {
    std::filesystem::path folder;  // canonical; of a bare library: the file itself
    std::string id;                // reverse DNS
    std::string version;
    std::string license;
    std::optional<catalog::library> library;  // none: prompts and specs only
    runtime needs = runtime::gdal;
    bool network = false;    // requested and granted
    std::string toolset;     // whose tools are switched on and off together
    std::string purpose;     // of the toolset, one line; "" = the bundle states none
    bool by_default = true;  // its toolset is on where the operator names none
    bool enabled = true;     // its tools are offered when a session begins
    bool allowed = true;     // a session may switch them on: the operator's --toolsets, if given, name the toolset
    std::string signed_by;   // name of the operator's key that signed the manifest; "" = none
    std::vector<document> prompts;
    std::vector<document> prompt_files;  // images and the like that the prompts name
    std::vector<document> reflection;
    std::vector<document> methodology;
    std::optional<catalog::icon> icon;
    std::map<std::string, std::string> files;  // path inside the bundle -> 64 hex digits of its SHA-256
};

// Hashes every file the manifest lists, the library included, and names the first that differs.
base::result<void> verify(const bundle& b);

// Hashes the library alone, the one file that is not compared with the manifest when the catalogue is loaded.
base::result<void> verify_library(const bundle& b);

}  // namespace gdalmcp::catalog
