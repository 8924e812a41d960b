#include "workspace/roots.hpp"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "catch.hpp"
#include "temporary.hpp"
#include "workspace/file_uri.hpp"
#include "workspace/name_pattern.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp;
using namespace gdalmcp::workspace;
using Catch::Matchers::ContainsSubstring;
namespace code = base::code;

namespace {

// A workspace `data` beside a secret.
struct site {
    site() {
        put(t.path / "data/dem.tif", "dem");
        put(t.path / "data/a b.tif", "blank");
        put(t.path / "data/sub/x.gpkg", "x");
        put(t.path / "data/.preflight/justifications/r.json", "{}");
        put(t.path / "secret.tif", "secret");
        fs::create_symlink(t.path / "secret.tif", data / "escape.tif");
        fs::create_directory_symlink(t.path, data / "up");
        fs::create_symlink(data / "dem.tif", data / "alias.tif");
    }
    roots open(const std::string& mode = "") const { return roots::open({data.string() + mode}, "/", "/root").value(); }
    temporary t;
    const fs::path data = t.path / "data";
};

}  // namespace

TEST_CASE("a pattern stands for the files it matches, in order, without what describes them") {
    const site s;
    const auto r = s.open();
    for (const char* name :
         {"t10.tif", "t2.tif", "t2.tif.aux.xml", "t2.tif.provenance.json", "t2.tif.ovr", ".t3.tif", "what?.tif"})
        put(s.data / "sub" / name, "x");
    CHECK(names_matching("sub/t*", r).value() == std::vector<std::string>{"sub/t10.tif", "sub/t2.tif"});
    CHECK(names_matching("sub/t?.tif", r).value() == std::vector<std::string>{"sub/t2.tif"});
    CHECK(is_pattern("sub/t*", r));
    CHECK_FALSE(is_pattern("sub/what?.tif", r));  // there is such a file
    CHECK_FALSE(is_pattern("sub/t2.tif", r));
    CHECK_FALSE(is_pattern("query://result/*", r));
    CHECK(names_matching("sub/none*", r).error().code == code::not_found);
    CHECK(names_matching("../*", r).error().code == code::denied);
    CHECK(names_matching("up/*", r).error().code == code::denied);
}

TEST_CASE("relative, absolute and file:// spellings of one file are one path") {
    const site s;
    const auto r = s.open();
    const auto expected = s.data / "a b.tif";
    CHECK(r.readable("a b.tif").value() == expected);
    CHECK(r.readable("./sub/../a b.tif").value() == expected);
    CHECK(r.readable(expected.string()).value() == expected);
    CHECK(r.readable("file://" + s.data.string() + "/a%20b.tif").value() == expected);
    CHECK(r.readable("FILE://localhost" + s.data.string() + "/a%20b.tif").value() == expected);
    CHECK(r.readable(file_uri(expected)).value() == expected);
    CHECK(r.readable("alias.tif").value() == s.data / "dem.tif");
}

TEST_CASE("nothing leads out of a workspace: not dots, not links, not escapes, not another spelling") {
    const site s;
    const auto r = s.open();
    for (const std::string& spelled :
         {std::string{"../secret.tif"}, std::string{"sub/../../secret.tif"}, (s.t.path / "secret.tif").string(),
          std::string{"escape.tif"}, std::string{"up/secret.tif"}, std::string{"up/data/../secret.tif"},
          std::string{"absent/../escape.tif"}, std::string{"absent/../up/secret.tif"},
          "file://" + s.t.path.string() + "/secret.tif", "file://" + s.data.string() + "/%2e%2e/secret.tif",
          "file://" + s.data.string() + "/..%2Fsecret.tif", s.data.string() + "-twin/x.tif", std::string{"/etc/passwd"},
          std::string{"/etc/absent"}}) {
        INFO(spelled);
        const auto read = r.readable(spelled);
        REQUIRE_FALSE(read);
        CHECK(read.error().code == code::denied);
        CHECK_FALSE(read.error().hint.empty());
        // An output called escape.tif would replace the link, were it not that plan() refuses links.
        if (fs::path{spelled}.filename() != "escape.tif") CHECK_FALSE(r.writable(spelled));
    }
}

