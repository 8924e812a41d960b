#include "workspace/results.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "workspace/file_system.hpp"
#include "workspace/new_file.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view uri_prefix = "query://result/";
constexpr std::uint64_t worth_while = 1u << 20;  // less tmpfs than this is not offered
constexpr std::uint64_t used = 1ull << 63;       // added to the last use of results that a later call read
constexpr std::size_t remembered = 1000;         // expired results

std::uint64_t size_of(const std::vector<fs::path>& files) {
    std::uint64_t bytes = 0;
    std::error_code ignored;
    for (const auto& f : files) bytes += fs::file_size(f, ignored);
    return bytes;
}

json::object description(const managed& m) {
    json::object about{{"uri", result_uri(m.id)},         {"name", m.file.filename().string()},
                       {"mime_type", media_type(m.file)}, {"size_bytes", m.size_bytes},
                       {"created", rfc3339(m.created)},   {"expires", rfc3339(m.expires)}};
    for (const auto& member : m.metadata) about.emplace(member.key(), member.value());
    return about;
}

// The scratch folder of this host in `parent`, created on first use, and again after a cleaner of temporary files
// removed it.
base::result<fs::path> scratch(std::optional<temporary_folder>& slot, const fs::path& parent, background* later) {
    if (!slot || ::access(slot->path().c_str(), W_OK) != 0) {
        auto made = make_scratch(parent, later);
        if (!made) return tl::unexpected{std::move(made.error())};
        slot = std::move(*made);
    }
    return slot->path();
}

}  // namespace

base::result<temporary_folder> make_scratch(const fs::path& parent, background* later) {
    auto made = temporary_folder::make(new_temporary_name(parent), true, later);
    if (made || made.error().code == base::code::exhausted) return made;
    return base::fail(made.error().code,
                      "the scratch folder " + parent.string() + " cannot be used: " + made.error().message,
                      "name a folder that exists and can be written to: --scratch DIR");
}

scratch_places default_scratch(const std::string& given, const std::function<std::string(const char*)>& environment) {
    scratch_places places;
    for (const fs::path& folder : {fs::path{"/dev/shm"}, fs::path{environment("XDG_RUNTIME_DIR")}})
        if (!places.memory && folder.is_absolute() && is_tmpfs(folder) && ::access(folder.c_str(), W_OK | X_OK) == 0)
            places.memory = folder;
    const auto temporary = environment("TMPDIR");
    places.disk = fs::absolute(!given.empty() ? given : !temporary.empty() ? temporary : "/tmp");
    return places;
}

results::results(scratch_places places, std::function<time_point()> clock, result_limits limits, background* later)
    : places_{std::move(places)}, clock_{std::move(clock)}, limits_{limits}, later_{later} {}

results::~results() = default;

std::uint64_t results::memory_room() const {
    if (!places_.memory) return 0;
    std::uint64_t used = 0;
    for (const auto& m : kept_) used += m->in_memory ? m->size_bytes : 0;
    const auto left = limits_.memory_bytes - std::min(limits_.memory_bytes, used);
    return std::min(left, free_bytes(*places_.memory) / 4);
}

base::result<stage> results::begin(const std::string& file_name) {
    const std::lock_guard lock{guard_};
    drop_expired();
    stage s;
    s.id_ = random_id();
    const auto add = [&](std::optional<temporary_folder>& slot, const fs::path& parent,
                         bool in_memory) -> base::result<void> {
        auto folder = scratch(slot, parent, later_);
        if (!folder) return tl::unexpected{std::move(folder.error())};
        auto own = temporary_folder::make(*folder / s.id_, false, later_);
        if (!own) return tl::unexpected{std::move(own.error())};
        const auto room = in_memory ? memory_room() : free_bytes(parent);
        s.candidates_.push_back({own->path(), own->path() / file_name, room, in_memory});
        s.folders_.push_back(std::move(*own));
        return {};
    };
    if (memory_room() >= worth_while)
        if (auto ok = add(memory_scratch_, *places_.memory, true); !ok)
            base::log(base::log_level::warning, "results go to disk: " + ok.error().message);
    if (auto ok = add(disk_scratch_, places_.disk, false); !ok) {
        if (s.candidates_.empty()) return tl::unexpected{std::move(ok.error())};
        base::log(base::log_level::warning, "results stay in memory: " + ok.error().message);
    }
    return s;
}

base::result<results::newly_kept> results::keep(stage written, std::size_t chosen, json::object metadata,
                                                json::object made_by) {
    auto files = written_files(written.candidates_.at(chosen));
    if (!files) return tl::unexpected{std::move(files.error())};
    if (auto ok = make_like_new(*files); !ok) return tl::unexpected{std::move(ok.error())};
    const auto& place = written.candidates_.at(chosen);
    const auto now = clock_();
    auto newcomer = std::make_shared<const managed>(
        managed{written.id_, std::move(written.folders_.at(chosen)), place.file, place.in_memory, std::move(metadata),
                std::move(made_by), size_of(*files), now, now + limits_.time_to_live});
    const std::lock_guard lock{guard_};
    drop_expired();
    auto evicted = make_room(*newcomer);
    if (!evicted) return tl::unexpected{std::move(evicted.error())};
    kept_.push_back(newcomer);
    last_use_[newcomer->id] = ++uses_;
    return newly_kept{newcomer->id, std::move(*evicted)};
}

