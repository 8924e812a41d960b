#include "workspace/stage.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>

#include "catch.hpp"
#include "temporary.hpp"
#include "workspace/rename.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp;
using namespace gdalmcp::workspace;
using Catch::Matchers::ContainsSubstring;
using names = std::vector<std::string>;
namespace code = base::code;

namespace {
struct site {
    stage begin(bool overwrite = false) { return all.beside(t.path / "out.tif", overwrite).value(); }
    // Writes the given names into the stage, each with its text.
    static void write(const stage& s, const std::vector<std::pair<const char*, const char*>>& files) {
        for (const auto& [name, text] : files) put(s.candidates().front().folder / name, text);
    }
    temporary t;
    stages all;
};
}  // namespace

TEST_CASE("an output appears whole with its sidecars, and its stage is gone") {
    site here;
    auto s = here.begin();
    REQUIRE(s.candidates().size() == 1);
    CHECK(s.candidates().front().file.filename() == "out.tif");
    struct stat own {};
    REQUIRE(::stat(s.candidates().front().folder.c_str(), &own) == 0);
    CHECK((own.st_mode & 07777) == 0700);
    site::write(s, {{"out.tif", "new"}, {"out.tif.aux.xml", "aux"}});
    CHECK_FALSE(fs::exists(here.t.path / "out.tif"));
    const auto published = s.publish(0, {});
    REQUIRE(published);
    CHECK(published->files == std::vector<fs::path>{here.t.path / "out.tif", here.t.path / "out.tif.aux.xml"});
    CHECK(names_in(here.t.path) == names{"out.tif", "out.tif.aux.xml"});
    CHECK(get(here.t.path / "out.tif") == "new");
}

TEST_CASE("a stage that is not published leaves nothing behind") {
    site here;
    {
        auto s = here.begin();
        site::write(s, {{"out.tif", "half"}});
    }
    CHECK(names_in(here.t.path).empty());
}

TEST_CASE("the first file keeps the name: one that appeared meanwhile is not replaced, nor are sidecars left") {
    site here;
    auto s = here.begin();
    site::write(s, {{"out.tif", "mine"}, {"out.tif.ovr", "mine"}});
    put(here.t.path / "out.tif", "theirs");
    const auto published = s.publish(0, {});
    REQUIRE_FALSE(published);
    CHECK(published.error().code == code::exists);
    CHECK(get(here.t.path / "out.tif") == "theirs");
    CHECK_FALSE(fs::exists(here.t.path / "out.tif.ovr"));
}

TEST_CASE("with overwrite the old file and its sidecars give way to the new ones") {
    site here;
    put(here.t.path / "out.tif", "old");
    put(here.t.path / "out.tif.aux.xml", "old statistics");
    put(here.t.path / "out.tif.ovr", "old overviews");
    put(here.t.path / "out.prj", "of another dataset");
    auto s = here.begin(true);
    site::write(s, {{"out.tif", "new"}, {"out.tif.ovr", "new overviews"}});
    REQUIRE(s.publish(0, {}));
    CHECK(names_in(here.t.path) == names{"out.prj", "out.tif", "out.tif.ovr"});
    CHECK(get(here.t.path / "out.tif") == "new");
    CHECK(get(here.t.path / "out.tif.ovr") == "new overviews");
}

TEST_CASE("when the last step of an overwrite fails, all old files are back") {
    site here;
    put(here.t.path / "out.tif.aux.xml", "old statistics");
    put(here.t.path / "out.tif.ovr", "old overviews");
    auto s = here.begin(true);
    site::write(s, {{"out.tif", "new"}, {"out.tif.ovr", "new overviews"}});
    fs::create_directory(here.t.path / "out.tif");  // cannot be replaced by a file
    const auto published = s.publish(0, {});
    REQUIRE_FALSE(published);
    CHECK(published.error().code == code::exists);
    CHECK(get(here.t.path / "out.tif.aux.xml") == "old statistics");
    CHECK(get(here.t.path / "out.tif.ovr") == "old overviews");
    CHECK(fs::is_directory(here.t.path / "out.tif"));
}

TEST_CASE("a provenance record whose dataset was deleted does not stand in the way") {
    site here;
    put(here.t.path / "out.tif.provenance.json", "old");
    auto s = here.begin();
    site::write(s, {{"out.tif", "new"}, {"out.tif.provenance.json", "new"}});
    REQUIRE(s.publish(0, {}));
    CHECK(get(here.t.path / "out.tif.provenance.json") == "new");
}

