#include "base/elf.hpp"

#include <unistd.h>

#include <fstream>

#include "catch.hpp"

using namespace gdalmcp::base;
namespace fs = std::filesystem;

namespace {
struct file {
    fs::path path;
    explicit file(const std::string& bytes) {
        std::string pattern = (fs::temp_directory_path() / "elf-XXXXXX").string();
        ::close(::mkstemp(pattern.data()));
        path = pattern;
        std::ofstream{path, std::ios::binary} << bytes;
    }
    ~file() { fs::remove(path); }
};
std::string bytes_of(const fs::path& p) {
    std::ifstream in{p, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}
}  // namespace

TEST_CASE("a program names the libraries it needs, without being run") {
    const auto worker = needed_libraries(fs::path{GDALMCP_WORKER});
    REQUIRE(worker);
    CHECK(libgdal_among(*worker).compare(0, 11, "libgdal.so.") == 0);
    const auto host = needed_libraries(fs::path{"/proc/self/exe"});
    REQUIRE(host);
    CHECK(std::find(host->begin(), host->end(), "libc.so.6") != host->end());
    CHECK(libgdal_among(*host).empty());
}

TEST_CASE("a library declares its SONAME, a program does not") {
    std::ifstream maps{"/proc/self/maps"};
    std::string line;
    while (std::getline(maps, line) && line.find("/libc.so.6") == std::string::npos) {}
    REQUIRE(maps);
    CHECK(soname_of(line.substr(line.find('/'))).value() == "libc.so.6");
    CHECK(soname_of(fs::path{"/proc/self/exe"}).value().empty());
    CHECK(soname_of(file{"not a library"}.path).error().code == code::unsupported);
}

TEST_CASE("a file that is not a shared object is refused with the reason") {
    CHECK(needed_libraries(fs::path{"/nonexistent.so"}).error().code == code::io);
    CHECK(needed_libraries(file{"not a library"}.path).error().message.find("it has no ELF header") !=
          std::string::npos);
}

TEST_CASE("a library cut off anywhere before its names is refused, not misread") {
    const auto whole = bytes_of("/proc/self/exe");
    for (const std::size_t size : {16u, 63u, 64u, 100u, 400u}) {
        const file cut{whole.substr(0, size)};
        CHECK(needed_libraries(cut.path).error().code == code::unsupported);
    }
}
