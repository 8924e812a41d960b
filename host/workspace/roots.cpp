#include "workspace/roots.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/near_names.hpp"
#include "base/text.hpp"
#include "workspace/file_uri.hpp"
#include "workspace/near_names.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;
using base::fail;
namespace code = base::code;

bool ends_with(std::string_view s, std::string_view end) {
    return s.size() >= end.size() && s.substr(s.size() - end.size()) == end;
}

// `inner` is `outer` or below it; both canonical.
bool holds(const fs::path& outer, const fs::path& inner) {
    return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

base::result<root> open_root(std::string_view spec, const fs::path& current) {
    root r;
    auto folder = spec;
    if (ends_with(spec, ":ro") || ends_with(spec, ":rw")) {
        r.writable = ends_with(spec, ":rw");
        folder.remove_suffix(3);
    }
    std::error_code error;
    r.folder = fs::canonical(current / fs::path{folder}, error);
    if (folder.empty() || error || !fs::is_directory(r.folder, error))
        return fail(code::not_found, "workspace '" + std::string{spec} + "' is not an existing folder",
                    "give an existing folder, as DIR, DIR:ro or DIR:rw");
    if (std::any_of(r.folder.begin(), r.folder.end(), belongs_to_host))
        return fail(code::denied, "workspace " + r.folder.string() + " is a folder reserved for the host",
                    "choose a folder outside .preflight and .gdal-mcp*");
    return r;
}

// Links followed as far as the path exists, dots removed. weakly_canonical leaves "absent/../link" at "link",
// unfollowed, because "absent" does not exist: so it is called again, once no dots are left.
fs::path followed(const fs::path& path, std::error_code& error) {
    const auto without_dots = fs::weakly_canonical(path, error);
    return error ? without_dots : fs::weakly_canonical(without_dots, error);
}

// Text that GDAL would not take as a file name.
std::optional<base::problem> not_a_file_name(std::string_view spelled) {
    const auto start = spelled.find_first_not_of(" \t\r\n");
    const std::string shown{spelled.substr(0, 80)};
    if (start == std::string_view::npos || spelled.find('\0') != std::string_view::npos)
        return base::problem{code::invalid_argument, "'" + shown + "' is not a file name", "give the path of a file",
                             ""};
    if (spelled.substr(start, 4) == "/vsi")
        return base::problem{code::denied, "'" + shown + "' is a GDAL virtual path; only plain files are opened",
                             "unpack or download the data into a workspace and give that path", ""};
    return std::nullopt;
}

// The content of a dataset in place of its name.
std::optional<base::problem> inline_text(std::string_view spelled) {
    const auto start = spelled.find_first_not_of(" \t\r\n");
    if (spelled[start] == '<')
        return base::problem{code::denied, "inline XML is not accepted as a dataset",
                             "write it to a file in a workspace and give that path", ""};
    if (spelled[start] == '{' || spelled[start] == '[')
        return base::problem{code::invalid_argument, "inline JSON text is not accepted as a file",
                             "give GeoJSON as an object where the argument allows it, or the path of a file", ""};
    return std::nullopt;
}

// "PG:dbname=x", "WMS:http://…": a driver's connection, not a file.
bool looks_like_connection(std::string_view spelled) {
    const auto colon = spelled.find(':');
    if (colon == std::string_view::npos || colon < 2) return false;
    const auto prefix = spelled.substr(0, colon);
    return prefix.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-") ==
           std::string_view::npos;
}

}  // namespace

bool belongs_to_host(const fs::path& name) { return name == ".preflight" || name.string().rfind(".gdal-mcp", 0) == 0; }

base::result<roots> roots::open(const std::vector<std::string>& specs, const fs::path& current, const fs::path& home) {
    roots opened;
    for (const auto& spec : specs) {
        auto r = open_root(spec, current);
        if (!r) return tl::unexpected{std::move(r.error())};
        opened.roots_.push_back(std::move(*r));
    }
    if (!specs.empty()) return opened;
    std::error_code error, home_error;
    const auto here = fs::canonical(current, error);
    if (error) {
        opened.why_none_ = "there is no workspace: the current folder cannot be read";
    } else if (here == here.root_path() || here == fs::canonical(home, home_error)) {
        opened.why_none_ =
            "there is no workspace: the current folder is " + here.string() + ", which is too broad to open";
    } else if (auto r = open_root(here.string(), here)) {
        opened.roots_.push_back(std::move(*r));
    } else {
        opened.why_none_ = "there is no workspace: " + r.error().message;
    }
    return opened;
}

