#include "reflection/disk_store.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <map>
#include <mutex>
#include <set>

#include "base/digest.hpp"
#include "base/file_identity.hpp"
#include "base/log.hpp"
#include "base/own_folder.hpp"
#include "reflection/key.hpp"
#include "reflection/question_index.hpp"
#include "reflection/timestamp.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;
namespace fs = std::filesystem;

constexpr std::size_t max_record = 4u << 20;  // prompt_args may hold a detailed geometry
constexpr std::size_t max_records_in_memory = 4096;

bool is_domain(std::string_view s) {
    return !s.empty() && s.size() <= 64 && s.front() >= 'a' && s.front() <= 'z' &&
           s.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

std::string time_of(const timespec& t) {
    return timestamp_of(std::chrono::system_clock::time_point{std::chrono::nanoseconds{base::nanoseconds(t)}});
}

class disk_store final : public store {
public:
    disk_store(base::own_folder folder, std::string library)
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

    findings replaced(std::string_view domain, std::string_view cache_key) override {
        const std::lock_guard lock{mutex_};
        findings out;
        const std::string name{domain};
        if (!is_domain(name) || !is_cache_key(std::string{cache_key})) return out;
        for (const char* aside : {"earlier", "revoked"}) {
            const auto folder = folder_ / name / aside;
            struct stat s {};
            for (const auto& file : folder.names())
                if (const auto bytes = folder.read(file, max_record))
                    if (auto r = read_record(*bytes, domain, cache_key))
                        out.records.push_back(std::make_shared<const found_record>(found_record{
                            std::move(*r), library_,
                            aside == std::string_view{"revoked"} && folder.look(file, s) ? time_of(s.st_mtim) : ""}));
        }
        sort_newest_first(out.records);
        return out;
    }

    std::vector<std::string> domains() override {
        std::vector<std::string> names;
        struct stat s {};
        for (auto& name : folder_.names())
            if (is_domain(name) && folder_.look(name, s) && S_ISDIR(s.st_mode)) names.push_back(std::move(name));
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
        const auto folder = folder_ / r.domain;
        if (auto ok = folder.make(); !ok) return ok;
        const auto alone = folder_.lock(lock_name);
        if (!alone) return tl::unexpected{alone.error()};
        if (auto ok = keep_copy(folder, r); !ok) return ok;
        return folder.write(file_of(r.cache_key), base::canonical_json(r.text) + "\n");
    }

    result<void> revoke(std::string_view domain, std::string_view cache_key) override {
        return withdraw(domain, cache_key,
                        [&](const base::own_folder& folder, const std::string& file) -> result<void> {
                            const auto bytes = folder.read(file, max_record);
                            if (!bytes) return tl::unexpected{bytes.error()};
                            // Not renamed: the copy's time is that of the revocation.
                            const auto name = kept_name(*bytes, domain, cache_key);
                            if (auto ok = (folder / "revoked").write(name, *bytes); !ok) return ok;
                            return folder.remove(file);
                        });
    }

    std::optional<revocation> revoked(std::string_view cache_key) override {
        std::optional<revocation> latest;
        for (const auto& domain : domains()) {
            const std::lock_guard lock{mutex_};
            if (!find_one(domain, std::string{cache_key}).records.empty()) return std::nullopt;
            const auto& known = revocations_in(domain);
            const auto found = known.find(cache_key);
            if (found != known.end() && (!latest || latest->timestamp < found->second))
                latest = {"justification://" + domain + "/" + std::string{cache_key}, found->second};
        }
        return latest;
    }

    result<void> erase(std::string_view domain, std::string_view cache_key) override {
        return withdraw(domain, cache_key,
                        [](const base::own_folder& folder, const std::string& file) { return folder.remove(file); });
    }

private:
    // Without the lock, two simultaneous replacements would each keep the first record and lose one new one.
    static constexpr const char* lock_name = ".lock";

    static std::string file_of(const std::string& cache_key) { return cache_key + ".json"; }

    // sha256:<digest>.json, by the record's own digest; for an invalid record, the digest of its bytes.
    static std::string kept_name(std::string_view bytes, std::string_view domain, std::string_view cache_key) {
        const auto r = read_record(bytes, domain, cache_key);
        return (r ? std::string{base::string_member(r->text, "digest")} : "sha256:" + base::sha256_hex(bytes)) +
               ".json";
    }

    // Copies the record that `r` replaces into earlier/, so that a crash leaves the old one in place. A link or a
    // folder in its place is moved there: it must not prevent storing the answer.
    static result<void> keep_copy(const base::own_folder& folder, const record& r) {
        const auto file = file_of(r.cache_key);
        const auto earlier = folder / "earlier";
        struct stat s {};
        if (!folder.look(file, s)) return {};
        if (!S_ISREG(s.st_mode)) {
            timespec now{};
            ::clock_gettime(CLOCK_REALTIME, &now);
            const auto aside = file + "." + std::to_string(base::nanoseconds(now));
            base::log(base::log_level::warning, (folder.path() / file).string() +
                                                    " is not a regular file; it is moved to " +
                                                    (earlier.path() / aside).string());
            return earlier.take(folder, file, aside);
        }
        const auto bytes = folder.read(file, max_record);
        if (!bytes) return tl::unexpected{bytes.error()};
        const auto name = kept_name(*bytes, r.domain, r.cache_key);
        if (name == std::string{base::string_member(r.text, "digest")} + ".json") return {};
        return earlier.write(name, *bytes);
    }

    template <class Do>
    result<void> withdraw(std::string_view domain, std::string_view cache_key, Do how) {
        const std::lock_guard lock{mutex_};
        const std::string name{domain}, key{cache_key};
        struct stat s {};
        if (!is_domain(name) || !is_cache_key(key) || !(folder_ / name).look(file_of(key), s))
            return fail(code::not_found, "there is no record justification://" + name + "/" + key);
        const auto alone = folder_.lock(lock_name);
        if (!alone) return tl::unexpected{alone.error()};
        return how(folder_ / name, file_of(key));
    }

    using revocations = std::map<std::string, std::string, std::less<>>;  // cache key -> the latest one's time

    // Read again when the folder changes.
    const revocations& revocations_in(const std::string& domain) {
        const auto folder = folder_ / domain / "revoked";
        auto& [as_of, known] = revoked_[domain];
        struct stat s {};
        if (!folder.look(s) || base::identity_of(s) == as_of) return known;
        as_of = base::identity_of(s);
        known.clear();
        for (const auto& name : folder.names()) {
            if (!folder.look(name, s) || !S_ISREG(s.st_mode)) continue;
            const auto text = folder.read(name, max_record).and_then([](const std::string& bytes) {
                return base::parse_json(bytes);
            });
            if (!text) continue;
            auto& latest = known[std::string{base::string_member(*text, "cache_key")}];
            latest = std::max(latest, time_of(s.st_mtim));
        }
        return known;
    }

    findings find_one(const std::string& domain, const std::string& cache_key) {
        findings out;
        if (!is_domain(domain) || !is_cache_key(cache_key)) return out;
        const auto folder = folder_ / domain;
        const auto file = file_of(cache_key);
        const auto doubt = [&](const std::string& why) {
            out.warnings.push_back("justification://" + domain + "/" + cache_key + " is ignored: " + why);
        };
        struct stat s {};
        if (!folder.look(file, s)) {
            if (errno != ENOENT && errno != ENOTDIR) doubt(base::reason_not_opened(errno));
            return out;
        }
        if (!S_ISREG(s.st_mode)) {
            doubt((folder.path() / file).string() + " is not a regular file");
            return out;
        }
        auto& known = records_[domain + "/" + cache_key];
        if (known.second && known.first == base::identity_of(s)) {
            out.records.push_back(known.second);
            return out;
        }
        known.second = nullptr;
        const auto bytes = folder.read(file, max_record);
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
        if (records_.size() > max_records_in_memory) {
            records_.clear();
            return out;
        }
        known = {base::identity_of(s), out.records.front()};
        return out;
    }

    const base::own_folder folder_;
    const std::string library_;  // empty: not one
    std::mutex mutex_;
    std::map<std::string, std::pair<base::file_identity, std::shared_ptr<const found_record>>> records_;  // by name
    std::map<std::string, std::pair<base::file_identity, revocations>> revoked_;                          // by domain
    std::set<std::string> told_;  // warnings already logged
    question_index index_;
};

}  // namespace

