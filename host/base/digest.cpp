#include "base/digest.hpp"
#include "base/file_identity.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <semaphore>
#include <system_error>
#include <thread>
#include <vector>

namespace gdalmcp::base {
namespace {

class sha256 {
public:
    sha256() : context_{EVP_MD_CTX_new(), &EVP_MD_CTX_free} {
        // EVP_sha256() would look the algorithm up each time, which costs more than to hash a small file.
        static EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
        EVP_DigestInit_ex(context_.get(), algorithm, nullptr);
    }
    void add(const void* bytes, std::size_t size) { EVP_DigestUpdate(context_.get(), bytes, size); }
    std::string hex() {
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
        unsigned size = 0;
        EVP_DigestFinal_ex(context_.get(), digest.data(), &size);
        constexpr const char* digits = "0123456789abcdef";
        std::string out;
        for (unsigned i = 0; i < size; ++i) {
            out += digits[digest[i] >> 4];
            out += digits[digest[i] & 0xf];
        }
        return out;
    }

private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256_hex(std::string_view bytes) {
    sha256 s;
    s.add(bytes.data(), bytes.size());
    return s.hex();
}

namespace {

// 0: the end of the file.
result<std::size_t> read_at(int fd, char* to, std::size_t most, off_t from) {
    ssize_t n = 0;
    do n = ::pread(fd, to, most, from);
    while (n < 0 && errno == EINTR);
    if (n < 0) return fail(code::io, std::string{"reading failed: "} + std::strerror(errno));
    return static_cast<std::size_t>(n);
}

// The bytes [from, to), or those up to the end of the file.
result<void> add_bytes(sha256& s, int fd, off_t from, off_t to) {
    std::vector<char> block(1 << 18);
    while (from < to) {
        const auto n = read_at(fd, block.data(), std::min<std::size_t>(to - from, block.size()), from);
        if (!n) return tl::unexpected{n.error()};
        if (*n == 0) break;
        s.add(block.data(), *n);
        from += static_cast<off_t>(*n);
    }
    return {};
}

// All bytes of a file, read by one thread while this one digests what it has read: copying them from the kernel takes
// as long as digesting them.
result<void> add_all(sha256& s, int fd) {
    constexpr std::size_t pieces = 4, size = 1 << 18;
    std::array<std::vector<char>, pieces> ring;
    for (auto& piece : ring) piece.resize(size);
    std::array<result<std::size_t>, pieces> read;
    std::counting_semaphore<pieces> empty{pieces}, full{0};
    const auto fill_ring = [&] {
        off_t from = 0;
        for (std::size_t i = 0;; ++i) {
            empty.acquire();
            auto& n = read[i % pieces] = read_at(fd, ring[i % pieces].data(), size, from);
            const bool last = !n || *n == 0;
            if (!last) from += static_cast<off_t>(*n);
            full.release();
            if (last) return;
        }
    };
    std::optional<std::jthread> reader;
    try {
        reader.emplace(fill_ring);
    } catch (const std::system_error&) {  // there is no memory for one
        return add_bytes(s, fd, 0, std::numeric_limits<off_t>::max());
    }
    for (std::size_t i = 0;; ++i) {
        full.acquire();
        const auto& n = read[i % pieces];
        if (!n) return tl::unexpected{n.error()};
        if (*n == 0) return {};
        s.add(ring[i % pieces].data(), *n);
        empty.release();
    }
}

}  // namespace

result<std::string> sha256_hex_of_descriptor(int fd) {
    sha256 s;
    if (auto ok = add_bytes(s, fd, 0, std::numeric_limits<off_t>::max()); !ok) return tl::unexpected{ok.error()};
    return s.hex();
}

result<std::string> partial_sha256_hex_of_descriptor(int fd) {
    struct stat found {};
    if (::fstat(fd, &found) != 0) return fail(code::io, std::string{"reading failed: "} + std::strerror(errno));
    const auto head = std::to_string(found.st_size) + " " + std::to_string(nanoseconds(found.st_mtim)) + "\n";
    constexpr off_t block = partial_block;
    sha256 s;
    s.add(head.data(), head.size());
    if (auto ok = add_bytes(s, fd, 0, block); !ok) return tl::unexpected{ok.error()};
    if (auto ok = add_bytes(s, fd, std::max<off_t>(block, found.st_size - block), found.st_size); !ok)
        return tl::unexpected{ok.error()};
    return s.hex();
}

result<std::string> sha256_hex_of_file(const std::filesystem::path& p) {
    constexpr off_t many = off_t{16} << 20;  // from which on a second thread pays
    const int fd = ::open(p.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail(code::io, "cannot read " + p.string() + ": " + std::strerror(errno));
    struct stat found {};
    sha256 s;
    const auto ok = ::fstat(fd, &found) == 0 && found.st_size >= many
                        ? add_all(s, fd)
                        : add_bytes(s, fd, 0, std::numeric_limits<off_t>::max());
    ::close(fd);
    if (!ok) return fail(code::io, p.string() + ": " + ok.error().message);
    return s.hex();
}

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
    unsigned size = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(bytes.data()),
         bytes.size(), mac.data(), &size);
    return {mac.begin(), mac.begin() + size};
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace gdalmcp::base
