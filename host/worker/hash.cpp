#include "worker/hash.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include <cerrno>
#include <cstring>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/file_identity.hpp"
#include "runner/descriptor.hpp"

namespace gdalmcp::worker {

namespace fs = std::filesystem;
using base::fail;
using base::result;
namespace code = base::code;

namespace {

// A file changed within the current clock tick could change again without a new mtime.
bool is_settled(const struct stat& s) {
    constexpr std::int64_t tick_ns = 100'000'000;
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return (now.tv_sec - s.st_ctim.tv_sec) * std::int64_t{1'000'000'000} + now.tv_nsec - s.st_ctim.tv_nsec > tick_ns;
}

result<runner::hashed_file> hash_file(const fs::path& file, bool partly) {
    const auto failed = [&](const std::string& why) { return fail(code::io, "hashing " + file.string() + ": " + why); };
    const runner::descriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)};
    struct stat before {
    }, after{};
    if (!opened || ::fstat(opened.get(), &before) != 0) return failed(std::strerror(errno));
    if (!S_ISREG(before.st_mode)) return failed("it is not a regular file");
    const bool partial = partly && static_cast<std::uint64_t>(before.st_size) > 2 * base::partial_block;
    const bool settled = is_settled(before);
    const auto digest =
        partial ? base::partial_sha256_hex_of_descriptor(opened.get()) : base::sha256_hex_of_descriptor(opened.get());
    if (!digest) return failed(digest.error().message);
    if (::fstat(opened.get(), &after) != 0) return failed(std::strerror(errno));
    if (base::identity_of(after) != base::identity_of(before))
        return fail(code::io, file.string() + " changed while it was read",
                    "run the call again when nothing writes to it");
    return runner::hashed_file{base::to_string(base::identity_of(before)), settled,
                               static_cast<std::uint64_t>(before.st_size), *digest, partial};
}

}  // namespace

result<std::vector<runner::hashed_file>> hash_files(const std::vector<fs::path>& files, bool partly) {
    std::vector<runner::hashed_file> all;
    for (const auto& file : files) {
        auto one = hash_file(file, partly);
        if (!one) return tl::unexpected{std::move(one.error())};
        all.push_back(std::move(*one));
    }
    return all;
}

}  // namespace gdalmcp::worker