TEST_CASE("of ten thousand odd spellings every accepted one is, by realpath, a file of the workspace") {
    const site s;
    const auto r = s.open();
    const std::vector<std::string> pieces = {
        "..",        ".",       "/",   "//",         "sub",  "up",         "data",
        "dem.tif",   "a b.tif", "%2e", "x.gpkg",     "%2F",  ".preflight", "file://",
        "alias.tif", "link",    "",    "escape.tif", "/vsi", "secret.tif", s.data.string()};
    std::mt19937 random{20240611};
    const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(random); };
    int accepted = 0;
    for (int i = 0; i < 10000; ++i) {
        std::string spelled;
        for (std::size_t n = 1 + pick(6); n > 0; --n) spelled += pieces[pick(pieces.size())] + (pick(2) ? "/" : "");
        const auto path = r.readable(spelled);
        if (!path) continue;
        ++accepted;
        INFO(spelled);
        char real[PATH_MAX];
        REQUIRE(::realpath(path->c_str(), real));
        CHECK(*path == real);
        CHECK(std::string{real}.rfind(s.data.string() + "/", 0) == 0);
        CHECK(std::string{real}.find(".preflight") == std::string::npos);
    }
    CHECK(accepted > 100);
}

TEST_CASE("the host's own files in a workspace are not accessible") {
    const site s;
    const auto r = s.open();
    put(s.data / ".gdal-mcp-0/out/x.tif", "x");
    for (const char* spelled : {".preflight/justifications/r.json", "sub/../.preflight/justifications/r.json",
                                ".gdal-mcp-0/out/x.tif", ".preflight/new.tif", ".gdal-mcp.tif"}) {
        INFO(spelled);
        CHECK(r.readable(spelled).error().code == code::denied);
        CHECK(r.writable(spelled).error().code == code::denied);
    }
    CHECK_FALSE(roots::open({(s.data / ".preflight").string()}, "/", "/root"));
}

TEST_CASE("URLs, virtual paths, connections and inline text are refused, each for its reason") {
    const site s;
    const auto r = s.open();
    const std::pair<const char*, const char*> table[] = {{"http://localhost/x.tif", "is a URL"},
                                                         {"s3://bucket/x.tif", "is a URL"},
                                                         {"/vsicurl/http://localhost/x.tif", "virtual path"},
                                                         {"/vsizip/a.zip/x.tif", "virtual path"},
                                                         {"/vsistdin/", "virtual path"},
                                                         {"PG:dbname=x", "connection"},
                                                         {"WMS:http//x", "connection"},
                                                         {"<VRTDataset/>", "inline XML"},
                                                         {"  <GDAL_WMS/>", "inline XML"},
                                                         {"{\"type\":\"Point\"}", "inline JSON"},
                                                         {"file://elsewhere/x.tif", "another host"},
                                                         {"file:///x%00.tif", "% escape"},
                                                         {"file:///x%2", "% escape"},
                                                         {"file:///x.tif?a", "query"},
                                                         {"", "not a file name"},
                                                         {" ", "not a file name"}};
    for (const auto& [spelled, why] : table) {
        INFO(spelled);
        const auto read = r.readable(spelled);
        REQUIRE_FALSE(read);
        CHECK_THAT(read.error().message, ContainsSubstring(why));
        CHECK_FALSE(r.readable(spelled).error().hint.empty());
    }
    CHECK_FALSE(r.readable(std::string_view{"dem.tif\0.png", 12}));
}

