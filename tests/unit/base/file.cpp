#include "base/file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>

#include "base/own_folder.hpp"
#include "catch.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp;

namespace {

struct folder {
    fs::path path;
    folder() {
        std::string pattern = (fs::temp_directory_path() / "file-XXXXXX").string();
        path = ::mkdtemp(pattern.data());
    }
    ~folder() { fs::remove_all(path); }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;

    bool has(const std::string& name) const { return fs::exists(path / name); }
    void put(const std::string& name) const { std::ofstream{path / name} << "half"; }
};

}  // namespace

TEST_CASE("the temporary file of a dead process is swept; that of a live one is not") {
    const folder f;
    const auto dead = "a.json." + std::to_string(::getpid()) + "-7.tmp";  // a pid alone says nothing
    for (const auto& name : {dead, std::string{"b.json.1-0.tmp"}, std::string{"a.json"}, std::string{"notes.tmp"},
                             std::string{"a.1-x.tmp"}})
        f.put(name);
    const int living = ::open((f.path / "b.json.1-0.tmp").c_str(), O_WRONLY);
    REQUIRE(::flock(living, LOCK_EX) == 0);
    base::own_folder{f.path, {}}.sweep();
    CHECK_FALSE(f.has(dead));
    CHECK(f.has("b.json.1-0.tmp"));
    ::close(living);
    base::own_folder{f.path, {}}.sweep();
    CHECK_FALSE(f.has("b.json.1-0.tmp"));
    for (const char* name : {"a.json", "notes.tmp", "a.1-x.tmp"}) CHECK(f.has(name));
}

TEST_CASE("a leftover of an earlier process with the same id does not prevent writing") {
    const folder f;
    for (int n = 0; n < 100; ++n) f.put("a.json." + std::to_string(::getpid()) + "-" + std::to_string(n) + ".tmp");
    CHECK(base::write_file_atomically(f.path / "a.json", "whole"));
    CHECK(base::read_file(f.path / "a.json").value() == "whole");
}

TEST_CASE("nothing is swept behind a link") {
    const folder f, outside;
    outside.put("b.json.1-0.tmp");
    fs::create_symlink(outside.path, f.path / "linked");
    base::own_folder{f.path, "linked"}.sweep();
    CHECK(outside.has("b.json.1-0.tmp"));
}
