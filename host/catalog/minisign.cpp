#include "catalog/minisign.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/text.hpp"

namespace gdalmcp::catalog::minisign {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

constexpr std::string_view prehashed = "ED", whole = "Ed";  // signature of the BLAKE2b-512 of the bytes, or of them
constexpr std::string_view untrusted_prefix = "untrusted comment: ", trusted_prefix = "trusted comment: ";
constexpr std::size_t id_size = 8, point_size = 32, signature_size = 64;

const unsigned char* bytes_of(std::string_view s) { return reinterpret_cast<const unsigned char*>(s.data()); }
unsigned char* bytes_of(std::string& s) { return reinterpret_cast<unsigned char*>(s.data()); }

struct key_release {
    void operator()(EVP_PKEY* k) const { EVP_PKEY_free(k); }
};
struct context_release {
    void operator()(EVP_MD_CTX* c) const { EVP_MD_CTX_free(c); }
};
using key_ptr = std::unique_ptr<EVP_PKEY, key_release>;
using context_ptr = std::unique_ptr<EVP_MD_CTX, context_release>;

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// Standard alphabet, padded, nothing around it; text that re-encodes differently is refused.
result<std::string> decode(std::string_view text, const char* what, std::size_t size) {
    std::string decoded(text.size() / 4 * 3, '\0');
    const int n = text.size() % 4 == 0 && !text.empty()
                      ? EVP_DecodeBlock(bytes_of(decoded), bytes_of(text), static_cast<int>(text.size()))
                      : -1;
    const auto padding = static_cast<std::size_t>(std::count(text.begin(), text.end(), '='));
    if (n < 0 || padding > 2) return fail(code::invalid_argument, std::string{what} + " is not base64");
    decoded.resize(static_cast<std::size_t>(n) - padding);
    if (base::base64(decoded) != text) return fail(code::invalid_argument, std::string{what} + " is not base64");
    if (decoded.size() != size)
        return fail(code::invalid_argument, std::string{what} + " has " + std::to_string(decoded.size()) +
                                                " bytes; it must have " + std::to_string(size));
    return decoded;
}

std::string blake2b_512(std::string_view bytes) {
    std::string digest(64, '\0');
    unsigned size = 0;
    EVP_Digest(bytes.data(), bytes.size(), bytes_of(digest), &size, EVP_blake2b512(), nullptr);
    return digest;
}

bool is_signed(std::string_view bytes, std::string_view signature, std::string_view point) {
    const key_ptr key{EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(point), point.size())};
    const context_ptr context{EVP_MD_CTX_new()};
    return key && context && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
           EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(bytes), bytes.size()) == 1;
}

result<std::string> signature_of(std::string_view bytes, EVP_PKEY* key) {
    std::string signature(signature_size, '\0');
    std::size_t size = signature.size();
    const context_ptr context{EVP_MD_CTX_new()};
    if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key) != 1 ||
        EVP_DigestSign(context.get(), bytes_of(signature), &size, bytes_of(bytes), bytes.size()) != 1)
        return fail(code::internal, "libcrypto cannot sign with Ed25519");
    return signature;
}

// Secret key files: sig_alg kdf_alg chk_alg salt opslimit memlimit | id seed point checksum.

constexpr std::size_t salt_at = 6, salt_size = 32, opslimit_at = 38, memlimit_at = 46, sealed_at = 54;
constexpr std::size_t sealed_size = id_size + 2 * point_size + 32;

// Erased on destruction.
struct secret {
    std::string bytes;
    ~secret() { OPENSSL_cleanse(bytes.data(), bytes.size()); }
};

std::uint64_t little_endian(std::string_view eight) {
    std::uint64_t v = 0;
    for (std::size_t i = 8; i-- > 0;) v = v << 8 | static_cast<unsigned char>(eight[i]);
    return v;
}

struct scrypt_cost {
    std::uint64_t n, r, p;
};

// The limits a key file names, as scrypt's parameters: pickparams() of libsodium's scryptsalsa208sha256.
scrypt_cost cost_of(std::uint64_t opslimit, std::uint64_t memlimit) {
    constexpr std::uint64_t r = 8;
    opslimit = std::max<std::uint64_t>(opslimit, 32768);
    const bool by_operations = opslimit < memlimit / 32;
    const auto most = by_operations ? opslimit / (r * 4) : memlimit / (r * 128);
    unsigned log2 = 1;
    while (log2 < 63 && (1ull << log2) <= most / 2) ++log2;
    const auto rp = std::min<std::uint64_t>(opslimit / 4 / (1ull << log2), 0x3fffffff);
    return {1ull << log2, r, by_operations ? 1 : rp / r};
}

