// The operator's settings: command line, then environment, then configuration file, then defaults.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::app {

struct configuration {
    std::vector<std::string> workspaces;                // DIR[:ro|:rw]
    std::vector<std::filesystem::path> bundles;         // searched first
    std::vector<std::filesystem::path> justifications;  // team libraries of reasons, in order
    std::vector<std::string> toolsets;                  // to offer; empty: those on by default
    std::string trust = "any";                          // of bundles: any, hashed, signed
    std::filesystem::path trust_keys;                   // file of the keys that may sign; empty: none
    std::vector<std::string> allow_network;             // ids of bundles that may use the network
    std::filesystem::path policy;                       // the operator's policy on domains; empty: that of the specs
    std::string http;                                   // ADDR:PORT to serve at; empty: stdio
    std::filesystem::path tokens;                       // file of HTTP tokens; empty: everybody on this machine
    std::vector<std::string> allow_host;                // further accepted host names
    std::filesystem::path prompts;                      // operator's prompts that override the program's; empty: none
    std::filesystem::path state_dir;                    // default $XDG_STATE_HOME/gdal-mcp
    std::string scratch;                                // disk scratch; empty: $TMPDIR or /tmp
    std::string confirm = "never";
    std::string log_level = "info";
    bool sandbox = true;
    std::int64_t timeout_s = 600;          // wall time of one call
    std::int64_t memory_mib = 0;           // address space of one call; 0: the smaller of 8 GiB and half of the RAM
    std::int64_t file_size_mib = 10240;    // largest file a call may write
    std::int64_t cache_mib = 256;          // GDAL_CACHEMAX
    std::int64_t digest_limit_mib = 1024;  // total input size of a call above which digests are partial
    std::int64_t parallel = 0;             // calls at once; 0: the number of cores, at least 2
    std::int64_t threads = 0;              // of one call; 0: the number of cores

    std::filesystem::path replay_into;  // no flag: of `replay`, the only folder that tools may write to

    static constexpr std::uint64_t descriptors = 512;  // of one call

    std::uint64_t address_space() const;  // bytes
    unsigned slots() const;
    unsigned threads_per_call() const;
    base::json::object text() const;  // for --print-config
};

std::string environment_variable(const char* name);  // "" when not set

}  // namespace gdalmcp::app
