// minisign: detached Ed25519 signatures with a key id and a signed comment, by libcrypto.
//   const auto key = minisign::public_key::parse("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3");
//   const auto comment = minisign::verify(manifest, manifest_minisig, *key);
// Pure functions over the texts of the files; format: https://jedisct1.github.io/minisign/
#pragma once
#include <string>
#include <string_view>

#include "base/problem.hpp"

namespace gdalmcp::catalog::minisign {

struct public_key {
    std::string id;     // 8 bytes, as the file has them
    std::string point;  // 32 bytes

    // One line of base64, or a whole .pub file. Errors: invalid_argument.
    static base::result<public_key> parse(std::string_view text);
};

// "E7620F1842B4E81F": a key id as minisign prints it.
std::string shown(std::string_view id);

// The key id a signature names. Errors: invalid_argument if the text is not a signature.
base::result<std::string> signer_id(std::string_view signature);

// The trusted comment, when `signature` (the text of a .minisig file, of the prehashed kind "ED" or the older "Ed") is
// one of `bytes` by `key` and the comment is what was signed with it. Errors: quarantined, naming the mismatch of the
// three; invalid_argument if the text is not a signature.
base::result<std::string> verify(std::string_view bytes, std::string_view signature, const public_key& key);

// Whether the text of a secret key file requires a password. Errors: invalid_argument if it is not a secret key.
base::result<bool> is_encrypted(std::string_view secret_key);

// The text of a .minisig file, of the prehashed kind. `secret_key` is the text of a secret key file, encrypted or not;
// `password` is ignored for one that is not. Decrypting takes the time and memory the key was made for: about 2 s and 1
// GiB. Errors: invalid_argument (a broken file, a wrong password, a comment of more than one line).
base::result<std::string> sign(std::string_view bytes, std::string_view secret_key, std::string_view password,
                               std::string_view trusted_comment);

}  // namespace gdalmcp::catalog::minisign
