#include "workspace/publication.hpp"

#include <sys/stat.h>

#include "catch.hpp"
#include "temporary.hpp"
#include "workspace/temporary_folder.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp;
using namespace gdalmcp::workspace;
using names = std::vector<std::string>;

namespace {

// A stage of a host that died while it replaced out.tif and its sidecars; nothing was renamed yet.
struct interrupted {
    interrupted() {
        put(folder / "out.tif", "old");
        put(folder / "out.tif.ovr", "old overviews");
        put(folder / "out.tif.aux.xml", "old statistics");
        put(stage / "lock", "0 1\n");
        put(stage / "out/out.tif", "new");
        put(stage / "out/out.tif.ovr", "new overviews");
        put(stage / "out/out.tif.provenance.json", "new record");
        step("../out.tif.aux.xml", "out.tif.aux.xml", false);
        step("out/out.tif.provenance.json", "../out.tif.provenance.json", true);
        step("out/out.tif.ovr", "../out.tif.ovr", true);
        step("out/out.tif", "../out.tif", true);
    }
    void step(const std::string& from, const std::string& to, bool replaces) {
        struct stat s {};
        REQUIRE(::lstat((stage / from).c_str(), &s) == 0);
        plan += (plan.empty() ? "[" : ",") + std::string{"{\"from\":\""} + from + "\",\"to\":\"" + to +
                "\",\"inode\":" + std::to_string(s.st_ino) + ",\"replaces\":" + (replaces ? "true" : "false") + "}";
    }
    void swap(const char* name) {
        fs::rename(folder / name, folder / "third");
        fs::rename(stage / "out" / name, folder / name);
        fs::rename(folder / "third", stage / "out" / name);
    }
    void sweep() const {
        put(stage / "plan.json", plan + "]");
        workspace::sweep(folder);
    }
    bool is_new() const {
        return names_in(folder) == names{"out.tif", "out.tif.ovr", "out.tif.provenance.json"} &&
               get(folder / "out.tif") == "new" && get(folder / "out.tif.ovr") == "new overviews" &&
               get(folder / "out.tif.provenance.json") == "new record";
    }

    temporary t;
    const fs::path folder = t.path, stage = folder / ".gdal-mcp-0123456789abcdef0123456789abcdef";
    std::string plan;
};

}  // namespace

TEST_CASE("an interrupted publication is completed when its stage is swept, wherever the host died") {
    for (int done = 0; done <= 4; ++done) {
        interrupted i;
        if (done > 0) fs::rename(i.folder / "out.tif.aux.xml", i.stage / "out.tif.aux.xml");
        if (done > 1) fs::rename(i.stage / "out/out.tif.provenance.json", i.folder / "out.tif.provenance.json");
        if (done > 2) i.swap("out.tif.ovr");
        if (done > 3) i.swap("out.tif");
        i.sweep();
        CAPTURE(done);
        CHECK(i.is_new());
    }
}

TEST_CASE("a stage that never began to publish is removed, and what it was to replace stays") {
    const interrupted i;
    workspace::sweep(i.folder);
    CHECK(names_in(i.folder) == names{"out.tif", "out.tif.aux.xml", "out.tif.ovr"});
    CHECK(get(i.folder / "out.tif") == "old");
}

TEST_CASE("a plan that cannot be carried out keeps its stage, and leaves everything where it is") {
    interrupted i;
    i.plan.clear();
    put(i.stage / "out/new.tif", "new");
    i.step("out/out.tif", "../out.tif", true);
    i.step("out/new.tif", "../new.tif", false);
    put(i.folder / "new.tif", "of somebody else");
    i.sweep();
    CHECK(get(i.folder / "out.tif") == "old");
    CHECK(get(i.folder / "new.tif") == "of somebody else");
    CHECK(get(i.stage / "out/out.tif") == "new");
}

TEST_CASE("a plan does not lead out of the stage and its folder") {
    for (const char* to :
         {"../../out.tif", "/etc/out.tif", "../sub/out.tif", "..", "out/..", "../another.tif", "../.preflight"}) {
        interrupted i;
        i.plan.clear();
        i.step("out/out.tif", to, true);
        i.sweep();
        CAPTURE(to);
        CHECK(get(i.stage / "out/out.tif") == "new");
        CHECK(names_in(i.folder).size() == 4);
    }
}

TEST_CASE("a plan exchanges no files of the folder, and is not read through a link") {
    interrupted i;
    put(i.folder / "other.tif", "other");
    i.plan.clear();
    i.step("../other.tif", "../out.tif", true);
    i.sweep();
    CHECK(get(i.folder / "out.tif") == "old");
    interrupted j;
    put(j.t.path / "elsewhere.json", j.plan + "]");
    fs::create_symlink("../elsewhere.json", j.stage / "plan.json");
    workspace::sweep(j.folder);
    CHECK(get(j.folder / "out.tif") == "old");
}

TEST_CASE("a pipe in the place of a lock blocks no host") {
    const interrupted i;
    fs::remove(i.stage / "lock");
    REQUIRE(::mkfifo((i.stage / "lock").c_str(), 0600) == 0);
    workspace::sweep(i.folder);
    CHECK(get(i.stage / "out/out.tif") == "new");
}
