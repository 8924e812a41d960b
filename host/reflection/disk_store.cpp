#include "reflection/disk_store.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <set>

#include "base/file.hpp"
#include "base/log.hpp"
#include "reflection/key.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;
namespace fs = std::filesystem;

constexpr std::size_t largest_record = 4u << 20;  // prompt_args may hold a detailed geometry
constexpr std::size_t most_records_in_memory = 4096;
constexpr std::int64_t settled_after_ns = 100'000'000;  // a folder changed this recently may change within one tick

std::int64_t nanoseconds(const timespec& t) { return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; }

std::int64_t now_ns() {
    timespec t{};
    ::clock_gettime(CLOCK_REALTIME, &t);
    return nanoseconds(t);
}

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
    explicit disk_store(fs::path root) : folder_{std::move(root) / "justifications"} {}

    findings find(std::string_view domain, std::string_view cache_key) override {
        const std::lock_guard lock{mutex_};
        return find_one(std::string{domain}, std::string{cache_key});
    }

    findings find_question(std::string_view domain, std::string_view question_hash) override {
        const std::lock_guard lock{mutex_};
        findings out;
        const std::string name{domain};
        if (!is_domain(name)) return out;
        reconcile(name);
        const auto [first, last] = index_[name].cache_keys.equal_range(question_hash);
        for (auto it = first; it != last; ++it) {
            auto one = find_one(name, it->second);
            for (auto& r : one.records)
                if (r->question_hash == question_hash) out.records.push_back(std::move(r));
            for (auto& w : one.warnings) out.warnings.push_back(std::move(w));
        }
        std::sort(out.records.begin(), out.records.end(),
                  [](const auto& a, const auto& b) { return a->timestamp > b->timestamp; });
        return out;
    }

    result<void> put(const record& r) override {
        const std::lock_guard lock{mutex_};
        if (!is_domain(r.domain) || !is_cache_key(r.cache_key))
            return fail(code::invalid_argument, "'" + r.domain + "' cannot name a domain's records");
        std::error_code ec;
        fs::create_directories(folder_ / r.domain, ec);
        if (ec)
            return fail(code::io, "cannot make " + (folder_ / r.domain).string() + ": " + ec.message(),
                        "make the folder writable, or name another workspace");
        if (auto ok = base::write_file_atomically(path_of(r.domain, r.cache_key), base::canonical_json(r.text) + "\n");
            !ok)
            return ok;
        reconcile(r.domain);
        return {};
    }

private:
    struct domain_index {
        std::map<std::string, std::string> questions;                     // cache key -> question hash
        std::multimap<std::string, std::string, std::less<>> cache_keys;  // the other way round
        std::int64_t folder_modified = -1;                                // as of the last look; -1 = look again
    };

    fs::path path_of(const std::string& domain, const std::string& cache_key) const {
        return folder_ / domain / (cache_key + ".json");
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
        out.records.push_back(std::make_shared<const record>(std::move(*r)));
        if (records_.size() > most_records_in_memory) {
            records_.clear();
            return out;
        }
        known = {state_of(s), out.records.front()};
        return out;
    }

    // Brings the index of one domain up to date with its folder; reads only records it has not seen.
    void reconcile(const std::string& domain) {
        load_index();
        auto& index = index_[domain];
        struct stat s {};
        if (::stat((folder_ / domain).c_str(), &s) != 0) {
            index = {};
            return;
        }
        const auto modified = nanoseconds(s.st_mtim);
        if (index.folder_modified == modified) return;
        const auto looked = now_ns();
        std::map<std::string, std::string> found;
        std::error_code ec;
        for (fs::directory_iterator it{folder_ / domain, ec}, end; !ec && it != end; it.increment(ec)) {
            if (it->path().extension() != ".json") continue;
            const auto cache_key = it->path().stem().string();
            if (!is_cache_key(cache_key)) continue;
            if (const auto seen = index.questions.find(cache_key); seen != index.questions.end()) {
                found.insert(*seen);
            } else if (auto one = find_one(domain, cache_key); !one.records.empty()) {
                found.emplace(cache_key, one.records.front()->question_hash);
            } else {
                for (const auto& w : one.warnings) base::log(base::log_level::warning, w);
            }
        }
        const bool changed = found != index.questions;
        index.questions = std::move(found);
        index.cache_keys.clear();
        for (const auto& [cache_key, question] : index.questions) index.cache_keys.emplace(question, cache_key);
        index.folder_modified = !ec && looked - modified > settled_after_ns ? modified : -1;
        if (changed) save_index();
    }

    void load_index() {
        if (std::exchange(index_loaded_, true)) return;
        const auto bytes = base::read_file(folder_ / "index.json", 256u << 20);
        if (!bytes) return;  // not there yet, or to be rebuilt
        const auto text = base::parse_json(*bytes);
        const auto* domains = text ? base::find_member(*text, "domains") : nullptr;
        if (!domains || !domains->is_object()) return;
        for (const auto& d : domains->get_object()) {
            if (!d.value().is_object() || !is_domain(d.key())) continue;
            for (const auto& m : d.value().get_object())
                if (is_cache_key(m.key()) && m.value().is_string())
                    index_[std::string{d.key()}].questions.emplace(m.key(), m.value().get_string());
        }
    }

    void save_index() const {
        json::object domains;
        for (const auto& [domain, index] : index_) {
            json::object questions;
            for (const auto& [cache_key, question] : index.questions) questions.emplace(cache_key, question);
            if (!questions.empty()) domains.emplace(domain, std::move(questions));
        }
        const json::object text{{"schema_version", 1}, {"domains", std::move(domains)}};
        if (const auto ok = base::write_file_atomically(folder_ / "index.json", base::write_json(text) + "\n"); !ok)
            base::log(base::log_level::debug, "the index of reasons was not saved: " + ok.error().message);
    }

    fs::path folder_;
    std::mutex mutex_;
    std::map<std::string, std::pair<file_state, std::shared_ptr<const record>>> records_;  // by path
    std::map<std::string, domain_index> index_;
    bool index_loaded_ = false;
};

}  // namespace

std::unique_ptr<store> open_disk_store(fs::path root) { return std::make_unique<disk_store>(std::move(root)); }

}  // namespace gdalmcp::reflection