TEST_CASE("what does not belong to the output is not published") {
    for (const char* stray : {"other.tif", ".bashrc", "out2.tif"}) {
        site here;
        auto s = here.begin();
        site::write(s, {{"out.tif", "new"}, {stray, "x"}});
        CHECK_THAT(s.publish(0, {}).error().message, ContainsSubstring(stray));
    }
    const auto refused = [](auto&& spoil) {
        site here;
        auto s = here.begin();
        const auto folder = s.candidates().front().folder;
        put(here.t.path / "secret", "secret");
        put(folder / "out.tif", "new");
        spoil(here.t.path, folder);
        const auto published = s.publish(0, {});
        CHECK_FALSE(fs::exists(here.t.path / "out.tif"));
        return !published && published.error().code == std::string{code::verification_failed};
    };
    CHECK(refused([](const fs::path& t, const fs::path& f) { fs::create_symlink(t / "secret", f / "out.tif.ovr"); }));
    CHECK(refused([](const fs::path& t, const fs::path& f) { fs::create_hard_link(t / "secret", f / "out.tif.ovr"); }));
    CHECK(refused([](const fs::path&, const fs::path& f) { fs::create_directory(f / "out.tif.d"); }));
    CHECK(refused([](const fs::path&, const fs::path& f) { fs::remove(f / "out.tif"); }));
}

TEST_CASE("of the files a tool left, only those of the output stay") {
    site here;
    auto s = here.begin();
    site::write(s, {{"out.tif", "new"}, {"out.tif.ovr", "overviews"}, {"out.shp", "another dataset"}, {"out.sh", "x"}});
    CHECK(s.leave_only(0, {"out.tif", "out.tif.ovr"}).value() == names{"out.sh", "out.shp"});
    REQUIRE(s.publish(0, {}));
    CHECK(names_in(here.t.path) == names{"out.tif", "out.tif.ovr"});
}

TEST_CASE("nothing that is published replaces a file of an input, under whatever name") {
    site here;
    const auto& folder = here.t.path;
    put(folder / "in.vrt", "a list of sources");
    put(folder / "source.ovr", "source");
    const auto refused = [&](const fs::path& replaced, const char* written) {
        input_files inputs;
        inputs.add_dataset(folder / "in.vrt", "in.vrt");
        inputs.add(folder / "source.ovr", "in.vrt");
        auto s = here.begin(true);
        site::write(s, {{"out.tif", "new"}, {written, "new"}});
        const auto published = s.publish(0, inputs);
        REQUIRE_FALSE(published);
        CHECK(published.error().code == std::string{code::invalid_argument});
        CHECK_THAT(published.error().message, ContainsSubstring("'in.vrt'") && ContainsSubstring(replaced.string()));
        CHECK(get(folder / "source.ovr") == "source");
        CHECK_FALSE(fs::exists(folder / "out.tif"));
    };
    SECTION("a hard link to it") {
        fs::create_hard_link(folder / "source.ovr", folder / "out.tif.ovr");
        refused(folder / "out.tif.ovr", "out.tif.ovr");
    }
    SECTION("a symbolic link to it") {
        fs::create_symlink("source.ovr", folder / "out.tif.ovr");
        refused(folder / "out.tif.ovr", "out.tif.ovr");
    }
    SECTION("an old sidecar that would be moved away") {
        fs::create_hard_link(folder / "source.ovr", folder / "out.tif.msk");
        refused(folder / "out.tif.msk", "out.tif.ovr");
    }
    CHECK(get(folder / "in.vrt") == "a list of sources");
}

TEST_CASE("a published file has the mode of a new file, and no attributes") {
    site here;
    const auto mode_of = [&](const char* name) {
        struct stat s {};
        REQUIRE(::stat((here.t.path / name).c_str(), &s) == 0);
        return s.st_mode & 07777;
    };
    const auto before = ::umask(027);
    auto s = here.begin();
    const auto out = s.candidates().front().folder;
    site::write(s, {{"out.tif", "new"}, {"out.tif.ovr", "new"}});
    REQUIRE(::chmod((out / "out.tif").c_str(), 06755) == 0);
    REQUIRE(::chmod((out / "out.tif.ovr").c_str(), 01666) == 0);
    const bool has_attributes = ::setxattr((out / "out.tif").c_str(), "user.note", "x", 1, 0) == 0;
    // cap_setuid, version 2: linux/capability.h
    const unsigned char capability[20] = {1, 0, 0, 2, 0x80};
    const bool has_capability =
        ::setxattr((out / "out.tif").c_str(), "security.capability", capability, sizeof capability, 0) == 0;
    const auto published = s.publish(0, {});
    ::umask(before);
    REQUIRE(published);
    CHECK(mode_of("out.tif") == 0640);
    CHECK(mode_of("out.tif.ovr") == 0640);
    if (has_attributes) CHECK(::getxattr((here.t.path / "out.tif").c_str(), "user.note", nullptr, 0) < 0);
    if (has_capability) CHECK(::getxattr((here.t.path / "out.tif").c_str(), "security.capability", nullptr, 0) < 0);
    if (!has_attributes) WARN("this file system has no user attributes");
    if (!has_capability) WARN("this user may not set capabilities");
}

