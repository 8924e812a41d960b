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

// Whether a file or folder of this name inside a root is reserved for the host.
bool belongs_to_host(const std::filesystem::path& name);

// Resolves paths inside the roots. Every result is canonical (symbolic links followed) and lies in a root; of nested
// roots the deepest decides whether it may be written. `.preflight` and `.gdal-mcp*` inside a root are reserved for the
// host and never returned. Immutable; safe from any thread.
class roots {
public:
    // Each spec is `DIR`, `DIR:ro` or `DIR:rw` (default). With none, the current folder, unless it is `/` or `home`:
    // then there is no root, and every path is refused with the line to add. Errors: a missing folder.
    static base::result<roots> open(const std::vector<std::string>& specs, const std::filesystem::path& current,
                                    const std::filesystem::path& home);

    // The same folders, none of them writable, and `folder` (absolute), which is. Errors: it is missing.
    base::result<roots> writing_only_to(const std::filesystem::path& folder) const;

    // "/a:ro:/b" -> "/a:ro", "/b": the form of GDAL_MCP_WORKSPACES.
    static std::vector<std::string> split(std::string_view list);

    const std::vector<root>& list() const { return roots_; }       // relative paths start at the first
    const root* of(const std::filesystem::path& canonical) const;  // the deepest root holding it, or nullptr

    // The canonical path of an existing regular file that may be read. `spelled` is relative to the first root,
    // absolute or file://. Refused: URLs, /vsi…, inline XML, what lies or leads outside, special files, and folders,
    // unless asked for: formats such as File Geodatabase are folders (a root itself is not).
    base::result<std::filesystem::path> readable(std::string_view spelled, bool folders = false) const;

    // The path of such a file, without access: links are not followed, nothing is confined.
    base::result<std::filesystem::path> absolute(std::string_view spelled) const;

    // The canonical path of an existing folder that may be listed, spelled like a file. Refused as above.
    base::result<std::filesystem::path> listable(std::string_view spelled) const;

    // The path of a new file: its folder exists, canonical, in a writable root. The file itself is not checked.
    base::result<std::filesystem::path> writable(std::string_view spelled) const;

    // Files that control agents must not be writable by them. Refused: a file or folder that lies in a root, leads into
    // one or contains one. `flag` names it in the error; an empty path is ignored.
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
