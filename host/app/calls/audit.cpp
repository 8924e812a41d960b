#include "app/calls/audit.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/digest.hpp"
#include "base/locked_file.hpp"

namespace gdalmcp::app {

namespace {

using base::fail;
using base::result;
namespace code = base::code;
namespace fs = std::filesystem;

constexpr std::size_t block = 64u << 10;
constexpr std::size_t furthest_back = 16u << 20;  // bytes `recent` looks through at most

std::string hash_of(std::string_view line) { return "sha256:" + base::sha256_hex(line); }

// What the first line says of the line before.
const std::string& beginning() {
    static const auto none = "sha256:" + std::string(64, '0');
    return none;
}

// Reads lines from the end of an open file to its beginning. What follows the last newline is a line, too.
class lines_backwards {
public:
    lines_backwards(int fd, std::size_t size, std::size_t limit)
        : fd_{fd}, begin_{size}, stop_{size > limit ? size - limit : 0} {}

    // False at the beginning or the limit.
    bool next(std::string& line) {
        for (;;) {
            const auto newline = text_.rfind('\n');
            if (newline != std::string::npos && newline + 1 < text_.size()) {
                line = text_.substr(newline + 1);
                text_.resize(newline);
                return true;
            }
            if (newline != std::string::npos) {
                text_.resize(newline);
                continue;
            }
            if (begin_ == stop_ || !read_more()) break;
        }
        if (begin_ != 0 || text_.empty()) return false;
        line = std::exchange(text_, {});
        return true;
    }

private:
    bool read_more() {
        const auto wanted = std::min(block, begin_ - stop_);
        std::string part(wanted, '\0');
        const auto n = ::pread(fd_, part.data(), wanted, static_cast<off_t>(begin_ - wanted));
        if (n != static_cast<ssize_t>(wanted)) return false;
        begin_ -= wanted;
        text_.insert(0, part);
        return true;
    }

    int fd_;
    std::size_t begin_;  // of text_ in the file
    std::size_t stop_;
    std::string text_;
};

result<base::locked_file> open_for_appending(const fs::path& file) {
    auto opened = base::locked_file::open(file);
    if (opened) return opened;
    std::error_code ec;
    fs::create_directories(file.parent_path(), ec);  // another may have made it meanwhile
    if (ec) return opened;
    return base::locked_file::open(file);
}

bool ends_with_newline(int fd, std::size_t size) {
    char last = '\n';
    return size == 0 || (::pread(fd, &last, 1, static_cast<off_t>(size) - 1) == 1 && last == '\n');
}

struct descriptor {
    int fd;
    ~descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

}  // namespace

result<void> audit::append(const json::object& entry) const {
    const auto opened = open_for_appending(file_);
    if (!opened) return tl::unexpected{opened.error()};
    const int fd = opened->fd();
    const auto failed = [&] {
        return fail(code::io, "cannot append to " + file_.string() + ": " + std::strerror(errno));
    };
    struct stat s {};
    if (::fstat(fd, &s) != 0) return failed();
    if (!S_ISREG(s.st_mode)) return fail(code::io, file_.string() + " is not a regular file");
    const auto size = static_cast<std::size_t>(s.st_size);
    std::string before;
    const bool first = !lines_backwards{fd, size, size}.next(before);
    json::object line{{"previous", first ? beginning() : hash_of(before)}};
    for (const auto& m : entry) line.emplace(m.key(), m.value());
    auto text = base::write_json(line) + "\n";
    if (!ends_with_newline(fd, size)) text.insert(0, "\n");  // a crash cut the last line off
    const auto n = ::write(fd, text.data(), text.size());
    if (n == static_cast<ssize_t>(text.size())) return {};
    if (n >= 0) errno = ENOSPC;
    auto why = failed();
    if (n > 0 && ::ftruncate(fd, s.st_size) != 0)
        why.value().message += ", and half a line stayed: " + std::string{std::strerror(errno)};
    return why;
}

std::vector<json::object> audit::recent(std::size_t count,
                                        const std::function<bool(const json::object&)>& wanted) const {
    std::vector<json::object> found;
    const descriptor file{::open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    struct stat s {};
    if (file.fd < 0 || ::fstat(file.fd, &s) != 0 || !S_ISREG(s.st_mode)) return found;
    lines_backwards lines{file.fd, static_cast<std::size_t>(s.st_size), furthest_back};
    for (std::string line; found.size() < count && lines.next(line);)
        if (auto entry = base::parse_json(line); entry && entry->is_object() && wanted(entry->get_object()))
            found.push_back(std::move(entry->get_object()));
    return found;
}

result<void> audit::each(const std::function<void(const json::object&)>& use) const {
    std::error_code ec;
    if (!fs::exists(file_, ec)) return {};
    std::ifstream file{file_, std::ios::binary};
    if (!file) return fail(code::io, "cannot read " + file_.string() + ": " + std::strerror(errno));
    for (std::string line; std::getline(file, line);)
        if (const auto entry = base::parse_json(line); entry && entry->is_object()) use(entry->get_object());
    if (file.bad()) return fail(code::io, "reading " + file_.string() + " failed");
    return {};
}

result<audit::chain> audit::verify() const {
    std::error_code ec;
    if (!fs::exists(file_, ec))
        return fail(code::not_found, "there is no " + file_.string(), "no call was recorded, or the file was removed");
    std::ifstream file{file_, std::ios::binary};
    if (!file) return fail(code::io, "cannot read " + file_.string() + ": " + std::strerror(errno));
    chain so_far{0, beginning()};
    for (std::string line; std::getline(file, line);) {
        const auto here = "line " + std::to_string(++so_far.lines) + " of " + file_.string();
        const auto entry = base::parse_json(line);
        if (!entry || !entry->is_object())
            return fail(code::io, here + " is no JSON object: " + (entry ? line.substr(0, 80) : entry.error().message),
                        "a crash may have cut it off; the lines before it are as they were written");
        if (const auto said = base::string_member(*entry, "previous"); said != so_far.last)
            return fail(code::io,
                        here + " follows a line with the hash " + std::string{said.substr(0, 80)} +
                            ", but the line before it has " + so_far.last,
                        "a line before it was changed, taken out or put in");
        so_far.last = hash_of(line);
    }
    if (file.bad()) return fail(code::io, "reading " + file_.string() + " failed");
    return so_far;
}

}  // namespace gdalmcp::app
