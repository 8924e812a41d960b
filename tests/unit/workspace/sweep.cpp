#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>

#include "catch.hpp"
#include "temporary.hpp"
#include "workspace/stage.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp::workspace;

namespace {

const std::string name = ".gdal-mcp-0123456789abcdef0123456789abcdef";

pid_t a_dead_pid() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return child;
}

// Whether a stage with this lock text survives a sweep.
bool survives(const std::string& lock) {
    const temporary t;
    put(t.path / name / "lock", lock);
    put(t.path / name / "out/out.tif", "half");
    sweep(t.path);
    return fs::exists(t.path / name / "out/out.tif");
}

}  // namespace

TEST_CASE("the stage of a host that died is swept before the next output goes to its folder") {
    const temporary t;
    put(t.path / name / "lock", std::to_string(a_dead_pid()) + " 1234\n");
    put(t.path / name / "out/out.tif", "half");
    stages all;
    const auto s = all.beside(t.path / "out.tif", false);
    REQUIRE(s);
    CHECK_FALSE(fs::exists(t.path / name));
    CHECK(fs::exists(s->candidates().front().folder));
}

TEST_CASE("a pid that was given to another process since does not keep a stage alive") {
    CHECK_FALSE(survives(std::to_string(::getpid()) + " 1"));
}

TEST_CASE("the stage of a living host survives") {
    const temporary t;
    auto own = temporary_folder::make(t.path / name, true).value();
    sweep(t.path);
    CHECK(fs::exists(t.path / name / "lock"));
}

TEST_CASE("a stage whose maker cannot be seen from here survives while it holds its lock") {
    const temporary t;
    put(t.path / name / "lock", std::to_string(a_dead_pid()) + " 1234\n");
    const int fd = ::open((t.path / name / "lock").c_str(), O_RDONLY);
    REQUIRE(::flock(fd, LOCK_EX) == 0);
    sweep(t.path);
    CHECK(fs::exists(t.path / name));
    ::close(fd);
    sweep(t.path);
    CHECK_FALSE(fs::exists(t.path / name));
}

TEST_CASE("a stage that is only just being made survives; one that stayed so is swept") {
    CHECK(survives(""));
    const temporary t;
    fs::create_directory(t.path / name);
    sweep(t.path);
    CHECK(fs::exists(t.path / name));
    fs::last_write_time(t.path / name, fs::file_time_type::clock::now() - std::chrono::hours{1});
    sweep(t.path);
    CHECK_FALSE(fs::exists(t.path / name));
}

TEST_CASE("what merely looks like a stage is not touched") {
    const temporary t;
    put(t.path / ".gdal-mcp-short/lock", "1 1");
    put(t.path / ".gdal-mcp/lock", "1 1");
    put(t.path / "elsewhere/keep.tif", "keep");
    fs::create_directory_symlink(t.path / "elsewhere", t.path / name);
    put(t.path / "elsewhere/lock", std::to_string(a_dead_pid()) + " 1");
    sweep(t.path);
    CHECK(fs::exists(t.path / ".gdal-mcp-short"));
    CHECK(fs::exists(t.path / ".gdal-mcp"));
    CHECK(fs::exists(t.path / "elsewhere/keep.tif"));
    CHECK(fs::is_symlink(t.path / name));
}
