#include "app/datasets/dataset_index.hpp"

#include <unistd.h>

#include <fstream>
#include <thread>

#include "catch.hpp"

using namespace gdalmcp;
namespace fs = std::filesystem;
namespace json = base::json;
using names = std::vector<std::string>;
using std::chrono::milliseconds;

namespace {

// A workspace read by a worker that tells what the test says: the text of a file is the name of its layer.
struct place {
    fs::path top = fs::canonical(fs::temp_directory_path()) / ("index-" + std::to_string(::getpid()));
    fs::path state = top / "state";
    workspace::roots roots;
    names read;          // files, in order
    std::string deadly;  // the process that reads this file dies
    const char* how = base::code::crashed;
    std::size_t answers = 999;  // at most as many of one process
    runner::cancellation cancel;
    app::registries known{worker()};

    place()
        : roots{(fs::create_directories(top / "w"), workspace::roots::open({(top / "w").string()}, "/", "/").value())} {
    }
    ~place() { fs::remove_all(top); }

    app::trusted_work worker() {
        return [this](const runner::request& r, auto&, auto) { return answer(r); };
    }
    base::result<json::object> answer(const runner::request& asked) {
        if (asked.operation == "formats")
            return json::parse(R"({"resampling": [], "drivers": [
                {"name": "GTiff", "raster": true, "vector": false, "read": true, "extensions": ["tif"]}]})")
                .as_object();
        CHECK(asked.operation == "contents");
        json::array seen;
        for (const auto& f : asked.files) {
            if (f.filename() == deadly) return base::fail(how, "it died");
            if (seen.size() == answers) break;
            read.push_back(f.filename());
            std::string text;
            std::getline(std::ifstream{f}, text);
            seen.push_back(json::object{
                {"driver", text == "broken" ? "" : "GTiff"},
                {"kinds", json::array{"raster"}},
                {"texts", json::array{json::object{{"what", "band"}, {"in", "band 1"}, {"texts", json::array{text}}}}},
                {"extents", json::array{json::object{{"in", ""}, {"bounds", {1, 2, 3, 4.5}}}}},
                {"times", json::array{json::object{{"from", 20190101}, {"to", 20190131}, {"why", "axis time"}}}}});
        }
        return json::object{{"seen", std::move(seen)}};
    }

    void file(const std::string& name, const std::string& text) const { std::ofstream{top / "w" / name} << text; }
    std::unique_ptr<app::dataset_index> index() {
        return std::make_unique<app::dataset_index>(roots, base::own_folder{state, "datasets"}, state, worker(), known);
    }
    fs::path index_file() const {
        for (const auto& e : fs::directory_iterator{state / "datasets"})
            if (e.path().extension() == ".index") return e.path();
        return {};
    }
    // "name: layer" of what is known; "name" of what is not.
    names now(app::dataset_index& index, milliseconds budget = std::chrono::minutes{1}) {
        names all;
        const auto found = index.update(budget, cancel, {}).value();
        for (const auto& d : found.all) {
            all.push_back(d.file.shown.string());
            if (!d.known) continue;
            const auto& c = d.known->contents;
            all.back() += ": " + (c.driver.empty() ? "not read" : c.texts.at(0).texts.at(0));
        }
        return all;
    }
};

}  // namespace

TEST_CASE("a file is read once, also by the next server, and again when it has changed") {
    place p;
    p.file("a.tif", "red");
    p.file("b.tif", "green");
    p.file("note.txt", "no");
    const auto one = p.index();
    CHECK(p.now(*one) == names{"a.tif: red", "b.tif: green"});
    CHECK(p.now(*one) == names{"a.tif: red", "b.tif: green"});
    const auto another = p.index();
    CHECK(p.now(*another) == names{"a.tif: red", "b.tif: green"});
    CHECK(p.read == names{"a.tif", "b.tif"});
    p.file("b.tif", "blue, longer");
    CHECK(p.now(*another) == names{"a.tif: red", "b.tif: blue, longer"});
    CHECK(p.read == names{"a.tif", "b.tif", "b.tif"});
    // The first server takes over what the second has read.
    CHECK(p.now(*one) == names{"a.tif: red", "b.tif: blue, longer"});
}

TEST_CASE("everything about a dataset survives the file of the index") {
    place p;
    p.file("a_2020.tif", "red");
    p.now(*p.index());
    const auto again = p.index()->update(milliseconds{0}, p.cancel, {}).value();
    REQUIRE(again.all.at(0).known);
    const auto& k = *again.all.at(0).known;
    CHECK(k.contents.kinds == names{"raster"});
    CHECK(k.contents.extents.at(0).bounds == app::extent{1, 2, 3, 4.5});
    REQUIRE(k.times.size() == 2);
    CHECK(k.times[0].days == app::day_span{20190101, 20190131});
    CHECK(k.times[0].why == "axis time");
    CHECK(k.times[1].days == app::day_span{20200101, 20201231});
    CHECK(k.times[1].why == "file name");
    CHECK(k.words.find(" red\n") != std::string::npos);
}

TEST_CASE("removed and renamed files are seen") {
    place p;
    p.file("a.tif", "red");
    p.file("b.tif", "green");
    const auto index = p.index();
    p.now(*index);
    fs::remove(p.top / "w/a.tif");
    fs::rename(p.top / "w/b.tif", p.top / "w/c.tif");
    CHECK(p.now(*index) == names{"c.tif: green"});
    CHECK(p.now(*p.index()) == names{"c.tif: green"});
    CHECK(p.read == names{"a.tif", "b.tif", "c.tif"});
}

