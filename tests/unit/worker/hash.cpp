#include "worker/hash.hpp"

#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/file_identity.hpp"
#include "catch.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp;
using worker::hash_files;

namespace {

struct folder {
    fs::path path;
    folder() {
        std::string pattern = (fs::temp_directory_path() / "hash-XXXXXX").string();
        path = ::mkdtemp(pattern.data());
    }
    ~folder() { fs::remove_all(path); }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;

    fs::path put(const char* name, const std::string& text) const {
        std::ofstream{path / name, std::ios::binary} << text;
        return path / name;
    }
};

constexpr std::size_t mib = 1u << 20;

struct stat state(const fs::path& p) {
    struct stat s {};
    REQUIRE(::stat(p.c_str(), &s) == 0);
    return s;
}

}  // namespace

TEST_CASE("files are hashed whole, in the order they were named") {
    const folder f;
    const auto a = f.put("a", "pixels"), b = f.put("b", std::string(3 * mib, 'x'));
    const auto all = hash_files({b, a}, false).value();
    REQUIRE(all.size() == 2);
    CHECK(all[0].sha256 == base::sha256_hex(std::string(3 * mib, 'x')));
    CHECK(all[1].sha256 == base::sha256_hex("pixels"));
    CHECK(all[1].size == 6);
    CHECK(all[1].state == base::to_string(base::identity_of(state(a))));
}

TEST_CASE("partly hashed, a large file has a digest of its size, time, beginning and end, under another name") {
    const folder f;
    const auto large = f.put("large", std::string(mib, 'a') + std::string(mib, 'b') + std::string(mib, 'c'));
    const auto small = f.put("small", std::string(2 * mib, 's'));
    const auto all = hash_files({large, small}, true).value();
    CHECK(all[0].partial);
    const auto s = state(large);
    const auto mtime = s.st_mtim.tv_sec * std::int64_t{1'000'000'000} + s.st_mtim.tv_nsec;
    CHECK(all[0].sha256 ==
          base::sha256_hex("3145728 " + std::to_string(mtime) + "\n" + std::string(mib, 'a') + std::string(mib, 'c')));
    CHECK(all[1].sha256 == base::sha256_hex(std::string(2 * mib, 's')));
}

TEST_CASE("a sparse file of terabytes takes no time") {
    const folder f;
    const auto sparse = f.put("sparse", "");
    fs::resize_file(sparse, std::uintmax_t{4} << 40);
    CHECK(hash_files({sparse}, true).value().at(0).partial);
}

TEST_CASE("a missing or irregular file is refused by name, without blocking") {
    const folder f;
    REQUIRE(::mkfifo((f.path / "pipe").c_str(), 0600) == 0);
    for (const char* name : {"absent", "pipe", "."})
        CHECK_THAT(hash_files({f.path / name}, false).error().message,
                   Catch::Matchers::ContainsSubstring((f.path / name).string()));
}