TEST_CASE(
    "a folder's default access list is its owner's, and holds for what is published; a tool's own list does not") {
    site here;
    // linux/posix_acl_xattr.h: version 2, then entries of tag, permissions, id
    struct entry {
        std::uint16_t tag, permissions;
        std::uint32_t id;
    };
    const auto list = [](std::initializer_list<entry> entries) {
        std::string bytes{"\2\0\0\0", 4};
        for (const auto& e : entries) bytes.append(reinterpret_cast<const char*>(&e), sizeof e);
        return bytes;
    };
    constexpr std::uint32_t none = ~std::uint32_t{0};
    const auto wide = list({{1, 7, none}, {2, 7, 4711}, {4, 7, none}, {16, 7, none}, {32, 7, none}});
    const auto set = [](const fs::path& p, const char* name, const std::string& bytes) {
        return ::setxattr(p.c_str(), name, bytes.data(), bytes.size(), 0) == 0;
    };
    const auto mode_of = [](const fs::path& p) {
        struct stat s {};
        REQUIRE(::stat(p.c_str(), &s) == 0);
        return s.st_mode & 07777;
    };
    if (!set(here.t.path, "system.posix_acl_default", wide)) {
        WARN("this file system has no access lists");
        return;
    }
    put(here.t.path / "usual.tif", "made by anybody");
    auto s = here.begin();
    site::write(s, {{"out.tif", "new"}});
    const auto out = s.candidates().front().file;
    CHECK(set(out, "system.posix_acl_access", wide));
    REQUIRE(::chmod(out.c_str(), 04777) == 0);
    REQUIRE(s.publish(0, {}));
    CHECK(mode_of(here.t.path / "out.tif") == 0644);
    CHECK(::getxattr((here.t.path / "out.tif").c_str(), "system.posix_acl_access", nullptr, 0) ==
          static_cast<ssize_t>(wide.size()));
    REQUIRE(::removexattr(here.t.path.c_str(), "system.posix_acl_default") == 0);
    auto plain = here.all.beside(here.t.path / "plain.tif", false).value();
    put(plain.candidates().front().file, "new");
    CHECK(set(plain.candidates().front().file, "system.posix_acl_access", wide));
    REQUIRE(plain.publish(0, {}));
    CHECK(::getxattr((here.t.path / "plain.tif").c_str(), "system.posix_acl_access", nullptr, 0) < 0);
}

TEST_CASE("a link or a folder in the record's place is moved aside and reported") {
    for (const bool link : {true, false}) {
        site here;
        const auto record = here.t.path / "out.tif.provenance.json";
        put(here.t.path / "elsewhere", "not ours");
        if (link)
            fs::create_symlink("elsewhere", record);
        else
            put(record / "inside", "not ours");
        auto s = here.begin();
        site::write(s, {{"out.tif", "new"}, {"out.tif.provenance.json", "a record"}});
        const auto published = s.publish(0, {});
        REQUIRE(published);
        CHECK(get(record) == "a record");
        CHECK(fs::is_regular_file(fs::symlink_status(record)));
        REQUIRE(published->warnings.size() == 1);
        CHECK_THAT(published->warnings.front(), ContainsSubstring(link ? "a symbolic link" : "a folder"));
        const auto left = names_in(here.t.path);
        REQUIRE(left.size() == 4);
        CHECK_THAT(left[3], ContainsSubstring("out.tif.provenance.json.aside-"));
        CHECK(get(link ? here.t.path / left[3] : here.t.path / left[3] / "inside") == "not ours");
        CHECK(get(here.t.path / "elsewhere") == "not ours");
    }
}

TEST_CASE("a link put in the place of the output's folder leads nothing elsewhere") {
    const temporary t;
    fs::create_directory(t.path / "folder");
    fs::create_directory(t.path / "elsewhere");
    stages all;
    auto s = all.beside(t.path / "folder/out.tif", false).value();
    put(s.candidates().front().file, "new");
    fs::rename(t.path / "folder", t.path / "elsewhere/folder");
    fs::create_symlink("elsewhere/folder", t.path / "folder");
    CHECK_FALSE(s.publish(0, {}));
    CHECK_FALSE(fs::exists(t.path / "elsewhere/folder/out.tif"));
}

TEST_CASE("of two calls that make one file, one wins and the other fails") {
    site here;
    auto first = here.begin(), second = here.begin();
    site::write(first, {{"out.tif", "first"}});
    site::write(second, {{"out.tif", "second"}});
    REQUIRE(second.publish(0, {}));
    CHECK(first.publish(0, {}).error().code == code::exists);
    CHECK(get(here.t.path / "out.tif") == "second");
}

TEST_CASE("without the kernel's no-replace flag, link and unlink refuse an existing name alike") {
    const temporary t;
    put(t.path / "a", "a");
    put(t.path / "b", "b");
    CHECK(link_and_unlink(t.path / "a", t.path / "b") == EEXIST);
    CHECK(get(t.path / "b") == "b");
    CHECK(link_and_unlink(t.path / "a", t.path / "c") == 0);
    CHECK(names_in(t.path) == names{"b", "c"});
}