result<void> decrypt(std::string_view file, std::string& sealed, std::string_view password) {
    constexpr std::uint64_t max_memory = 2ull << 30;  // minisign's own limit is 1 GiB
    const auto cost = cost_of(little_endian(file.substr(opslimit_at, 8)), little_endian(file.substr(memlimit_at, 8)));
    secret stream{std::string(sealed.size(), '\0')};
    if (EVP_PBE_scrypt(password.data(), password.size(), bytes_of(file.substr(salt_at)), salt_size, cost.n, cost.r,
                       cost.p, max_memory, bytes_of(stream.bytes), stream.bytes.size()) != 1)
        return fail(code::invalid_argument,
                    "the secret key cannot be decrypted: its scrypt parameters N " + std::to_string(cost.n) + ", r " +
                        std::to_string(cost.r) + ", p " + std::to_string(cost.p) + " are refused",
                    "are 2 GiB of memory free? Make the key again with minisign -G");
    std::transform(sealed.begin(), sealed.end(), stream.bytes.begin(), sealed.begin(),
                   [](char a, char b) { return static_cast<char>(a ^ b); });
    return {};
}

// The line of base64 after an optional comment line.
result<std::string_view> payload(std::string_view text, const char* what) {
    auto lines = lines_of(text);
    if (!lines.empty() && lines.front().substr(0, untrusted_prefix.size()) == untrusted_prefix)
        lines.erase(lines.begin());
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    if (lines.size() != 1)
        return fail(code::invalid_argument, std::string{what} + " has " + std::to_string(lines.size()) +
                                                " lines of base64; it must have one, below an untrusted comment");
    return lines.front();
}

result<void> known_algorithm(std::string_view file, std::string_view wanted, const char* what) {
    if (file.substr(0, 2) == wanted) return {};
    return fail(code::invalid_argument,
                std::string{what} + " is not in minisign format: it does not begin with '" + std::string{wanted} + "'");
}

struct signer {
    std::string id;
    key_ptr key;
};

struct secret_file {
    secret content;
    bool encrypted = false;
};

result<secret_file> read_secret_file(std::string_view text) {
    constexpr const char* what = "the secret key";
    const auto line = payload(text, what);
    if (!line) return tl::unexpected{line.error()};
    auto decoded = decode(*line, what, sealed_at + sealed_size);
    if (!decoded) return tl::unexpected{decoded.error()};
    secret_file file;
    file.content.bytes.swap(*decoded);
    if (auto ok = known_algorithm(file.content.bytes, whole, what); !ok) return tl::unexpected{ok.error()};
    const auto kdf = file.content.bytes.substr(2, 2);
    file.encrypted = kdf == "Sc";
    if (!file.encrypted && kdf != std::string(2, '\0'))
        return fail(code::unsupported, "the secret key is not encrypted with scrypt");
    return file;
}

result<signer> read_secret_key(std::string_view text, std::string_view password) {
    const auto read = read_secret_file(text);
    if (!read) return tl::unexpected{read.error()};
    const auto& [file, encrypted] = *read;
    secret sealed{file.bytes.substr(sealed_at)};
    if (encrypted)
        if (auto ok = decrypt(file.bytes, sealed.bytes, password); !ok) return tl::unexpected{ok.error()};
    // The file's own checksum is BLAKE2b-256, which OpenSSL 3.0 does not have, and zero in files without a password.
    // Checking that the public half belongs to the seed replaces both.
    const auto* seed = bytes_of(sealed.bytes) + id_size;
    signer s{sealed.bytes.substr(0, id_size),
             key_ptr{EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed, point_size)}};
    std::array<unsigned char, point_size> point{};
    std::size_t size = point.size();
    if (!s.key || EVP_PKEY_get_raw_public_key(s.key.get(), point.data(), &size) != 1)
        return fail(code::internal, "libcrypto has no Ed25519");
    if (!std::equal(point.begin(), point.end(), seed + point_size))
        return encrypted ? fail(code::invalid_argument, "the password does not decrypt the secret key", "try again")
                         : fail(code::invalid_argument, "the secret key is damaged: its two halves do not match",
                                "restore the file, or make a new key with minisign -G");
    return s;
}

