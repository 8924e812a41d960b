#include "workspace/publication.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/own_folder.hpp"
#include "workspace/file_system.hpp"
#include "workspace/rename.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;
namespace json = base::json;

constexpr const char* plan_name = "plan.json";

// 0: no such file.
ino_t inode_of(const fs::path& p) {
    struct stat s {};
    return ::lstat(p.c_str(), &s) == 0 ? s.st_ino : 0;
}

base::result<void> rename_planned(renames& moved, const fs::path& from, const fs::path& to, bool replaces) {
    return replaces ? moved.replace(from, to) : moved.move(from, to);
}

// The three kinds of steps a host plans, all with plain file names; any other plan is refused: an output moves to its
// target, an old sidecar into the stage, and a file in the record's place gets another name beside it.
bool is_of_a_host(const fs::path& from, const fs::path& to, bool replaces) {
    const auto name = from.filename();
    if (name.empty() || name == "." || name == ".." || name.string().starts_with(".preflight") ||
        name.string().starts_with(".gdal-mcp"))
        return false;
    const auto beside = fs::path{".."} / name;
    if (from == fs::path{"out"} / name) return to == beside;
    if (from != beside || replaces) return false;
    return to == name || (to.parent_path() == ".." && to.filename().string().starts_with(name.string() + aside_mark));
}

}  // namespace

base::result<void> flush(const fs::path& p) {
    const int fd = ::open(p.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool ok = fd >= 0 && ::fsync(fd) == 0;
    const int error = errno;
    if (fd >= 0) ::close(fd);
    if (ok) return {};
    return tl::unexpected{file_system_problem(error, "writing " + p.string() + " to disk", p.parent_path())};
}

void publication::move(fs::path from, fs::path to) { steps_.push_back({std::move(from), std::move(to), false}); }
void publication::replace(fs::path from, fs::path to) { steps_.push_back({std::move(from), std::move(to), true}); }

base::result<void> publication::carry_out() const {
    json::array plan;
    for (const auto& s : steps_)
        plan.push_back({{"from", s.from.lexically_relative(stage_).string()},
                        {"to", s.to.lexically_relative(stage_).string()},
                        {"inode", inode_of(s.from)},
                        {"replaces", s.replaces}});
    const auto file = stage_ / plan_name;
    if (auto ok = base::write_file_atomically(file, base::write_json(plan)); !ok) return ok;
    const auto done = [&]() -> base::result<void> {
        renames moved;
        for (const auto& s : steps_)
            if (auto ok = rename_planned(moved, s.from, s.to, s.replaces); !ok) return ok;
        if (auto ok = flush(stage_.parent_path()); !ok) return ok;
        moved.commit();
        return {};
    }();
    if (!done) ::unlink(file.c_str());  // all files are back in place
    return done;
}

base::result<void> publication::finish(const fs::path& stage) {
    const auto file = stage / plan_name;
    if (inode_of(file) == 0) return {};
    const auto text = base::own_folder{stage.parent_path(), stage.filename()}.read(plan_name, 16u << 20);
    if (!text) return tl::unexpected{text.error()};
    const auto plan = base::parse_json(*text);
    if (!plan || !plan->is_array())
        return base::fail(base::code::io, file.string() + " is not a plan of renames", "inspect the folder");
    renames moved;
    for (const auto& s : plan->get_array()) {
        const fs::path from{base::string_member(s, "from")}, to{base::string_member(s, "to")};
        const auto* inode = base::find_member(s, "inode");
        const bool replaces = base::bool_member(s, "replaces");
        if (!is_of_a_host(from, to, replaces) || !inode || !inode->is_number())
            return base::fail(base::code::denied, file.string() + " names files that are not part of its output");
        if (inode_of(stage / from) != inode->to_number<ino_t>()) continue;  // done
        if (auto ok = rename_planned(moved, stage / from, stage / to, replaces); !ok) return ok;
        base::log(base::log_level::info, "a host died before it moved " + (stage / from).lexically_normal().string() +
                                             " to " + (stage / to).lexically_normal().string() +
                                             "; it has been moved now");
    }
    if (auto ok = flush(stage.parent_path()); !ok) return ok;
    moved.commit();
    return {};
}

}  // namespace gdalmcp::workspace