base::result<roots> roots::writing_only_to(const fs::path& folder) const {
    auto added = open_root(folder.string() + ":rw", {});
    if (!added) return tl::unexpected{std::move(added.error())};
    auto all = *this;
    for (auto& r : all.roots_) r.writable = false;
    std::erase_if(all.roots_, [&](const root& r) { return r.folder == added->folder; });
    all.roots_.push_back(std::move(*added));
    return all;
}

std::vector<std::string> roots::split(std::string_view list) {
    std::vector<std::string> specs;
    while (!list.empty()) {
        const auto end = std::min(list.find(':'), list.size());
        const std::string part{list.substr(0, end)};
        if ((part == "ro" || part == "rw") && !specs.empty())
            specs.back() += ":" + part;
        else if (!part.empty())
            specs.push_back(part);
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return specs;
}

const root* roots::of(const fs::path& canonical) const {
    const root* deepest = nullptr;
    for (const auto& r : roots_)
        if (holds(r.folder, canonical) && (!deepest || r.folder.native().size() > deepest->folder.native().size()))
            deepest = &r;
    return deepest;
}

bool roots::holds_file(std::string_view name) const {
    std::error_code error;
    const auto path = followed(roots_.front().folder / fs::path{name}, error);
    return !error && of(path) && fs::is_regular_file(path, error);
}

base::result<fs::path> roots::absolute(std::string_view spelled) const {
    if (roots_.empty())
        return fail(code::denied, why_none_,
                    "start the server with --workspace DIR (or set GDAL_MCP_WORKSPACES=DIR), DIR holding the data");
    if (auto p = not_a_file_name(spelled)) return tl::unexpected{std::move(*p)};
    if (base::lower_ascii(spelled.substr(0, 7)) == "file://") return path_of_file_uri(spelled);
    if (spelled.find("://") != std::string_view::npos)
        return fail(code::denied, "'" + std::string{spelled} + "' is a URL; only files in a workspace are opened",
                    "download it into a workspace and give that path");
    return roots_.front().folder / fs::path{spelled};
}

// A file may be called "[x].tif". GDAL gets its absolute path, which it does not take as inline text.
base::result<fs::path> roots::located(std::string_view spelled) const {
    auto path = absolute(spelled);
    if (!path) return path;
    if (auto p = inline_text(spelled); p && !holds_file(spelled)) return tl::unexpected{std::move(*p)};
    return path;
}

// The target's content, its existence and a link's destination must not be revealed.
base::result<fs::path> roots::outside(std::string_view spelled) const {
    std::vector<std::string> folders;
    for (const auto& each : roots_) folders.push_back(each.folder.string());
    const auto named = absolute(spelled)->lexically_normal();
    return fail(code::denied,
                "'" + std::string{spelled} + "' " + (of(named) ? "leads" : "lies") + " outside the workspaces",
                "use a path in " + base::joined(folders) + ", or have the server started with --workspace " +
                    (of(named) ? "DIR, DIR holding the data" : named.parent_path().string()));
}

base::result<fs::path> roots::inside(std::string_view spelled, const fs::path& canonical) const {
    const auto shown = "'" + std::string{spelled} + "'";
    const auto* r = of(canonical);
    if (!r) return outside(spelled);
    const auto below = canonical.lexically_relative(r->folder);
    if (std::any_of(below.begin(), below.end(), belongs_to_host))
        return fail(code::denied, shown + " lies in a folder reserved for the host", "use another path");
    return canonical;
}

base::result<fs::path> roots::resolved(std::string_view spelled) const {
    auto path = located(spelled);
    if (!path) return path;
    std::error_code error;
    const auto canonical = followed(*path, error);
    if (error && !of(path->lexically_normal())) return outside(spelled);
    if (error) return fail(code::io, "'" + std::string{spelled} + "' cannot be followed: " + error.message());
    return inside(spelled, canonical);
}

base::result<fs::path> roots::readable(std::string_view spelled, bool folders) const {
    const auto found = resolved(spelled);
    if (!found) return found;
    const auto& canonical = *found;
    const auto shown = "'" + std::string{spelled} + "'";
    struct stat s {};
    if (::stat(canonical.c_str(), &s) != 0) {
        if (errno == EACCES)
            return fail(code::denied, shown + " may not be read by this user", "check its permissions");
        if (looks_like_connection(spelled))
            return fail(code::denied, shown + " names a driver's connection; only files are opened",
                        "give the path of a file in a workspace");
        const auto near = near_names(canonical.parent_path(), canonical.filename().string());
        return fail(code::not_found, shown + " does not exist (looked for " + canonical.string() + ")",
                    near.empty() ? "relative paths start at " + roots_.front().folder.string()
                                 : "did you mean " + base::joined(near) + "?");
    }
    if (S_ISDIR(s.st_mode)) {
        const bool holds_root =
            std::any_of(roots_.begin(), roots_.end(), [&](const root& r) { return holds(canonical, r.folder); });
        if (folders && !holds_root) return canonical;
        const auto files = some_files(canonical, 5);
        return fail(code::invalid_argument, shown + " is a folder, not a file",
                    files.empty() ? "name a file" : "name one of its files, for example " + base::joined(files));
    }
    if (!S_ISREG(s.st_mode))
        return fail(code::denied, shown + " is neither a file nor a folder (a pipe, socket or device)", "name a file");
    if (::access(canonical.c_str(), R_OK) != 0)
        return fail(code::denied, shown + " may not be read by this user: " + std::strerror(errno),
                    "check its permissions");
    return canonical;
}

base::result<fs::path> roots::listable(std::string_view spelled) const {
    const auto found = resolved(spelled);
    if (!found) return found;
    const auto& canonical = *found;
    const auto shown = "'" + std::string{spelled} + "'";
    std::error_code error;
    if (!fs::exists(canonical, error))
        return fail(code::not_found, shown + " does not exist (looked for " + canonical.string() + ")",
                    "relative paths start at " + roots_.front().folder.string());
    if (!fs::is_directory(canonical, error))
        return fail(code::invalid_argument, shown + " is not a folder", "name the folder it lies in");
    if (::access(canonical.c_str(), R_OK | X_OK) != 0)
        return fail(code::denied, shown + " may not be listed by this user: " + std::strerror(errno),
                    "check its permissions");
    return canonical;
}

base::result<fs::path> roots::writable(std::string_view spelled) const {
    auto path = located(spelled);
    if (!path) return path;
    const auto shown = "'" + std::string{spelled} + "'";
    const auto name = path->filename();
    if (name.empty() || name == "." || name == "..")
        return fail(code::invalid_argument, shown + " is a folder, not the name of a file", "add a file name");
    std::error_code error;
    const auto folder = followed(path->parent_path(), error);
    if (error && !of(path->lexically_normal())) return outside(spelled);
    if (error) return fail(code::io, shown + " cannot be followed: " + error.message());
    const auto target = folder / name;
    if (auto ok = inside(spelled, target); !ok) return ok;
    const auto* r = of(target);
    if (!r->writable)
        return fail(code::denied, shown + " lies in workspace " + r->folder.string() + ", which is read-only",
                    "leave the output out for a managed result, or write to a workspace given as DIR:rw");
    struct stat s {};
    if (::stat(folder.c_str(), &s) != 0)
        return fail(code::not_found, "the folder " + folder.string() + " of " + shown + " does not exist",
                    "create it first: mkdir -p '" + folder.string() + "'");
    if (!S_ISDIR(s.st_mode))
        return fail(code::invalid_argument, folder.string() + " is a file, so " + shown + " cannot lie in it",
                    "choose a folder");
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        return fail(code::denied, "the folder " + folder.string() + " may not be written: " + std::strerror(errno),
                    "check its permissions, or choose another folder");
    return target;
}

base::result<void> roots::keep_apart(std::string_view flag, const fs::path& named) const {
    if (named.empty()) return {};
    const auto holds = [](const fs::path& outer, const fs::path& inner) {
        return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
    };
    std::error_code ec;
    const auto whole = fs::absolute(named, ec).lexically_normal();
    const auto beside = fs::weakly_canonical(whole.parent_path(), ec) / whole.filename();  // where a link itself lies
    for (const auto& place : {beside, fs::weakly_canonical(whole, ec)})
        for (const auto& root : roots_)
            if (holds(root.folder, place) || holds(place, root.folder))
                return base::fail(base::code::denied,
                                  std::string{flag} + " " + place.string() + " and the workspace " +
                                      root.folder.string() + " overlap: an agent could rewrite its own rules",
                                  "keep it outside of every workspace");
    return {};
}

}  // namespace gdalmcp::workspace
