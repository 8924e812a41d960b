#include "reflection/disk_store.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <set>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/locked_file.hpp"
#include "base/log.hpp"
#include "reflection/key.hpp"
#include "reflection/question_index.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;
namespace fs = std::filesystem;

constexpr std::size_t largest_record = 4u << 20;  // prompt_args may hold a detailed geometry
constexpr std::size_t most_records_in_memory = 4096;

std::int64_t nanoseconds(const timespec& t) { return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; }

// Any edit of a file changes at least one of these.
struct file_state {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t modified = 0, changed = 0;
    auto operator<=>(const file_state&) const = default;
};

file_state state_of(const struct stat& s) {
    return {s.st_dev, s.st_ino, static_cast<std::uint64_t>(s.st_size), nanoseconds(s.st_mtim), nanoseconds(s.st_ctim)};
}

bool is_domain(std::string_view s) {
    return !s.empty() && s.size() <= 64 && s.front() >= 'a' && s.front() <= 'z' &&
           s.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

class disk_store final : public store {
public:
    disk_store(fs::path folder, std::string library)
        : folder_{std::move(folder)}, library_{std::move(library)}, index_{folder_, library_.empty()} {}

    findings find(std::string_view domain, std::string_view cache_key) override {
        const std::lock_guard lock{mutex_};
        return find_one(std::string{domain}, std::string{cache_key});
    }

    findings find_question(std::string_view domain, std::string_view question_hash) override {
        const std::lock_guard lock{mutex_};
        findings out;
        const std::string name{domain};
        if (!is_domain(name)) return out;
        const auto read = [&](const std::string& cache_key) {
            const auto one = find_one(name, cache_key);
            for (const auto& w : one.warnings)
                if (told_.insert(w).second) base::log(base::log_level::warning, w);
            return one.records.empty() ? std::string{} : one.records.front()->question_hash;
        };
        for (const auto& cache_key : index_.cache_keys(name, question_hash, read)) {
            auto one = find_one(name, cache_key);
            for (auto& r : one.records)
                if (r->question_hash == question_hash) out.records.push_back(std::move(r));
            for (auto& w : one.warnings) out.warnings.push_back(std::move(w));
        }
        sort_newest_first(out.records);
        return out;
    }

    std::vector<std::string> domains() override {
        std::vector<std::string> names;
        std::error_code ec;
        for (fs::directory_iterator it{folder_, ec}, end; !ec && it != end; it.increment(ec))
            if (const auto name = it->path().filename().string(); is_domain(name) && it->is_directory(ec))
                names.push_back(name);
        std::sort(names.begin(), names.end());
        return names;
    }

    findings list(std::string_view domain) override {
        const std::lock_guard lock{mutex_};
        findings out;
        const std::string name{domain};
        if (!is_domain(name)) return out;
        for (const auto& cache_key : record_names(folder_ / name)) {
            auto one = find_one(name, cache_key);
            for (auto& r : one.records) out.records.push_back(std::move(r));
            for (auto& w : one.warnings) out.warnings.push_back(std::move(w));
        }
        sort_newest_first(out.records);
        return out;
    }

    result<void> put(const record& r) override {
        const std::lock_guard lock{mutex_};
        if (!is_domain(r.domain) || !is_cache_key(r.cache_key))
            return fail(code::invalid_argument, "'" + r.domain + "' cannot name a domain's records");
        if (auto ok = make_folder(folder_ / r.domain); !ok) return ok;
        const auto alone = lock_folder();
        if (!alone) return tl::unexpected{alone.error()};
        const auto path = path_of(r.domain, r.cache_key);
        if (auto ok = keep_copy(path, r); !ok) return ok;
        return base::write_file_atomically(path, base::canonical_json(r.text) + "\n");
    }

    result<void> revoke(std::string_view domain, std::string_view cache_key) override {
        return withdraw(domain, cache_key, [&](const fs::path& path) -> result<void> {
            const auto bytes = base::read_file(path, largest_record);
            if (!bytes) return tl::unexpected{bytes.error()};
            const auto aside = path.parent_path() / "revoked";
            if (auto ok = make_folder(aside); !ok) return ok;
            if (::rename(path.c_str(), (aside / kept_name(*bytes, domain, cache_key)).c_str()) != 0)
                return fail(code::io, "cannot move " + path.string() + ": " + std::strerror(errno));
            return {};
        });
    }

    result<void> erase(std::string_view domain, std::string_view cache_key) override {
        return withdraw(domain, cache_key, [](const fs::path& path) -> result<void> {
            if (::unlink(path.c_str()) != 0)
                return fail(code::io, "cannot remove " + path.string() + ": " + std::strerror(errno));
            return {};
        });
    }

private:
    fs::path path_of(const std::string& domain, const std::string& cache_key) const {
        return folder_ / domain / (cache_key + ".json");
    }

    static result<void> make_folder(const fs::path& p) {
        std::error_code ec;
        fs::create_directories(p, ec);
        if (!ec) return {};
        return fail(code::io, "cannot make " + p.string() + ": " + ec.message(),
                    "make the folder writable, or name another workspace");
    }

    // Two that replace one record at the same time would each keep the first and lose one of the two.
    result<base::locked_file> lock_folder() const { return base::locked_file::open(folder_ / ".lock"); }

    // sha256:<digest>.json, the digest a record carries; of what is no record, the digest of its bytes.
    static std::string kept_name(std::string_view bytes, std::string_view domain, std::string_view cache_key) {
        const auto r = read_record(bytes, domain, cache_key);
        return (r ? std::string{base::string_member(r->text, "digest")} : "sha256:" + base::sha256_hex(bytes)) +
               ".json";
    }

    // What `r` is about to replace, into earlier/. A copy, so that a crash leaves the old record in its place.
    static result<void> keep_copy(const fs::path& path, const record& r) {
        const auto bytes = base::read_file(path, largest_record);
        if (!bytes) {
            if (bytes.error().code == code::not_found) return {};
            return tl::unexpected{bytes.error()};
        }
        const auto name = kept_name(*bytes, r.domain, r.cache_key);
        if (name == std::string{base::string_member(r.text, "digest")} + ".json") return {};
        const auto earlier = path.parent_path() / "earlier";
        if (auto ok = make_folder(earlier); !ok) return ok;
        return base::write_file_atomically(earlier / name, *bytes);
    }

    template <class Do>
    result<void> withdraw(std::string_view domain, std::string_view cache_key, Do how) {
        const std::lock_guard lock{mutex_};
        const std::string name{domain}, key{cache_key};
        struct stat s {};
        if (!is_domain(name) || !is_cache_key(key) || ::lstat(path_of(name, key).c_str(), &s) != 0)
            return fail(code::not_found, "there is no record justification://" + name + "/" + key);
        const auto alone = lock_folder();
        if (!alone) return tl::unexpected{alone.error()};
        return how(path_of(name, key));
    }

    findings find_one(const std::string& domain, const std::string& cache_key) {
        findings out;
        if (!is_domain(domain) || !is_cache_key(cache_key)) return out;
        const auto path = path_of(domain, cache_key);
        const auto doubt = [&](const std::string& why) {
            out.warnings.push_back("justification://" + domain + "/" + cache_key + " is ignored: " + why);
        };
        struct stat s {};
        if (::stat(path.c_str(), &s) != 0) {
            if (errno != ENOENT && errno != ENOTDIR) doubt(std::strerror(errno));
            return out;
        }
        auto& known = records_[path.string()];
        if (known.second && known.first == state_of(s)) {
            out.records.push_back(known.second);
            return out;
        }
        known.second = nullptr;
        const auto bytes = base::read_file(path, largest_record);
        if (!bytes) {
            doubt(bytes.error().message);
            return out;
        }
        auto r = read_record(*bytes, domain, cache_key);
        if (!r) {
            doubt(r.error().message);
            return out;
        }
        out.records.push_back(std::make_shared<const found_record>(found_record{std::move(*r), library_}));
        if (records_.size() > most_records_in_memory) {
            records_.clear();
            return out;
        }
        known = {state_of(s), out.records.front()};
        return out;
    }

    const fs::path folder_;
    const std::string library_;  // empty: not one
    std::mutex mutex_;
    std::map<std::string, std::pair<file_state, std::shared_ptr<const found_record>>> records_;  // by path
    std::set<std::string> told_;  // warnings that are in the log already
    question_index index_;
};

}  // namespace

void sort_newest_first(std::vector<std::shared_ptr<const found_record>>& records) {
    std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) {
        return std::tie(b->timestamp, a->cache_key) < std::tie(a->timestamp, b->cache_key);
    });
}

std::unique_ptr<store> open_disk_store(const fs::path& root) {
    return std::make_unique<disk_store>(root / "justifications", "");
}

result<std::unique_ptr<store>> open_library(const fs::path& folder) {
    std::error_code ec;
    const auto inner = folder / "justifications";
    const auto records = fs::is_directory(inner, ec) ? inner : folder;
    if (const fs::directory_iterator readable{records, ec}; ec)
        return fail(code::io, "the library of reasons " + folder.string() + " cannot be read: " + ec.message(),
                    "name a folder with <domain>/sha256:<hex>.json in it, or in its folder justifications");
    return std::make_unique<disk_store>(records, folder.string());
}

}  // namespace gdalmcp::reflection
