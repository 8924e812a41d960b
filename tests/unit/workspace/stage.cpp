#include "workspace/stage.hpp"

#include <sys/stat.h>

#include "catch.hpp"
#include "temporary.hpp"
#include "workspace/rename.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp;
using namespace gdalmcp::workspace;
using Catch::Matchers::Contains;
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
    const auto published = s.publish(0);
    REQUIRE(published);
    CHECK(*published == std::vector<fs::path>{here.t.path / "out.tif", here.t.path / "out.tif.aux.xml"});
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

TEST_CASE("whoever is faster keeps the name: a file that appeared meanwhile is not replaced, nor are sidecars left") {
    site here;
    auto s = here.begin();
    site::write(s, {{"out.tif", "mine"}, {"out.tif.ovr", "mine"}});
    put(here.t.path / "out.tif", "theirs");
    const auto published = s.publish(0);
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
    REQUIRE(s.publish(0));
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
    const auto published = s.publish(0);
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
    REQUIRE(s.publish(0));
    CHECK(get(here.t.path / "out.tif.provenance.json") == "new");
}

TEST_CASE("what does not belong to the output is not published") {
    for (const char* stray : {"other.tif", ".bashrc", "out2.tif"}) {
        site here;
        auto s = here.begin();
        site::write(s, {{"out.tif", "new"}, {stray, "x"}});
        CHECK_THAT(s.publish(0).error().message, Contains(stray));
    }
    const auto refused = [](auto&& spoil) {
        site here;
        auto s = here.begin();
        const auto folder = s.candidates().front().folder;
        put(here.t.path / "secret", "secret");
        put(folder / "out.tif", "new");
        spoil(here.t.path, folder);
        const auto published = s.publish(0);
        CHECK_FALSE(fs::exists(here.t.path / "out.tif"));
        return !published && published.error().code == std::string{code::verification_failed};
    };
    CHECK(refused([](const fs::path& t, const fs::path& f) { fs::create_symlink(t / "secret", f / "out.tif.ovr"); }));
    CHECK(refused([](const fs::path& t, const fs::path& f) { fs::create_hard_link(t / "secret", f / "out.tif.ovr"); }));
    CHECK(refused([](const fs::path&, const fs::path& f) { fs::create_directory(f / "out.tif.d"); }));
    CHECK(refused([](const fs::path&, const fs::path& f) { fs::remove(f / "out.tif"); }));
}

TEST_CASE("of two calls that make one file, one wins and the other is told") {
    site here;
    auto first = here.begin(), second = here.begin();
    site::write(first, {{"out.tif", "first"}});
    site::write(second, {{"out.tif", "second"}});
    REQUIRE(second.publish(0));
    CHECK(first.publish(0).error().code == code::exists);
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
