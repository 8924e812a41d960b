#include "workspace/tree_removal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>

#include "catch.hpp"
#include "temporary.hpp"
#include "workspace/background.hpp"
#include "workspace/temporary_folder.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp::workspace;

namespace {

bool always() { return true; }

// Deeper than any path may be long, as a process can make it that walks down.
void nest(const fs::path& top, int depth) {
    int here = ::open(top.c_str(), O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < depth; ++i) {
        REQUIRE(::mkdirat(here, "d", 0700) == 0);
        const int next = ::openat(here, "d", O_RDONLY | O_DIRECTORY);
        ::close(here);
        here = next;
    }
    ::close(::openat(here, "file", O_WRONLY | O_CREAT, 0600));
    ::close(here);
}

bool is_there(const fs::path& p) {
    struct stat s {};
    return ::lstat(p.c_str(), &s) == 0;
}

}  // namespace

TEST_CASE("a tree of 3 000 nested folders goes, as wide ones do") {
    const temporary t;
    const auto top = t.path / "top";
    fs::create_directory(top);
    nest(top, 3'000);
    for (int i = 0; i < 100; ++i) put(top / "wide" / std::to_string(i) / "file", "x");
    put(top / "0", "a name that moved folders have");
    CHECK(remove_tree(top, always).value());
    CHECK_FALSE(is_there(top));
}

TEST_CASE("links in a tree are removed, not followed") {
    const temporary t;
    put(t.path / "elsewhere/keep.tif", "keep");
    put(t.path / "top/below/file", "x");
    fs::create_directory_symlink(t.path / "elsewhere", t.path / "top/link");
    fs::create_directory_symlink(t.path / "elsewhere", t.path / "top/below/link");
    CHECK(remove_tree(t.path / "top", always).value());
    CHECK(get(t.path / "elsewhere/keep.tif") == "keep");
    fs::create_directory_symlink(t.path / "elsewhere", t.path / "top");
    CHECK_FALSE(remove_tree(t.path / "top", always));
    CHECK(get(t.path / "elsewhere/keep.tif") == "keep");
}

TEST_CASE("folders that their owner may not enter go, too") {
    const temporary t;
    put(t.path / "top/a/b/c/file", "x");
    for (const char* closed : {"top/a/b/c", "top/a/b", "top/a"}) ::chmod((t.path / closed).c_str(), 0);
    if (::geteuid() == 0) {  // whom no mode stops: as somebody else
        ::chmod(t.path.c_str(), 0777);
        for (const auto& p : {t.path / "top", t.path / "top/a", t.path / "top/a/b", t.path / "top/a/b/c"})
            REQUIRE(::chown(p.c_str(), 65534, 65534) == 0);
        REQUIRE(::seteuid(65534) == 0);
    }
    const auto gone = remove_tree(t.path / "top", always);
    if (::getuid() == 0) REQUIRE(::seteuid(0) == 0);
    CHECK(gone.value());
    CHECK_FALSE(is_there(t.path / "top"));
}

TEST_CASE("removal stops on request, and another attempt finishes it") {
    const temporary t;
    for (int i = 0; i < 10; ++i) put(t.path / "top" / std::to_string(i), "x");
    int left = 4;
    CHECK_FALSE(remove_tree(t.path / "top", [&] { return left-- > 0; }).value());
    CHECK(names_in(t.path / "top").size() == 6);
    CHECK(remove_tree(t.path / "top", always).value());
    CHECK(remove_tree(t.path / "top", always).value());  // it is gone
}

TEST_CASE("a call does not wait for the removal of what it left in its folder") {
    const temporary t;
    std::promise<void> held;
    background later;
    later.post([&](const auto&) { held.get_future().wait(); });  // nothing is removed there yet
    {
        const auto scratch = temporary_folder::make(t.path / "scratch", false, &later).value();
        nest(scratch.path(), 1'500);
    }
    CHECK(is_there(t.path / "scratch"));  // it went on
    held.set_value();
    std::promise<void> reached;
    later.post([&](const auto&) { reached.set_value(); });
    reached.get_future().wait();
    CHECK_FALSE(is_there(t.path / "scratch"));
}

TEST_CASE("leftovers of a host that ended are swept by the next one") {
    const temporary t;
    const auto folder = new_temporary_name(t.path);
    const pid_t host = ::fork();
    if (host == 0) {
        {
            background later;
            const auto own = temporary_folder::make(folder, true, &later).value();
            nest(own.path(), 1'500);
            fs::create_directory(own.path() / "second");
            later.post([](const auto& go_on) {
                while (go_on()) {}  // until the time to leave is over
            });
        }
        ::_exit(0);
    }
    REQUIRE(::waitpid(host, nullptr, 0) == host);
    REQUIRE(is_there(folder / "lock"));  // the last that goes
    sweep(t.path);
    CHECK_FALSE(is_there(folder));
}

TEST_CASE("work that is still delayed when its owner ends is done then") {
    bool done = false;
    {
        background later;
        later.post([&](const background::go_on&) { done = true; }, std::chrono::hours{1});
    }
    CHECK(done);
}
