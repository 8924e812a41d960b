#include "workspace/provenance.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "workspace/file_system.hpp"
#include "workspace/sidecars.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t remembered = 4096;
constexpr std::int64_t settle_ns = 100'000'000;  // a file changed within the clock's tick could change again unseen

std::int64_t nanoseconds(const timespec& t) { return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec; }

auto identity_of(const struct stat& s) {
    return std::tuple{s.st_dev, s.st_ino, s.st_size, nanoseconds(s.st_mtim), nanoseconds(s.st_ctim)};
}

struct descriptor {
    explicit descriptor(int opened) : fd{opened} {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() {
        if (fd >= 0) ::close(fd);
    }
    int fd;
};

}  // namespace

base::result<std::string> fingerprints::sha256(const fs::path& file) {
    const auto failed = [&] {
        return tl::unexpected{file_system_problem(errno, "hashing " + file.string(), file.parent_path())};
    };
    const descriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    struct stat before {
    }, after{};
    if (opened.fd < 0 || ::fstat(opened.fd, &before) != 0) return failed();
    const auto as_found = identity_of(before);
    {
        const std::lock_guard lock{guard_};
        if (const auto found = known_.find(as_found); found != known_.end()) return found->second;
    }
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const bool settled = nanoseconds(now) - nanoseconds(before.st_ctim) > settle_ns;
    auto digest = base::sha256_hex_of_descriptor(opened.fd);
    if (!digest) return digest;
    if (::fstat(opened.fd, &after) != 0) return failed();
    if (identity_of(after) != as_found)
        return base::fail(base::code::io, file.string() + " changed while it was read",
                          "run the call again when nothing writes to it");
    if (settled) {
        const std::lock_guard lock{guard_};
        if (known_.size() >= remembered) known_.clear();
        known_.emplace(as_found, *digest);
    }
    return digest;
}

namespace {

base::result<json::object> file_record(const fs::path& file, fingerprints& known) {
    auto digest = known.sha256(file);
    if (!digest) return tl::unexpected{std::move(digest.error())};
    std::error_code ignored;
    return json::object{{"path", file.string()}, {"size", fs::file_size(file, ignored)}, {"sha256", *digest}};
}

// Of a dataset that is a folder: its size, and the digest of `sha256  path` lines of its files, as sha256sum writes
// them, in the order of their paths.
void sum_up(json::object& folder, const json::array& files) {
    std::uintmax_t size = 0;
    std::string lines;
    for (const auto& f : files) {
        size += f.at("size").to_number<std::uintmax_t>();
        lines +=
            std::string{base::string_member(f, "sha256")} + "  " + std::string{base::string_member(f, "path")} + "\n";
    }
    folder["size"] = size;
    folder["sha256"] = base::sha256_hex(lines);
}

base::result<json::array> input_records(const std::vector<source>& inputs, fingerprints& known) {
    json::array records;
    for (const auto& in : inputs) {
        std::error_code ec;
        const bool folder = fs::is_directory(in.path, ec);
        auto record =
            folder ? base::result<json::object>{json::object{{"path", in.path.string()}}} : file_record(in.path, known);
        if (!record) return tl::unexpected{std::move(record.error())};
        record->emplace("uri", in.uri);
        record->emplace("crs", in.crs);
        json::array sidecars;
        for (const auto& s : in.sidecars) {
            auto beside = file_record(s, known);
            if (!beside) return tl::unexpected{std::move(beside.error())};
            sidecars.push_back(std::move(*beside));
        }
        if (folder) sum_up(*record, sidecars);
        if (!sidecars.empty()) record->emplace(folder ? "files" : "sidecars", std::move(sidecars));
        // How the input itself came to be: the chain of reasons behind it.
        if (const auto own = provenance_path(in.path); fs::is_regular_file(own, ec)) {
            auto parent = file_record(own, known);
            if (!parent) return tl::unexpected{std::move(parent.error())};
            record->emplace("provenance", std::move(*parent));
        }
        records.push_back(std::move(*record));
    }
    return records;
}

}  // namespace

base::result<json::object> provenance_record(const provenance& p, fingerprints& known) {
    auto inputs = input_records(p.inputs, known);
    if (!inputs) return tl::unexpected{std::move(inputs.error())};
    return json::object{{"schema_version", 1},
                        {"tool", p.tool},
                        {"bundle", p.bundle},
                        {"arguments", p.arguments},
                        {"inputs", std::move(*inputs)},
                        {"decisions", p.decisions},
                        {"versions", p.versions},
                        {"equivalent_command", p.equivalent_command},
                        {"checks", p.checks},
                        {"times_ms", p.times_ms},
                        {"started", rfc3339(p.started)},
                        {"finished", rfc3339(p.finished)}};
}

base::result<void> write_provenance(const fs::path& file, const json::object& record) {
    const auto path = provenance_path(file);
    auto written = base::write_file_atomically(path, base::write_json(record) + "\n");
    if (!written)
        if (auto full = no_space_left(path.parent_path())) return tl::unexpected{std::move(*full)};
    return written;
}

}  // namespace gdalmcp::workspace