TEST_CASE("what the time does not suffice for is not read, and read by the next call") {
    place p;
    for (int i = 0; i < 9; ++i) p.file(std::to_string(i) + ".tif", "x");
    const auto index = p.index();
    CHECK(p.now(*index, milliseconds{0}).at(0) == "0.tif");
    CHECK(p.read.empty());
    p.answers = 4;  // a process that runs out of time answers for a part of its files
    CHECK(p.now(*index).back() == "8.tif: x");
    CHECK(p.read.size() == 9);
}

TEST_CASE("a file that kills its process is named, and the others are read") {
    for (const char* how : {base::code::crashed, base::code::deadline, base::code::exhausted}) {
        place p;
        p.how = how;
        p.deadly = "b.tif";
        for (const char* name : {"a.tif", "b.tif", "c.tif"}) p.file(name, "x");
        p.file("d.tif", "broken");
        const auto index = p.index();
        CHECK(p.now(*index) == names{"a.tif: x", "b.tif: not read", "c.tif: x", "d.tif: not read"});
        p.deadly.clear();
        CHECK(p.now(*index).at(1) == "b.tif: not read");
        CHECK(p.now(*p.index()).at(1) == "b.tif: x");  // another server tries again
    }
}

TEST_CASE("a worker that cannot be started is an error, not an empty answer") {
    place p;
    p.how = base::code::internal;
    p.deadly = "a.tif";
    p.file("a.tif", "x");
    CHECK(p.index()->update(milliseconds{1000}, p.cancel, {}).error().code == std::string{base::code::internal});
}

TEST_CASE("a damaged index, or one of another version, is made again") {
    place p;
    p.file("a.tif", "red");
    p.now(*p.index());
    const auto path = p.index_file();
    std::string good;
    {
        std::ifstream in{path};
        good.assign(std::istreambuf_iterator<char>{in}, {});
    }
    auto flipped = good;
    flipped[good.find("\"red\"") + 1] = 'b';
    for (const auto& bad : {std::string{}, std::string{"{"}, good.substr(0, good.size() / 2), flipped,
                            "gdal-mcp datasets 0 9 " + good.substr(good.find('\n') - 64)}) {
        p.read.clear();
        std::ofstream{path} << bad;
        CHECK(p.now(*p.index()) == names{"a.tif: red"});
        CHECK(p.read == names{"a.tif"});
    }
    p.read.clear();
    p.now(*p.index());
    CHECK(p.read.empty());
}

TEST_CASE("servers at once on one state folder all see everything") {
    place p;
    for (int i = 0; i < 30; ++i) p.file(std::to_string(100 + i) + ".tif", "x");
    std::vector<std::thread> all;
    for (int i = 0; i < 4; ++i)
        all.emplace_back([&p] {
            app::trusted_work worker = [&p](const runner::request& r, auto&, auto) -> base::result<json::object> {
                if (r.operation == "formats") return p.answer(r);
                json::array seen;
                for (std::size_t n = 0; n < r.files.size(); ++n)
                    seen.push_back(json::object{{"driver", "GTiff"}, {"texts", json::array{}}});
                return json::object{{"seen", std::move(seen)}};
            };
            app::registries known{worker};
            app::dataset_index index{p.roots, {p.state, "datasets"}, p.state, worker, known};
            runner::cancellation never;
            for (int n = 0; n < 5; ++n) static_cast<void>(index.update(milliseconds{1000}, never, {}));
        });
    for (auto& t : all) t.join();
    const auto after = p.index()->update(milliseconds{0}, p.cancel, {}).value();
    CHECK(std::all_of(after.all.begin(), after.all.end(), [](const auto& d) { return d.known != nullptr; }));
}

TEST_CASE("the state folder inside a workspace is not searched") {
    place p;
    p.state = p.top / "w/state";
    fs::create_directories(p.state);
    p.file("a.tif", "red");
    p.file("state/b.tif", "green");
    CHECK(p.now(*p.index()) == names{"a.tif: red"});
}

TEST_CASE("the index is kept from other users") {
    place p;
    p.file("a.tif", "red");
    p.now(*p.index());
    CHECK((fs::status(p.state / "datasets").permissions() & fs::perms::mask) == fs::perms::owner_all);
}

TEST_CASE("a cancelled search says so") {
    place p;
    p.file("a.tif", "red");
    p.cancel.stop();
    CHECK(p.index()->update(milliseconds{1000}, p.cancel, {}).error().code == std::string{base::code::cancelled});
}

TEST_CASE("an answer of another shape is left out piece by piece") {
    const auto c =
        app::contents_of(json::parse(R"({"driver": "D", "kinds": [1, "raster"], "texts": [3, {"what": "layer"}],
        "extents": [{"bounds": [1, 2, 3]}, {"bounds": [1, 2, 3, "x"]}, 7], "times": [{"from": -1, "to": 3}, {"from": 20190101}]})"));
    CHECK(c.kinds == names{"raster"});
    CHECK(c.texts.size() == 2);
    CHECK(c.extents.empty());
    CHECK(c.times.empty());
}