void sort_newest_first(std::vector<std::shared_ptr<const found_record>>& records) {
    // A confirmed reason keeps the time it was given.
    const auto confirmed = [](const found_record& r) {
        const auto* again = r.text.if_contains("revisits");
        return again && again->is_array() ? again->get_array().size() : 0;
    };
    std::sort(records.begin(), records.end(), [&](const auto& a, const auto& b) {
        const auto times = confirmed(*a), others = confirmed(*b);
        return std::tie(b->timestamp, others, a->cache_key) < std::tie(a->timestamp, times, b->cache_key);
    });
}

std::unique_ptr<store> open_disk_store(const fs::path& root) {
    return std::make_unique<disk_store>(base::own_folder{root.parent_path(), root.filename() / "justifications"}, "");
}

result<std::unique_ptr<store>> open_library(const fs::path& folder) {
    std::error_code ec;
    const auto inner = folder / "justifications";
    const auto records = fs::is_directory(inner, ec) ? inner : folder;
    if (const fs::directory_iterator readable{records, ec}; ec)
        return fail(code::io, "the library of reasons " + folder.string() + " cannot be read: " + ec.message(),
                    "name a folder with <domain>/sha256:<hex>.json in it, or in its folder justifications");
    return std::make_unique<disk_store>(base::own_folder{records, {}}, folder.string());
}

}  // namespace gdalmcp::reflection
