// Audit log: one JSON object a line, each with the hash of the line before, so that changing or removing a line breaks
// the chain. Append-only, never rotated. (The chain does not show that lines were cut off at the end; the hash of the
// last line, noted elsewhere, does.)
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/own_folder.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

// Safe from any thread; several processes may share one file.
class audit {
public:
    audit(base::own_folder folder, const std::string& name)
        : folder_{std::move(folder)}, name_{name}, file_{folder_.path() / name} {}

    const std::filesystem::path& file() const { return file_; }

    // Writes the entry as the next line, with the member `previous` in front. Creates missing folders. Reads at most
    // the last 16 MiB: a file without a whole line in them is moved aside, and the log reports it.
    base::result<void> append(const json::object& entry) const;

    // The newest first, at most `count` of those `wanted`. Reads from the end, no further than necessary.
    std::vector<json::object> recent(std::size_t count, const std::function<bool(const json::object&)>& wanted) const;

    // Every entry, oldest first, without lines that are not JSON objects. Errors: unreadable; a missing file has no
    // entries.
    base::result<void> each(const std::function<void(const json::object&)>& use) const;

    struct chain {
        std::size_t lines = 0;
        std::string last;  // sha256:<hex> of the last line
    };
    // Verifies the chain from the first line. Errors: the file is missing; the first line that does not match.
    base::result<chain> verify() const;

private:
    base::result<bool> append(const json::object& entry, int fd) const;  // false: its last line is too long

    base::own_folder folder_;
    std::string name_;
    std::filesystem::path file_;  // to be shown
};

}  // namespace gdalmcp::app