TEST_CASE("a file whose name begins like inline text is a file, inside the workspaces only") {
    const site s;
    const auto r = s.open();
    for (const char* name : {"[x].tif", "{b}.tif", "<c>.tif"}) {
        INFO(name);
        CHECK_FALSE(r.readable(name));
        put(s.data / name, "x");
        CHECK(r.readable(name).value() == s.data / name);
    }
    fs::create_directory(s.data / "[d]");
    CHECK_THAT(r.readable("[d]/../../secret.tif").error().message, ContainsSubstring("inline JSON"));
}

TEST_CASE("a missing file is answered with what lies near, a folder with what lies in it") {
    const site s;
    const auto r = s.open();
    CHECK(r.readable("dme.tif").error().code == code::not_found);
    CHECK_THAT(r.readable("dme.tif").error().hint, ContainsSubstring("did you mean 'dem.tif'"));
    CHECK_THAT(r.readable("DEM.TIF").error().hint, ContainsSubstring("'dem.tif'"));
    CHECK_THAT(r.readable("dem.png").error().hint, ContainsSubstring("'dem.tif'"));
    put(s.data / "roads_2024.gpkg", "x");
    CHECK_THAT(r.readable("roads.shp").error().hint, ContainsSubstring("did you mean 'roads_2024.gpkg'"));
    CHECK_THAT(r.readable("nothing-like-it.tif").error().hint,
               ContainsSubstring("relative paths start at " + s.data.string()));
    CHECK_THAT(r.readable("sub").error().message, ContainsSubstring("is a folder"));
    CHECK_THAT(r.readable("sub").error().hint, ContainsSubstring("'x.gpkg'"));
}

TEST_CASE("pipes and devices are not opened") {
    const site s;
    REQUIRE(::mkfifo((s.data / "pipe.tif").c_str(), 0600) == 0);
    CHECK_THAT(s.open().readable("pipe.tif").error().message, ContainsSubstring("pipe, socket or device"));
}

TEST_CASE("a file this user may not read is refused before anything opens it") {
    const site s;
    if (::geteuid() == 0) {
        WARN("skipped: root may read everything");
        return;
    }
    fs::permissions(s.data / "dem.tif", fs::perms{0});
    CHECK(s.open().readable("dem.tif").error().code == code::denied);
}

TEST_CASE("a read-only workspace is read, not written; of nested ones the deepest decides") {
    const site s;
    const auto r = roots::open({s.data.string() + ":ro", (s.data / "sub").string() + ":rw"}, "/", "/root").value();
    CHECK(r.readable("dem.tif"));
    CHECK(r.writable("out.tif").error().code == code::denied);
    CHECK_THAT(r.writable("out.tif").error().message, ContainsSubstring("read-only"));
    CHECK(r.writable("sub/out.tif").value() == s.data / "sub/out.tif");
    const auto inner = roots::open({s.data.string(), (s.data / "sub").string() + ":ro"}, "/", "/root").value();
    CHECK(inner.writable("out.tif"));
    CHECK_FALSE(inner.writable("sub/out.tif"));
}

TEST_CASE("an output needs an existing folder, and the error gives the command to create it") {
    const site s;
    const auto r = s.open();
    CHECK(r.writable("new/deep/out.tif").error().code == code::not_found);
    CHECK_THAT(r.writable("new/deep/out.tif").error().hint,
               ContainsSubstring("mkdir -p '" + (s.data / "new/deep").string() + "'"));
    CHECK_FALSE(r.writable("sub/"));
    CHECK_FALSE(r.writable("sub/.."));
    CHECK_FALSE(r.writable("dem.tif/out.tif"));
    CHECK(r.writable("sub/../out.tif").value() == s.data / "out.tif");
}

TEST_CASE("with no workspace given it is the current folder, unless that is / or the home") {
    const site s;
    CHECK(roots::open({}, s.data, "/root").value().readable("dem.tif"));
    for (const auto& [current, home] :
         {std::pair<fs::path, fs::path>{"/", "/root"}, {s.data, s.data}, {s.data / "up/data", s.data}}) {
        const auto r = roots::open({}, current, home).value();
        CHECK(r.list().empty());
        const auto refused = r.readable(s.data.string() + "/dem.tif");
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == code::denied);
        CHECK_THAT(refused.error().hint, ContainsSubstring("--workspace DIR"));
        CHECK_FALSE(r.writable("x.tif"));
    }
}

