#include "catalog/minisign.hpp"

#include "catch.hpp"

using namespace gdalmcp;
using namespace gdalmcp::catalog;
using Catch::Matchers::ContainsSubstring;

// Made by minisign 0.11 of Debian 12: `minisign -G -W`, `minisign -S -m message -t '…'`, `minisign -S -l …`.
namespace {

constexpr const char* message = "hello\n";
constexpr const char* key_line = "RWQf3ihPJ04cfi8S0/f1AgnqvrMbpTgym66ubq+e0yoMph6uGzoexz++";
constexpr const char* secret_key_file =
    "untrusted comment: minisign encrypted secret key\n"
    "RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAH94oTydOHH6iNuGtiu8I72D4LY4oEwUhpZr+jXnFV1"
    "2XevQ14/wT9S8S0/f1AgnqvrMbpTgym66ubq+e0yoMph6uGzoexz++AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n";
const std::string prehashed_signature =
    "untrusted comment: signature from minisign secret key\n"
    "RUQf3ihPJ04cfnk98RI11e+eMSJznq6h43mBMgOm4EVNeiv+hEMDsVZhiHwfejx++v7vuxSdLdUNaTZegt7wiNI6uQ9EzsBrTQ8=\n"
    "trusted comment: a trusted comment\n"
    "H4rziSSTM2/jVjjpIXdcNXKGudKCOxdt9C4tDZ8gEvPjbSaPGh4TO1niqVqYll5KE1RGwdUSk3vP8KcFoZkHCw==\n";
const std::string legacy_signature =
    "untrusted comment: signature from minisign secret key\n"
    "RWQf3ihPJ04cfpQF/Pj400HNdBj7xfWt+0XiIfDDidLZbwljCV2xR9yuKy+rsXc7HWGYrRRHufGcMQam3maP5qZGOS3j9W2H+wg=\n"
    "trusted comment: timestamp:1795315427\tfile:m.txt\n"
    "jPHMwXjz6EGXP6VXDnHIwOpr7EeSmfwa/uGffQOtKmWW1YBMKZVZohraikDb9SL4UwOmck/Xs5jI3Nlbvs9fAQ==\n";

minisign::public_key key() { return minisign::public_key::parse(key_line).value(); }

std::string with(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("a key is one line of base64 or a whole .pub file") {
    CHECK(minisign::shown(key().id) == "7E1C4E274F28DE1F");
    const auto file = std::string{"untrusted comment: minisign public key 7E1C4E274F28DE1F\r\n"} + key_line + "\r\n";
    const auto of_file = minisign::public_key::parse(file);
    REQUIRE(of_file);
    CHECK(of_file->id == key().id);
    CHECK(of_file->point == key().point);
}

TEST_CASE("an invalid key is refused with the reason") {
    const auto why = [](const std::string& text) { return minisign::public_key::parse(text).error().message; };
    CHECK_THAT(why(""), ContainsSubstring("0 lines"));
    CHECK_THAT(why(std::string{key_line} + "\n" + key_line), ContainsSubstring("2 lines"));
    CHECK_THAT(why("RWQf3ihPJ04c!i8S"), ContainsSubstring("not base64"));
    CHECK_THAT(why("RWQ="), ContainsSubstring("has 2 bytes; it must have 42"));
    CHECK_THAT(why(with(key_line, "RWQf", "RUQf")), ContainsSubstring("'Ed'"));
}

TEST_CASE("a signature by minisign verifies, of the hashed kind and of the older one") {
    CHECK(minisign::verify(message, prehashed_signature, key()).value() == "a trusted comment");
    CHECK(minisign::verify(message, legacy_signature, key()).value() == "timestamp:1795315427\tfile:m.txt");
}

TEST_CASE("changed bytes are distinguished from a changed comment") {
    for (const auto& signature : {prehashed_signature, legacy_signature}) {
        const auto bytes = minisign::verify("hello!\n", signature, key());
        REQUIRE_FALSE(bytes);
        CHECK(bytes.error().code == base::code::quarantined);
        CHECK_THAT(bytes.error().message, ContainsSubstring("its content is not what key 7E1C4E274F28DE1F signed"));
    }
    const auto comment = minisign::verify(message, with(prehashed_signature, "a trusted", "a changed"), key());
    REQUIRE_FALSE(comment);
    CHECK_THAT(comment.error().message, ContainsSubstring("trusted comment"));
    CHECK(minisign::verify(message, with(prehashed_signature, "from minisign", "by anybody"), key()));
}

TEST_CASE("a signature by another key names both") {
    // The public key of minisign itself, from its home page.
    const auto other = minisign::public_key::parse("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3");
    REQUIRE(other);
    const auto refused = minisign::verify(message, prehashed_signature, *other);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, ContainsSubstring("7E1C4E274F28DE1F") && ContainsSubstring("E7620F1842B4E81F"));
    auto impostor = *other;
    impostor.id = key().id;  // the right name on the wrong key
    CHECK_THAT(minisign::verify(message, prehashed_signature, impostor).error().message,
               ContainsSubstring("its content is not"));
}

TEST_CASE("a text that is not a signature is refused as such") {
    const auto why = [](const std::string& text) { return minisign::verify(message, text, key()).error(); };
    CHECK(why("").code == base::code::invalid_argument);
    CHECK_THAT(why(with(prehashed_signature, "trusted comment: a", "comment: a")).message,
               ContainsSubstring("four lines"));
    CHECK_THAT(why(with(prehashed_signature, "RUQf", "RU=f")).message,
               ContainsSubstring("line 2") && ContainsSubstring("not base64"));
    CHECK_THAT(why(with(prehashed_signature, "HCw==", "HCx==")).message,
               ContainsSubstring("line 4") && ContainsSubstring("not base64"));
    CHECK_THAT(why(with(prehashed_signature, "H4rz", "")).message, ContainsSubstring("has 61 bytes; it must have 64"));
    CHECK_THAT(why(with(prehashed_signature, "RUQf", "RVQf")).message, ContainsSubstring("not in minisign format"));
}

TEST_CASE("a signature made here verifies, comment included") {
    const auto made = minisign::sign(message, secret_key_file, "", "version 1.2.0");
    REQUIRE(made);
    CHECK(minisign::verify(message, *made, key()).value() == "version 1.2.0");
    CHECK_FALSE(minisign::sign(message, secret_key_file, "", "two\nlines"));
}

TEST_CASE("a secret key that is damaged signs nothing") {
    const auto refused = minisign::sign(message, with(secret_key_file, "iNuGtiu8", "iNuGtiv8"), "", "");
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, ContainsSubstring("halves"));
    CHECK_THAT(minisign::sign(message, key_line, "", "").error().message,
               ContainsSubstring("has 42 bytes; it must have 158"));
}