struct signature_parts {
    std::string algorithm, id, own, global, comment;
};

result<signature_parts> read_signature(std::string_view text) {
    const auto lines = lines_of(text);
    if (lines.size() < 4 || lines[0].substr(0, untrusted_prefix.size()) != untrusted_prefix ||
        lines[2].substr(0, trusted_prefix.size()) != trusted_prefix)
        return fail(
            code::invalid_argument,
            "the signature is not in minisign format: four lines, the first an untrusted, the third a trusted comment",
            "sign again");
    const auto first = decode(lines[1], "the signature, line 2,", 2 + id_size + signature_size);
    if (!first) return tl::unexpected{first.error()};
    auto global = decode(lines[3], "the signature of the comment, line 4,", signature_size);
    if (!global) return tl::unexpected{global.error()};
    if (first->substr(0, 2) != prehashed)
        if (auto ok = known_algorithm(*first, whole, "the signature"); !ok) return tl::unexpected{ok.error()};
    return signature_parts{first->substr(0, 2), first->substr(2, id_size), first->substr(2 + id_size),
                           std::move(*global), std::string{lines[2].substr(trusted_prefix.size())}};
}

}  // namespace

result<bool> is_encrypted(std::string_view secret_key) {
    const auto read = read_secret_file(secret_key);
    if (!read) return tl::unexpected{read.error()};
    return read->encrypted;
}

std::string shown(std::string_view id) {
    constexpr char digits[] = "0123456789ABCDEF";
    std::string text;
    for (auto c = id.rbegin(); c != id.rend(); ++c) {
        text += digits[static_cast<unsigned char>(*c) >> 4];
        text += digits[static_cast<unsigned char>(*c) & 15];
    }
    return text;
}

result<public_key> public_key::parse(std::string_view text) {
    constexpr const char* what = "the public key";
    const auto line = payload(text, what);
    if (!line) return tl::unexpected{line.error()};
    const auto file = decode(*line, what, 2 + id_size + point_size);
    if (!file) return tl::unexpected{file.error()};
    if (auto ok = known_algorithm(*file, whole, what); !ok) return tl::unexpected{ok.error()};
    return public_key{file->substr(2, id_size), file->substr(2 + id_size)};
}

result<std::string> signer_id(std::string_view signature) {
    const auto parts = read_signature(signature);
    if (!parts) return tl::unexpected{parts.error()};
    return parts->id;
}

result<std::string> verify(std::string_view bytes, std::string_view signature, const public_key& key) {
    const auto parts = read_signature(signature);
    if (!parts) return tl::unexpected{parts.error()};
    const auto& [algorithm, id, own, global, comment] = *parts;
    if (id != key.id)
        return fail(code::quarantined, "it was signed with key " + shown(id) + ", not with key " + shown(key.id),
                    "add the key to the trusted ones if you trust its owner");
    if (!is_signed(algorithm == prehashed ? blake2b_512(bytes) : std::string{bytes}, own, key.point))
        return fail(code::quarantined, "its content is not what key " + shown(id) + " signed",
                    "it was changed after it was signed; get it again, or sign it again");
    if (!is_signed(own + comment, global, key.point))
        return fail(code::quarantined, "the trusted comment is not what key " + shown(id) + " signed",
                    "the signature was changed; get it again, or sign again");
    return comment;
}

result<std::string> sign(std::string_view bytes, std::string_view secret_key, std::string_view password,
                         std::string_view trusted_comment) {
    if (trusted_comment.find_first_of("\r\n") != std::string_view::npos)
        return fail(code::invalid_argument, "the trusted comment has more than one line", "write one line");
    const auto by = read_secret_key(secret_key, password);
    if (!by) return tl::unexpected{by.error()};
    const auto own = signature_of(blake2b_512(bytes), by->key.get());
    if (!own) return own;
    const auto global = signature_of(*own + std::string{trusted_comment}, by->key.get());
    if (!global) return global;
    return std::string{untrusted_prefix} + "signature by key " + shown(by->id) + "\n" +
           base::base64(std::string{prehashed} + by->id + *own) + "\n" + std::string{trusted_prefix} +
           std::string{trusted_comment} + "\n" + base::base64(*global) + "\n";
}

}  // namespace gdalmcp::catalog::minisign