// Of those that no call holds, one that was never used goes first, then the one used longest ago.
base::result<std::vector<std::string>> results::make_room(const managed& newcomer) {
    std::vector<std::string> evicted;
    const auto evict_one = [&](bool of_memory) {
        auto found = kept_.end();
        for (auto it = kept_.begin(); it != kept_.end(); ++it)
            if (it->use_count() == 1 && (!of_memory || (*it)->in_memory) &&
                (found == kept_.end() || last_use_.at((*it)->id) < last_use_.at((*found)->id)))
                found = it;
        if (found == kept_.end()) return false;
        evicted.push_back((*found)->id);
        forget(static_cast<std::size_t>(found - kept_.begin()), "was dropped to make room for newer results");
        return true;
    };
    while (kept_.size() >= limits_.count)
        if (!evict_one(false))
            return base::fail(base::code::exhausted,
                              "all " + std::to_string(limits_.count) + " managed results are in use by running calls",
                              "wait for a call to end, release a result, or give an output path");
    while (newcomer.in_memory && memory_room() < newcomer.size_bytes && evict_one(true)) {}
    return evicted;
}

void results::drop_expired() {
    const auto now = clock_();
    for (std::size_t i = kept_.size(); i-- > 0;)
        if (kept_[i]->expires <= now && kept_[i].use_count() == 1)
            forget(i, "expired at " + rfc3339(kept_[i]->expires) + ", " + std::to_string(limits_.time_to_live.count()) +
                          " s after it was made");
}

void results::forget(std::size_t position, std::string fate) {
    past_.push_back({kept_[position]->id, std::move(fate)});
    if (past_.size() > remembered) past_.pop_front();
    if (gone_.size() < remembered) gone_.push_back(past_.back().id);
    last_use_.erase(kept_[position]->id);
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(position));
}

base::result<std::shared_ptr<const managed>> results::find(std::string_view id) {
    drop_expired();
    const auto now = clock_();
    const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& m) { return m->id == id; });
    // Expired but held by a call: it serves that call only.
    if (found != kept_.end() && (*found)->expires > now) return *found;
    std::string fate = "is not known here: it expired, or an earlier session made it";
    for (const auto& p : past_)
        if (p.id == id) fate = p.fate;
    if (found != kept_.end()) fate = "expired at " + rfc3339((*found)->expires);
    return base::fail(base::code::expired, result_uri(id) + " " + fate,
                      "run the call that made it again; give it an output path to keep the file");
}

base::result<std::shared_ptr<const managed>> results::hold(std::string_view id) {
    const std::lock_guard lock{guard_};
    auto found = find(id);
    if (found) last_use_[(*found)->id] = used + ++uses_;
    return found;
}

base::result<json::object> results::describe(std::string_view id) {
    return hold(id).map([](const auto& m) { return description(*m); });
}

base::result<std::string> results::read(std::string_view id, std::uint64_t offset, std::size_t length) {
    auto held = hold(id);
    if (!held) return tl::unexpected{std::move(held.error())};
    const auto& file = (*held)->file;
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return tl::unexpected{file_system_problem(errno, "reading " + result_uri(id), file)};
    std::error_code ignored;
    const std::uint64_t size = fs::file_size(file, ignored);
    std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(length, size - std::min(size, offset))), '\0');
    std::size_t got = 0;
    ssize_t n = 1;
    while (got < bytes.size() && n != 0) {
        n = ::pread(fd, bytes.data() + got, bytes.size() - got, static_cast<off_t>(offset + got));
        if (n < 0 && errno != EINTR) break;
        got += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
    }
    const int error = errno;
    ::close(fd);
    if (n < 0) return tl::unexpected{file_system_problem(error, "reading " + result_uri(id), file)};
    bytes.resize(got);
    return bytes;
}

base::result<void> results::release(std::string_view id) {
    const std::lock_guard lock{guard_};
    auto held = find(id);
    if (!held) return tl::unexpected{std::move(held.error())};
    const auto position = std::find(kept_.begin(), kept_.end(), *held) - kept_.begin();
    forget(static_cast<std::size_t>(position), "was released");
    return {};
}

std::vector<json::object> results::list() {
    const std::lock_guard lock{guard_};
    drop_expired();
    const auto now = clock_();
    std::vector<json::object> all;
    for (const auto& m : kept_)
        if (m->expires > now) all.push_back(description(*m));
    return all;
}

std::vector<std::string> results::take_gone() {
    const std::lock_guard lock{guard_};
    return std::exchange(gone_, {});
}

void results::expire() {
    const std::lock_guard lock{guard_};
    drop_expired();
}

std::string result_uri(std::string_view id) { return std::string{uri_prefix} + std::string{id}; }

std::optional<std::string> id_of_result_uri(std::string_view uri) {
    if (uri.substr(0, uri_prefix.size()) != uri_prefix || !is_random_id(uri.substr(uri_prefix.size())))
        return std::nullopt;
    return std::string{uri.substr(uri_prefix.size())};
}

std::string media_type(const fs::path& file) {
    static const std::map<std::string, const char*, std::less<>> table = {{".tif", "image/tiff"},
                                                                          {".tiff", "image/tiff"},
                                                                          {".png", "image/png"},
                                                                          {".jpg", "image/jpeg"},
                                                                          {".gpkg", "application/geopackage+sqlite3"},
                                                                          {".geojson", "application/geo+json"},
                                                                          {".csv", "text/csv"},
                                                                          {".json", "application/json"}};
    const auto found = table.find(base::lower_ascii(file.extension().string()));
    return found == table.end() ? "application/octet-stream" : found->second;
}

std::string rfc3339(time_point t) {
    const auto since = std::chrono::floor<std::chrono::milliseconds>(t.time_since_epoch()).count();
    const auto ms = ((since % 1000) + 1000) % 1000;
    const auto seconds = static_cast<time_t>((since - ms) / 1000);
    struct tm utc {};
    ::gmtime_r(&seconds, &utc);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", utc.tm_year + 1900, utc.tm_mon + 1,
                  utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, static_cast<int>(ms));
    return text.data();
}

}  // namespace gdalmcp::workspace
