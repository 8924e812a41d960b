// Access to a server over HTTP: bearer tokens (RFC 6750), each with a name and workspaces.
//   tokens:
//     - name: alice
//       sha256: 9f86…  # of the token, which is written nowhere
//       workspaces: [/data/alice, /data/common:ro]
//       metrics: true  # may read /metrics; default false
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::app {

struct token {
    std::string name;
    std::string sha256;  // of the token, lower-case hex
    std::vector<std::string> workspaces;
    bool metrics = false;
};

// The tokens of a file. Errors name the file, the line and the defect: an unknown member, a duplicate name or digest,
// no workspace; denied, where others may write the file.
base::result<std::vector<token>> read_tokens(const std::filesystem::path& file);

// The token with this secret; null: none. Takes the same time for every secret.
const token* find_token(const std::vector<token>& all, std::string_view secret);

// Makes a token of 256 random bits, adds its digest to the file, which is created if missing, and returns the token
// itself. Errors: invalid_argument, where the name is taken; those of read_tokens.
base::result<std::string> add_token(const std::filesystem::path& file, const std::string& name,
                                    const std::vector<std::string>& workspaces, bool metrics);

}  // namespace gdalmcp::app
