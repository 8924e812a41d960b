// What happens when a file system is full, on a small tmpfs of our own.
#include <sched.h>
#include <sys/mount.h>

#include <cstring>
#include <fstream>

#include "catch.hpp"
#include "temporary.hpp"
#include "workspace/file_system.hpp"
#include "workspace/provenance.hpp"
#include "workspace/stage.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp;
using namespace gdalmcp::workspace;
using Catch::Matchers::ContainsSubstring;
namespace code = base::code;

namespace {

// A tmpfs of 1 MiB, seen by this process only; empty path where mounting is not allowed.
class small_disk {
public:
    small_disk() {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("tmpfs", t.path.c_str(), "tmpfs", 0, "size=1m") != 0)
            WARN("skipped: a small file system cannot be mounted here (" << std::strerror(errno) << ")");
        else
            path = t.path;
    }
    ~small_disk() {
        if (!path.empty()) ::umount2(path.c_str(), MNT_DETACH);
    }
    void fill() const {
        std::ofstream out{path / "filler", std::ios::binary};
        const std::string page(4096, 'x');
        while (out.write(page.data(), static_cast<std::streamsize>(page.size())).flush()) {}
    }
    temporary t;
    fs::path path;
};

}  // namespace

TEST_CASE("on a full disk no stage is begun, and the file system is named") {
    const small_disk disk;
    if (disk.path.empty()) return;
    disk.fill();
    stages all;
    const auto s = all.beside(disk.path / "out.tif", false);
    REQUIRE_FALSE(s);
    CHECK(s.error().code == code::exhausted);
    CHECK_THAT(s.error().message, ContainsSubstring("the file system at " + disk.path.string() + " is full"));
    CHECK(names_in(disk.path) == std::vector<std::string>{"filler"});
}

TEST_CASE("a disk that fills up while the tool writes is named, and nothing half-written stays") {
    const small_disk disk;
    if (disk.path.empty()) return;
    CHECK_FALSE(no_space_left(disk.path));
    {
        stages all;
        const auto s = all.beside(disk.path / "out.tif", false).value();
        CHECK(s.candidates().front().room <= 1u << 20);
        std::ofstream out{s.candidates().front().file, std::ios::binary};
        const std::string page(4096, 'x');
        while (out.write(page.data(), static_cast<std::streamsize>(page.size())).flush()) {}
        const auto full = no_space_left(disk.path);
        REQUIRE(full);
        CHECK(full->code == code::exhausted);
        CHECK_THAT(full->message, ContainsSubstring(disk.path.string()));
    }
    CHECK(names_in(disk.path).empty());
}

TEST_CASE("a provenance record that does not fit on the disk fails with exhausted") {
    const small_disk disk;
    if (disk.path.empty()) return;
    disk.fill();
    const auto written = write_provenance(disk.path / "out.tif", {{"tool", "x"}});
    REQUIRE_FALSE(written);
    CHECK(written.error().code == code::exhausted);
    CHECK(names_in(disk.path) == std::vector<std::string>{"filler"});
}

TEST_CASE("when memory is too small, results go to disk") {
    const small_disk disk;
    if (disk.path.empty()) return;
    const temporary scratch;
    results kept{{disk.path, scratch.path}, [] { return time_point{}; }};
    const auto s = kept.begin("result.tif").value();
    REQUIRE(s.candidates().size() == 1);
    CHECK_FALSE(s.candidates().front().in_memory);
}