TEST_CASE("a workspace reached through a link is the folder it leads to") {
    const site s;
    fs::create_directory_symlink(s.data, s.t.path / "link");
    const auto r = roots::open({(s.t.path / "link").string()}, "/", "/root").value();
    CHECK(r.list().front().folder == s.data);
    CHECK(r.readable((s.t.path / "link/dem.tif").string()));
}

TEST_CASE("workspaces that are not folders are named at the start") {
    const site s;
    for (const std::string& spec :
         {(s.data / "absent").string(), (s.data / "dem.tif").string(), std::string{}, std::string{":ro"}})
        CHECK(roots::open({spec}, "/", "/root").error().code == code::not_found);
}

TEST_CASE("a list of workspaces keeps each mode with its folder") {
    using list = std::vector<std::string>;
    CHECK(roots::split("/a:ro:/b:/c:rw") == list{"/a:ro", "/b", "/c:rw"});
    CHECK(roots::split("") == list{});
    CHECK(roots::split(":/a::") == list{"/a"});
}

TEST_CASE("what rules agents lies outside: not in a workspace, not around one, not behind a link into or in one") {
    const site s;
    put(s.t.path / "rules/policy", "");
    fs::create_symlink(s.data / "dem.tif", s.t.path / "rules/link");
    fs::create_symlink(s.t.path / "rules/policy", s.data / "link");
    const auto roots = s.open();
    CHECK(roots.keep_apart("--policy", ""));
    for (const char* apart : {"rules", "rules/policy", "rules/new", "data2"}) {
        INFO(apart);
        CHECK(roots.keep_apart("--policy", s.t.path / apart));
    }
    for (const char* not_apart :
         {".", "data", "data/dem.tif", "data/new", "rules/link", "data/link", "rules/../data/x"}) {
        INFO(not_apart);
        const auto refused = roots.keep_apart("--policy", s.t.path / not_apart);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == code::denied);
        CHECK_THAT(refused.error().message, ContainsSubstring("--policy /") && ContainsSubstring("overlap"));
    }
}

TEST_CASE("a refusal reveals nothing outside the workspaces: neither existence nor a link's target") {
    const site s;
    const auto other = s.t.path / "other";
    put(other / "there.tif", "theirs");
    put(s.t.path / "hidden/target.tif", "theirs");
    fs::create_symlink(s.t.path / "hidden/target.tif", other / "link.tif");
    fs::create_symlink(other / "loop.tif", other / "loop.tif");
    fs::create_symlink(s.t.path / "hidden", other / "folder");
    fs::create_symlink(other / "link.tif", s.data / "mine.tif");
    const auto r = s.open();
    const auto said = [&](const auto& answer, const std::string& name) {
        auto text = answer.error().code + " " + answer.error().message + " " + answer.error().hint;
        CHECK_THAT(text, !ContainsSubstring("hidden"));
        text.replace(text.find(name), name.size(), "NAME");
        return text;
    };
    const auto absent = said(r.readable((other / "absent.tif").string()), "absent.tif");
    for (const char* name : {"there.tif", "link.tif", "loop.tif"}) {
        CHECK(said(r.readable((other / name).string()), name) == absent);
        CHECK(said(r.listable((other / name).string()), name) == absent);
        CHECK(said(r.writable((other / name).string()), name) == absent);
    }
    CHECK(said(r.readable((other / "folder/x.tif").string()), "folder/x.tif").find("hidden") == std::string::npos);
    CHECK_THAT(r.readable("mine.tif").error().message,
               ContainsSubstring("mine.tif") && !ContainsSubstring(other.string()));
    CHECK_THAT(r.readable("mine.tif").error().hint, !ContainsSubstring(other.string()));
}
