#include "app/datasets/workspace_walk.hpp"

#include <unistd.h>

#include <fstream>

#include "catch.hpp"

using namespace gdalmcp;
namespace fs = std::filesystem;

namespace {

// A workspace and a folder outside of it.
struct place {
    fs::path top = fs::canonical(fs::temp_directory_path()) / ("walk-" + std::to_string(::getpid()));
    fs::path workspace = top / "workspace", outside = top / "outside";
    place() {
        fs::create_directories(workspace);
        fs::create_directories(outside);
    }
    ~place() { fs::remove_all(top); }
    void file(const std::string& name, const std::string& text = "x") const {
        fs::create_directories((workspace / name).parent_path());
        std::ofstream{workspace / name} << text;
    }
    base::result<app::walk> walked(const std::string& subpath = "", bool hidden = false,
                                   app::walk_limits limits = {}) const {
        const auto roots = workspace::roots::open({workspace.string()}, "/", "/").value();
        return app::walk_workspaces(
            roots, subpath, hidden, [](const fs::path& p) { return p.extension() != ".txt"; }, runner::cancellation{},
            limits);
    }
    std::vector<std::string> names(const std::string& subpath = "", bool hidden = false) const {
        std::vector<std::string> all;
        const auto found = walked(subpath, hidden).value();
        for (const auto& f : found.files) all.push_back(f.shown.string());
        return all;
    }
};
using names = std::vector<std::string>;

}  // namespace

TEST_CASE("files are found by name, in order, at any depth") {
    const place p;
    p.file("b/c/two.tif");
    p.file("one.tif");
    p.file("readme.txt");
    CHECK(p.names() == names{"b/c/two.tif", "one.tif"});
    CHECK(p.names("b") == names{"b/c/two.tif"});
}

TEST_CASE("a geodatabase is found as one dataset, which changes with its files") {
    const place p;
    p.file("g.gdb/a1.gdbtable");
    p.file("g.gdb/inner.tif");
    const auto before = p.walked().value().files;
    REQUIRE(before.size() == 1);
    CHECK(before[0].shown == "g.gdb");
    p.file("g.gdb/a1.gdbtable", "longer");
    CHECK(p.walked().value().files[0].state != before[0].state);
}

TEST_CASE("sidecars are listed with their file, not as files of their own") {
    const place p;
    p.file("roads.shp");
    p.file("roads.dbf");
    p.file("dem.tif");
    p.file("dem.tif.aux.xml");
    p.file("dem.tif.provenance.json");
    p.file("table.dbf");
    const auto found = p.walked().value().files;
    REQUIRE(found.size() == 3);
    CHECK(found[0].sidecars == names{"dem.tif.aux.xml", "dem.tif.provenance.json"});
    CHECK(found[1].sidecars == names{"roads.dbf"});
    CHECK(found[2].shown == "table.dbf");
}

TEST_CASE("hidden files are found on request, the host's own never") {
    const place p;
    p.file(".hidden/a.tif");
    p.file(".b.tif");
    p.file(".preflight/c.tif");
    p.file(".gdal-mcp-1/d.tif");
    CHECK(p.names().empty());
    CHECK(p.names("", true) == names{".b.tif", ".hidden/a.tif"});
    CHECK(p.walked(".preflight").error().code == std::string{base::code::denied});
}

TEST_CASE("a link is found under its own name if its target lies inside; nothing outside is found") {
    const place p;
    p.file("a.tif");
    std::ofstream{p.outside / "secret.tif"} << "x";
    fs::create_symlink(p.workspace / "a.tif", p.workspace / "link.tif");
    fs::create_symlink(p.outside / "secret.tif", p.workspace / "leak.tif");
    fs::create_directory_symlink(p.outside, p.workspace / "folder");
    fs::create_directory_symlink(p.workspace, p.workspace / "loop");
    CHECK(p.names() == names{"a.tif", "link.tif"});
    CHECK(p.walked("folder").error().code == std::string{base::code::denied});
    CHECK(p.walked("../outside").error().code == std::string{base::code::denied});
    CHECK(p.walked("a.tif").error().code == std::string{base::code::invalid_argument});
    CHECK(p.walked("absent").error().code == std::string{base::code::not_found});
}

TEST_CASE("a walk that ends early reports it") {
    const place p;
    for (int i = 0; i < 20; ++i) p.file("f" + std::to_string(i) + ".tif");
    p.file("a/b/c.tif");
    CHECK(p.walked().value().stopped.empty());
    CHECK(p.walked("", false, {10, 32, std::chrono::minutes{1}}).value().stopped.find("10") != std::string::npos);
    const auto shallow = p.walked("", false, {1000, 1, std::chrono::minutes{1}}).value();
    CHECK(shallow.stopped.find("deeper than 1") != std::string::npos);
    CHECK(shallow.files.size() == 20);
}

TEST_CASE("the state of a file changes with its neighbours") {
    const place p;
    p.file("a.shp");
    p.file("b.shp");
    const auto before = p.walked().value().files;
    p.file("a.prj");
    const auto after = p.walked().value().files;
    CHECK(before[0].state != after[0].state);
    CHECK(before[1].state == after[1].state);
}
