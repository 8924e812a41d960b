#include "app/datasets/workspace_walk.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/file_identity.hpp"
#include "base/text.hpp"
#include "workspace/sidecars.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::result;

namespace {

class walker {
public:
    walker(const workspace::roots& roots, bool include_hidden, const std::function<bool(const fs::path&)>& accept,
           const runner::cancellation& cancel, walk_limits limits)
        : roots_{roots},
          include_hidden_{include_hidden},
          accept_{accept},
          cancel_{cancel},
          limits_{limits},
          end_{std::chrono::steady_clock::now() + limits.time} {}

    // REQUIRES: canonical.
    void enter(const fs::path& folder, int depth) {
        if (!seen_.insert(folder).second) return;
        if (depth > limits_.depth)
            return stop("folders deeper than " + std::to_string(limits_.depth) + " were not entered");
        std::set<std::string> names;  // of regular files
        std::vector<std::string> links;
        std::vector<fs::path> folders;
        std::error_code ec;
        for (fs::directory_iterator it{folder, fs::directory_options::skip_permission_denied, ec}, last;
             !ec && it != last && may_go_on(); it.increment(ec)) {
            const auto name = it->path().filename().string();
            if (workspace::belongs_to_host(name) || (name.front() == '.' && !include_hidden_)) continue;
            std::error_code ignored;
            const auto status = it->symlink_status(ignored);
            if (fs::is_regular_file(status)) names.insert(name);
            if (fs::is_symlink(status)) links.push_back(name);
            if (!fs::is_directory(status)) continue;
            if (is_dataset(name))
                add(it->path(), it->path(), {}, {});
            else
                folders.push_back(it->path());
        }
        add_files(folder, names);
        for (const auto& name : links) add_link(folder / name);
        std::sort(folders.begin(), folders.end());
        for (const auto& inner : folders)
            if (may_go_on()) enter(inner, depth + 1);
    }

    walk found() {
        std::sort(out_.files.begin(), out_.files.end(), [](const found_file& a, const found_file& b) {
            return std::tie(a.workspace, a.shown) < std::tie(b.workspace, b.shown);
        });
        return std::move(out_);
    }

private:
    // Of an output that may be no dataset itself: dem.tif.ovr.provenance.json.
    static bool is_record(const std::string& name, const std::set<std::string>& names) {
        const auto suffix = workspace::provenance_path({}).string();
        return name.ends_with(suffix) && names.count(name.substr(0, name.size() - suffix.size())) > 0;
    }

    void stop(std::string why) {
        if (out_.stopped.empty()) out_.stopped = std::move(why);
    }

    bool may_go_on() {
        if (cancel_.requested()) stop("it was cancelled");
        if (++entries_ > limits_.entries) stop("more than " + std::to_string(limits_.entries) + " files and folders");
        if (std::chrono::steady_clock::now() > end_)
            stop("it took more than " + std::to_string(limits_.time.count()) + " ms");
        return entries_ <= limits_.entries && !cancel_.requested() && std::chrono::steady_clock::now() <= end_;
    }

    // A File Geodatabase is a folder; of the formats that are, the only one with an extension.
    bool is_dataset(const std::string& folder) const {
        return base::lower_ascii(fs::path{folder}.extension().string()) == ".gdb" && accept_(folder);
    }

    void add_files(const fs::path& folder, const std::set<std::string>& names) {
        std::map<std::string, std::vector<std::string>> sidecars;
        std::set<std::string> belonging;
        for (const auto& name : names) {
            if (!accept_(name)) continue;
            auto possible = workspace::possible_sidecars(name);
            possible.push_back(workspace::provenance_path(name));
            for (const auto& p : possible)
                if (names.count(p.string())) {
                    sidecars[name].push_back(p.string());
                    belonging.insert(p.string());
                }
        }
        for (const auto& name : names)
            if (accept_(name) && !belonging.count(name) && !is_record(name, names))
                add(folder / name, folder / name, names, sidecars[name]);
    }

    // A link is a dataset under its own name if it leads to a readable file.
    void add_link(const fs::path& link) {
        if (!accept_(link.filename())) return;
        const auto target = roots_.readable(link.string());
        if (target) add(*target, link, {}, {});
    }

    void add(const fs::path& file, const fs::path& shown, const std::set<std::string>& beside,
             std::vector<std::string> sidecars) {
        struct stat s {};
        if (::stat(file.c_str(), &s) != 0 || ::access(file.c_str(), R_OK) != 0) return;
        if (!base::is_utf8(shown.string())) {
            ++out_.not_utf8;
            return;
        }
        const auto& root = roots_.of(shown)->folder;
        found_file f{root,
                     file,
                     shown.lexically_relative(root),
                     static_cast<std::uintmax_t>(s.st_size),
                     std::chrono::system_clock::from_time_t(s.st_mtime),
                     std::move(sidecars),
                     S_ISDIR(s.st_mode) ? workspace::dataset_state(file) : base::to_string(base::identity_of(s))};
        // GDAL may look for further files beside it: x.prj, x.wld, x.hdr.
        const auto stem = file.stem().string() + ".";
        for (auto n = beside.lower_bound(stem); n != beside.end() && n->compare(0, stem.size(), stem) == 0; ++n)
            if (*n != file.filename() && ::stat((file.parent_path() / *n).c_str(), &s) == 0)
                f.state += "|" + *n + ":" + base::to_string(base::identity_of(s));
        out_.files.push_back(std::move(f));
    }

    const workspace::roots& roots_;
    const bool include_hidden_;
    const std::function<bool(const fs::path&)>& accept_;
    const runner::cancellation& cancel_;
    const walk_limits limits_;
    const std::chrono::steady_clock::time_point end_;
    std::size_t entries_ = 0;
    std::set<fs::path> seen_;
    walk out_;
};

}  // namespace

result<walk> walk_workspaces(const workspace::roots& roots, const std::string& subpath, bool include_hidden,
                             const std::function<bool(const fs::path&)>& may_be_dataset,
                             const runner::cancellation& cancel, walk_limits limits) {
    std::vector<fs::path> starts;
    std::optional<base::problem> refused;
    if (roots.list().empty()) refused = roots.listable(".").error();
    for (const auto& r : roots.list()) {
        auto folder = roots.listable((r.folder / subpath).string());
        if (folder)
            starts.push_back(std::move(*folder));
        else if (!refused)
            refused = folder.error();
    }
    if (starts.empty()) return tl::unexpected{*refused};
    walker w{roots, include_hidden, may_be_dataset, cancel, limits};
    for (const auto& s : starts) w.enter(s, 0);
    return w.found();
}

}  // namespace gdalmcp::app
