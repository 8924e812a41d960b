// Workspaces: the folders a session may read, and those it may write.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::workspace {

struct root {
    std::filesystem::path folder;  // canonical
    bool writable = true;
};

// Whether a file or folder of this name inside a root is the host's own.
bool belongs_to_host(const std::filesystem::path& name);

// Answers where a path may lead. Every answer is canonical (symbolic links followed) and lies in a root; of nested
// roots the deepest decides whether it may be written. `.preflight` and `.gdal-mcp*` inside a root belong to the host
// and are never given out. Immutable; safe from any thread.
class roots {
public:
    // Each spec is `DIR`, `DIR:ro` or `DIR:rw` (default). With none, the current folder, unless it is `/` or `home`:
    // then there is no root, and every path is refused with the line to add. Errors: a folder that is not there.
    static base::result<roots> open(const std::vector<std::string>& specs, const std::filesystem::path& current,
                                    const std::filesystem::path& home);

    // "/a:ro:/b" -> "/a:ro", "/b": the form of GDAL_MCP_WORKSPACES.
    static std::vector<std::string> split(std::string_view list);

    const std::vector<root>& list() const { return roots_; }       // the first is what relative paths are relative to
    const root* of(const std::filesystem::path& canonical) const;  // the deepest root holding it, or nullptr

    // The canonical path of an existing regular file that may be read. `spelled` is relative to the first root,
    // absolute or file://. Refused: URLs, /vsi…, inline XML, what lies or leads outside, special files, and folders,
    // unless asked for: formats such as File Geodatabase are folders (a root itself is not).
    base::result<std::filesystem::path> readable(std::string_view spelled, bool folders = false) const;

    // Where such a file would be, without looking: links are not followed, nothing is confined.
    base::result<std::filesystem::path> absolute(std::string_view spelled) const;

    // The canonical path of an existing folder that may be listed, spelled like a file. Refused as above.
    base::result<std::filesystem::path> listable(std::string_view spelled) const;

    // Where a new file would go: its folder exists, canonical, in a writable root. Whether the file itself exists is
    // not looked at.
    base::result<std::filesystem::path> writable(std::string_view spelled) const;

    // What rules agents must not be theirs to write. Refused: a file or folder that lies in a root, leads into one or
    // holds one. `flag` names it in the error; an empty path is none.
    base::result<void> keep_apart(std::string_view flag, const std::filesystem::path& named) const;

private:
    bool holds_file(std::string_view name) const;
    base::result<std::filesystem::path> located(std::string_view spelled) const;  // absolute, and no inline text
    base::result<std::filesystem::path> outside(std::string_view spelled) const;  // always an error
    base::result<std::filesystem::path> inside(std::string_view spelled, const std::filesystem::path& canonical) const;
    base::result<std::filesystem::path> resolved(std::string_view spelled) const;  // canonical and inside
    std::vector<root> roots_;
    std::string why_none_;
};

}  // namespace gdalmcp::workspace
