// The program's own folder inside one that others may write to.
#pragma once
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/locked_file.hpp"
#include "base/problem.hpp"

namespace gdalmcp::base {

// No symbolic link is followed: anyone who can write beside the folder could plant one and make the program read or
// write files they may not. Each operation starts at a descriptor of `within` and goes down name by name.
//   own_folder records{workspace, ".preflight/justifications"};
//   records.write("index.json", text);  // an error when .preflight is a link
class own_folder {
public:
    // `within`: the outer folder, its links followed. `below`: relative, without "..". Neither needs to exist.
    own_folder(std::filesystem::path within, std::filesystem::path below);
    own_folder operator/(std::string_view name) const { return {within_, below_ / name}; }

    // For display, not for opening.
    std::filesystem::path path() const { return below_.empty() ? within_ : within_ / below_; }

    // openat(2) and lstat(2) of a name in it: the descriptor, or -1 and false, with errno; ELOOP: a link is in the way.
    int open(const std::string& name, int flags, mode_t mode = 0) const;
    bool look(const std::string& name, struct stat& s) const;
    bool look(struct stat& s) const;         // at the folder itself
    std::vector<std::string> names() const;  // of all entries; none if it does not exist

    result<std::string> read(const std::string& name, std::size_t limit) const;  // as read_file()

    // These create the folder and its parents if needed.
    result<void> make() const;
    result<void> write(const std::string& name, std::string_view bytes) const;  // as write_file_atomically()
    result<locked_file> lock(const std::string& name) const;
    result<void> take(const own_folder& from, const std::string& name, const std::string& new_name) const;  // rename(2)

    result<void> remove(const std::string& name) const;
    // Removes files that write() of a dead process left there: a live one holds a lock on its own.
    void sweep() const;

private:
    int enter(bool make) const;
    std::filesystem::path within_, below_;
};

// The message for an errno of those functions: "it is reached through a symbolic link; links are not followed" for
// ELOOP.
std::string reason_not_opened(int error);

}  // namespace gdalmcp::base
