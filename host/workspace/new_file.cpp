#include "workspace/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "workspace/file_system.hpp"
#include "workspace/temporary_folder.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;
using base::descriptor;

// A default access list of the folder applies to files created there; acl(5).
constexpr const char* access_list = "system.posix_acl_access";

// The names of a file's extended attributes; none if the file system has none.
std::vector<std::string> attributes_of(int fd) {
    std::string list(XATTR_LIST_MAX, '\0');
    const auto length = ::flistxattr(fd, list.data(), list.size());
    std::vector<std::string> names;
    for (std::string_view rest{list.data(), length > 0 ? static_cast<std::size_t>(length) : 0}; !rest.empty();
         rest.remove_prefix(names.back().size() + 1))
        names.emplace_back(rest.data());
    return names;
}

std::optional<std::string> access_list_of(int fd) {
    std::string value(XATTR_SIZE_MAX, '\0');
    const auto length = ::fgetxattr(fd, access_list, value.data(), value.size());
    if (length < 0) return std::nullopt;
    value.resize(static_cast<std::size_t>(length));
    return value;
}

bool is_label_of_kernel(std::string_view attribute) {
    return attribute.substr(0, 9) == "security." && attribute != "security.capability";
}

// 0 or errno. Some file systems have one mode for all files and refuse to set it.
int set_mode(int fd, mode_t mode) {
    struct stat s {};
    if (::fstat(fd, &s) != 0) return errno;
    return (s.st_mode & 07777) == mode || ::fchmod(fd, mode) == 0 ? 0 : errno;
}

// 0 or errno. Attributes can be removed from a writable file only, and an access list sets the group's mode: so the
// mode is set before and after.
int make_alike(int fd, mode_t mode, const std::optional<std::string>& list) {
    if (const int error = set_mode(fd, mode)) return error;
    for (const auto& name : attributes_of(fd))
        if (!is_label_of_kernel(name) && !(list && name == access_list) && ::fremovexattr(fd, name.c_str()) != 0 &&
            errno != ENODATA)
            return errno;
    if (list && access_list_of(fd) != list && ::fsetxattr(fd, access_list, list->data(), list->size(), 0) != 0)
        return errno;
    return set_mode(fd, mode);
}

}  // namespace

base::result<void> make_like_new(const std::vector<fs::path>& files) {
    if (files.empty()) return {};
    const auto folder = files.front().parent_path();
    const auto failed = [&](int error, const fs::path& file) {
        return tl::unexpected{file_system_problem(error, "setting the mode of " + file.string(), folder)};
    };
    const auto sample = new_temporary_name(folder);
    const descriptor made{::open(sample.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)};
    if (made.get() < 0) return failed(errno, sample);
    ::unlink(sample.c_str());
    struct stat s {};
    if (::fstat(made.get(), &s) != 0) return failed(errno, sample);
    const auto list = access_list_of(made.get());
    for (const auto& file : files) {
        const descriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
        if (opened.get() < 0) return failed(errno, file);
        if (const int error = make_alike(opened.get(), s.st_mode & 07777, list)) return failed(error, file);
    }
    return {};
}

}  // namespace gdalmcp::workspace
