#include "base/digest.hpp"

#include <fstream>

#include "base/text.hpp"
#include "catch.hpp"

using namespace gdalmcp::base;

TEST_CASE("hmac_sha256 agrees with RFC 4231, test cases 1, 2 and 6") {
    const auto mac = [](const std::string& key, const char* text) { return base64url(hmac_sha256(key, text)); };
    // The hexadecimal digests of the RFC, in base64url.
    CHECK(mac(std::string(20, '\x0b'), "Hi There") == "sDRMYdjbOFNcqK_OrwvxK4gdwgDJgz2nJuk3bC4yz_c");
    CHECK(mac("Jefe", "what do ya want for nothing?") == "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM");
    CHECK(mac(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First") ==
          "YOQxWR7gtn8Niiaqy_W3f44LxiE3KMUUBUYEDw7jf1Q");
}

TEST_CASE("a comparison in constant time distinguishes equal from unequal texts") {
    CHECK(equal_in_constant_time("abc", "abc"));
    CHECK(equal_in_constant_time("", ""));
    CHECK_FALSE(equal_in_constant_time("abc", "abd"));
    CHECK_FALSE(equal_in_constant_time("abc", "bbc"));
    CHECK_FALSE(equal_in_constant_time("abc", "ab"));
    CHECK_FALSE(equal_in_constant_time("", "a"));
}

TEST_CASE("base64url agrees with RFC 4648, section 10, and goes both ways") {
    for (const auto& [bytes, text] : {std::pair<std::string, std::string>{"", ""},
                                      {"f", "Zg"},
                                      {"fo", "Zm8"},
                                      {"foo", "Zm9v"},
                                      {"foob", "Zm9vYg"},
                                      {"fooba", "Zm9vYmE"},
                                      {"foobar", "Zm9vYmFy"},
                                      {"\xff\xef\xbe", "_---"},
                                      {std::string(2, '\0'), "AAA"}}) {
        CHECK(base64url(bytes) == text);
        CHECK(from_base64url(text) == bytes);
    }
}

TEST_CASE("invalid base64url is refused: other letters, padding, a stray letter, stray bits") {
    for (const char* text :
         {"Zg==", "Zm9v\n", " Zm9v", "Zm+v", "Zm/v", "Zm9vY", "Z", "Zh", "Zm9=", "Zm9\xc3", "    "}) {
        INFO(text);
        CHECK_FALSE(from_base64url(text));
    }
}

TEST_CASE("a large file has the digest of its bytes, whatever the size of its last piece") {
    for (const std::size_t size : {std::size_t{16} << 20, (std::size_t{16} << 20) + 1, (std::size_t{17} << 20) - 1}) {
        std::string bytes(size, '\0');
        for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * i >> 7);
        const auto path = std::filesystem::temp_directory_path() / "gdalmcp_digest_of_large_file";
        std::ofstream{path, std::ios::binary} << bytes;
        CHECK(sha256_hex_of_file(path) == sha256_hex(bytes));
        std::filesystem::remove(path);
    }
}
