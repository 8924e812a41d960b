#include "app/call/audit.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/descriptor.hpp"
#include "base/digest.hpp"
#include "base/locked_file.hpp"
#include "base/log.hpp"

namespace gdalmcp::app {

namespace {

using base::descriptor;
using base::fail;
using base::result;
namespace code = base::code;

constexpr std::size_t block = 64u << 10;
constexpr std::size_t max_tail = 16u << 20;  // bytes searched from the end at most
constexpr std::size_t max_line = max_tail;

std::string hash_of(std::string_view line) { return "sha256:" + base::sha256_hex(line); }

// The hash of the preceding line that the first line carries.
const std::string& beginning() {
    static const auto none = "sha256:" + std::string(64, '0');
    return none;
}

// Reads lines from the end of an open file to its beginning. Text after the last newline counts as a line.
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

    // Whether next() ended at the limit, in the middle of a line.
    bool line_too_long() const { return begin_ != 0 && begin_ == stop_; }

private:
    // Doubles the size read: a long line is assembled in linear time.
    bool read_more() {
        const auto wanted = std::min(std::max(block, text_.size()), begin_ - stop_);
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

// A file whose last line has no beginning cannot be continued as a log. Called with its lock held.
result<void> move_aside(const base::own_folder& folder, const std::string& name) {
    std::string aside;
    struct stat s {};
    for (int n = 1; n == 1 || folder.look(aside, s); ++n) aside = name + ".broken-" + std::to_string(n);
    if (auto ok = folder.take(folder, name, aside); !ok) return ok;
    base::log(base::log_level::warning,
              (folder.path() / name).string() + " has no line break in its last " + std::to_string(max_line >> 20) +
                  " MiB, so it is not an audit log; it is now " + aside + ", and a new log begins");
    return {};
}

// As std::getline, but keeps only the beginning of a line that is too long.
bool next_line(std::istream& in, std::string& line) {
    line.clear();
    bool any = false;
    try {
        auto* from = in.rdbuf();
        for (auto c = from->sbumpc(); c != std::char_traits<char>::eof(); c = from->sbumpc()) {
            any = true;
            if (c == '\n') return true;
            if (line.size() < max_line) line += static_cast<char>(c);
        }
    } catch (const std::ios_base::failure&) {  // libstdc++ reports a read error this way
        in.setstate(std::ios_base::badbit);
    }
    return any && !in.bad();
}

bool ends_with_newline(int fd, std::size_t size) {
    char last = '\n';
    return size == 0 || (::pread(fd, &last, 1, static_cast<off_t>(size) - 1) == 1 && last == '\n');
}

// Leaves errno unchanged where there is none.
std::ifstream stream_of(int fd) {
    std::ifstream none;
    none.setstate(std::ios::failbit);
    return fd < 0 ? std::move(none) : std::ifstream{"/proc/self/fd/" + std::to_string(fd), std::ios::binary};
}

}  // namespace

result<void> audit::append(const json::object& entry) const {
    for (;;) {
        const auto opened = folder_.lock(name_);
        if (!opened) return tl::unexpected{opened.error()};
        const auto done = append(entry, opened->fd());
        if (!done) return tl::unexpected{done.error()};
        if (*done) return {};
        if (auto ok = move_aside(folder_, name_); !ok) return ok;
    }
}

result<bool> audit::append(const json::object& entry, int fd) const {
    const auto failed = [&] {
        return fail(code::io, "cannot append to " + file_.string() + ": " + std::strerror(errno));
    };
    struct stat s {};
    if (::fstat(fd, &s) != 0) return failed();
    if (!S_ISREG(s.st_mode)) return fail(code::io, file_.string() + " is not a regular file");
    const auto size = static_cast<std::size_t>(s.st_size);
    std::string before;
    lines_backwards lines{fd, size, max_line};
    const bool first = !lines.next(before);
    if (first && lines.line_too_long()) return false;
    json::object line{{"previous", first ? beginning() : hash_of(before)}};
    for (const auto& m : entry) line.emplace(m.key(), m.value());
    auto text = base::write_json(line) + "\n";
    if (!ends_with_newline(fd, size)) text.insert(0, "\n");  // a crash cut the last line off
    const auto n = ::write(fd, text.data(), text.size());
    if (n == static_cast<ssize_t>(text.size())) return true;
    if (n >= 0) errno = ENOSPC;
    auto why = failed();
    if (n > 0 && ::ftruncate(fd, s.st_size) != 0)
        why.value().message += ", and a partial line remains: " + std::string{std::strerror(errno)};
    return why;
}

std::vector<json::object> audit::recent(std::size_t count,
                                        const std::function<bool(const json::object&)>& wanted) const {
    std::vector<json::object> found;
    const descriptor file{folder_.open(name_, O_RDONLY | O_NONBLOCK)};
    struct stat s {};
    if (file.get() < 0 || ::fstat(file.get(), &s) != 0 || !S_ISREG(s.st_mode)) return found;
    lines_backwards lines{file.get(), static_cast<std::size_t>(s.st_size), max_tail};
    for (std::string line; found.size() < count && lines.next(line);)
        if (auto entry = base::parse_json(line); entry && entry->is_object() && wanted(entry->get_object()))
            found.push_back(std::move(entry->get_object()));
    return found;
}

result<void> audit::each(const std::function<void(const json::object&)>& use) const {
    const descriptor opened{folder_.open(name_, O_RDONLY | O_NONBLOCK)};
    if (opened.get() < 0 && errno == ENOENT) return {};
    auto file = stream_of(opened.get());
    if (!file) return fail(code::io, "cannot read " + file_.string() + ": " + base::reason_not_opened(errno));
    for (std::string line; next_line(file, line);)
        if (const auto entry = base::parse_json(line); entry && entry->is_object()) use(entry->get_object());
    if (file.bad()) return fail(code::io, "reading " + file_.string() + " failed");
    return {};
}

result<audit::chain> audit::verify() const {
    const descriptor opened{folder_.open(name_, O_RDONLY | O_NONBLOCK)};
    if (opened.get() < 0 && errno == ENOENT)
        return fail(code::not_found, "there is no " + file_.string(), "no call was recorded, or the file was removed");
    auto file = stream_of(opened.get());
    if (!file) return fail(code::io, "cannot read " + file_.string() + ": " + base::reason_not_opened(errno));
    chain so_far{0, beginning()};
    for (std::string line; next_line(file, line);) {
        const auto here = "line " + std::to_string(++so_far.lines) + " of " + file_.string();
        const auto entry = base::parse_json(line);
        if (!entry || !entry->is_object())
            return fail(code::io,
                        here + " is not a JSON object: " + (entry ? line.substr(0, 80) : entry.error().message),
                        "a crash may have cut it off; the lines before it are intact");
        if (const auto said = base::string_member(*entry, "previous"); said != so_far.last)
            return fail(code::io,
                        here + " follows a line with the hash " + std::string{said.substr(0, 80)} +
                            ", but the line before it has " + so_far.last,
                        "an earlier line was changed, removed or inserted");
        so_far.last = hash_of(line);
    }
    if (file.bad()) return fail(code::io, "reading " + file_.string() + " failed");
    return so_far;
}

}  // namespace gdalmcp::app
