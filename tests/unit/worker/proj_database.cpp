#include "worker/proj_database.hpp"

#include <fcntl.h>
#include <gdal.h>
#include <ogr_spatialref.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>

#include "catch.hpp"
#include "runner/descriptor.hpp"

using namespace gdalmcp;
namespace fs = std::filesystem;

TEST_CASE("a child has the same file at the same descriptor, with a position and flags of its own") {
    const runner::descriptor inherited{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
    const runner::descriptor of_parent{::fcntl(inherited.get(), F_DUPFD_CLOEXEC, 0)};  // shares its description
    REQUIRE(worker::make_private({inherited.get()}));
    ::lseek(of_parent.get(), 5, SEEK_SET);
    ::fcntl(of_parent.get(), F_SETFL, O_NONBLOCK);
    CHECK(::lseek(inherited.get(), 0, SEEK_CUR) == 0);
    CHECK((::fcntl(inherited.get(), F_GETFL) & O_NONBLOCK) == 0);
    struct stat a {
    }, b{};
    REQUIRE(::fstat(inherited.get(), &a) == 0);
    REQUIRE(::fstat(of_parent.get(), &b) == 0);
    CHECK(a.st_ino == b.st_ino);
}

TEST_CASE("a descriptor that is not open cannot be made private") { CHECK_FALSE(worker::make_private({1 << 20})); }

TEST_CASE("preparing a CRS opens no descriptor; an invalid CRS is ignored") {
    GDALAllRegister();
    worker::warm_up_proj();
    const auto descriptors = [] {
        std::set<std::string> open;
        for (const auto& entry : fs::directory_iterator{"/proc/self/fd"}) open.insert(entry.path().filename().string());
        return open;
    };
    const auto before = descriptors();
    for (const char* code : {"EPSG:4267", "EPSG:31985", "EPSG:5514", "EPSG:0", "EPSG:", "no CRS"})
        worker::prepare_crs(code);
    CHECK(descriptors() == before);
}

TEST_CASE("after the fork PROJ still answers, through the connection that was opened before") {
    GDALAllRegister();
    const auto descriptors = worker::warm_up_proj();
    REQUIRE_FALSE(descriptors.empty());
    for (const int fd : descriptors)
        CHECK(fs::read_symlink("/proc/self/fd/" + std::to_string(fd)).filename() == "proj.db");
    const pid_t child = ::_Fork();
    if (child == 0) {
        OGRSpatialReference never_asked_for;
        const bool ok = worker::make_private(descriptors) && never_asked_for.importFromEPSG(2193) == OGRERR_NONE &&
                        worker::warm_up_proj() == descriptors;  // no second connection
        ::_exit(ok ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
}
