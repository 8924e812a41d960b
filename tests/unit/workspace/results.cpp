#include "workspace/results.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "catch.hpp"
#include "temporary.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp;
using namespace gdalmcp::workspace;
using Catch::Matchers::ContainsSubstring;
namespace code = base::code;

namespace {

struct site {
    std::string make(const std::string& text = "made", json::object metadata = {}) {
        auto s = kept->begin("result.tif").value();
        put(s.candidates().front().file, text);
        return kept->keep(std::move(s), 0, std::move(metadata)).value().id;
    }
    base::problem gone(const std::string& id) {
        auto held = kept->hold(id);
        REQUIRE_FALSE(held);
        CHECK(held.error().code == code::expired);
        CHECK_FALSE(held.error().hint.empty());
        return held.error();
    }
    temporary t;
    time_point now = time_point{} + std::chrono::hours{24};
    std::unique_ptr<results> kept =
        std::make_unique<results>(scratch_places{std::nullopt, t.path}, [this] { return now; });
};

}  // namespace

TEST_CASE("a result is described by its metadata, its size and its times") {
    site s;
    const auto id = s.make("12345", {{"crs", "EPSG:4326"}, {"pixel_count", 5}});
    CHECK(id.size() == 32);
    const auto about = s.kept->describe(id).value();
    CHECK(base::write_json(about) == R"({"uri":"query://result/)" + id +
                                         R"(","name":"result.tif","mime_type":"image/tiff","size_bytes":5,)"
                                         R"("created":"1970-01-02T00:00:00.000Z","expires":"1970-01-02T00:15:00.000Z",)"
                                         R"("crs":"EPSG:4326","pixel_count":5})");
    CHECK(s.kept->list() == std::vector<json::object>{about});
    CHECK(id_of_result_uri(result_uri(id)) == id);
    CHECK_FALSE(id_of_result_uri("query://result/../../etc/passwd"));
}

TEST_CASE("nothing is made on disk before the first result, and nothing is left after the last") {
    site s;
    CHECK(names_in(s.t.path).empty());
    const auto id = s.make();
    REQUIRE(names_in(s.t.path).size() == 1);
    struct stat own {};
    REQUIRE(::stat((s.t.path / names_in(s.t.path).front()).c_str(), &own) == 0);
    CHECK((own.st_mode & 07777) == 0700);
    s.kept.reset();
    CHECK(names_in(s.t.path).empty());
}

TEST_CASE("a result lives for 900 seconds, then its handle has expired and its files are removed") {
    site s;
    const auto id = s.make();
    const auto file = s.kept->hold(id).value()->file;
    s.now += std::chrono::seconds{899};
    CHECK(s.kept->hold(id));
    s.now += std::chrono::seconds{1};
    CHECK_THAT(s.gone(id).message, ContainsSubstring("expired at 1970-01-02T00:15:00.000Z, 900 s after it was made"));
    CHECK_FALSE(fs::exists(file.parent_path()));
    CHECK(s.kept->list().empty());
}

TEST_CASE("a result held by a call outlives its expiry and its release, until the call ends") {
    site s;
    const auto a = s.make("a"), b = s.make("b");
    auto held_a = s.kept->hold(a).value(), held_b = s.kept->hold(b).value();
    s.now += std::chrono::seconds{1};
    REQUIRE(s.kept->release(b));
    CHECK_THAT(s.gone(b).message, ContainsSubstring("was released"));
    s.now += std::chrono::hours{1};
    s.kept->expire();
    s.gone(a);
    CHECK(get(held_a->file) == "a");
    CHECK(get(held_b->file) == "b");
    const auto file_a = held_a->file, file_b = held_b->file;
    held_a.reset();
    held_b.reset();
    s.kept->expire();
    CHECK_FALSE(fs::exists(file_a));
    CHECK_FALSE(fs::exists(file_b));
}

TEST_CASE("the 26th result drops the one unused for longest that no call holds") {
    site s;
    std::vector<std::string> ids;
    for (int i = 0; i < 25; ++i) ids.push_back(s.make());
    const auto held = s.kept->hold(ids[0]).value();
    CHECK(s.kept->hold(ids[1]));  // used since, and so kept
    auto draft = s.kept->begin("result.tif").value();
    put(draft.candidates().front().file, "the 26th");
    const auto last = s.kept->keep(std::move(draft), 0, {}).value();
    CHECK(last.evicted == std::vector<std::string>{ids[2]});
    ids.push_back(last.id);
    CHECK(s.kept->list().size() == 25);
    CHECK(s.kept->hold(ids[0]));
    CHECK_THAT(s.gone(ids[2]).message, ContainsSubstring("to make room"));
    CHECK(s.kept->hold(ids[25]));
}

TEST_CASE("a result that was used stays longer than newer ones that were not") {
    site s;
    const auto used = s.make();
    CHECK(s.kept->hold(used));
    for (int i = 0; i < 60; ++i) s.make();
    CHECK(s.kept->hold(used));
}

TEST_CASE("when running calls hold every result, the next is refused and leaves nothing") {
    site s;
    std::vector<std::shared_ptr<const managed>> held;
    for (int i = 0; i < 25; ++i) held.push_back(s.kept->hold(s.make()).value());
    auto draft = s.kept->begin("result.tif").value();
    const auto file = draft.candidates().front().file;
    put(file, "one too many");
    const auto kept = s.kept->keep(std::move(draft), 0, {});
    REQUIRE_FALSE(kept);
    CHECK(kept.error().code == code::exhausted);
    CHECK_FALSE(fs::exists(file));
}

TEST_CASE("an unknown id is answered like one from an earlier session") {
    site s;
    CHECK_THAT(s.gone(random_id()).message, ContainsSubstring("an earlier session"));
}

TEST_CASE("a draft that is not kept leaves nothing; a draft with stray files is not kept") {
    site s;
    fs::path folder;
    {
        auto draft = s.kept->begin("result.gpkg").value();
        folder = draft.candidates().front().folder;
        put(draft.candidates().front().file, "half");
    }
    CHECK_FALSE(fs::exists(folder));
    auto draft = s.kept->begin("result.gpkg").value();
    put(draft.candidates().front().folder / "other.gpkg", "x");
    CHECK(s.kept->keep(std::move(draft), 0, {}).error().code == code::verification_failed);
    CHECK(s.kept->list().empty());
}

TEST_CASE("a result has the mode of a new file, whatever its maker set") {
    site s;
    auto draft = s.kept->begin("result.tif").value();
    const auto file = draft.candidates().front().file;
    put(file, "made");
    fs::permissions(file, fs::perms::all | fs::perms::set_uid);
    REQUIRE(s.kept->keep(std::move(draft), 0, {}));
    CHECK((fs::status(file).permissions() & (fs::perms::set_uid | fs::perms::others_write | fs::perms::owner_exec)) ==
          fs::perms::none);
}

TEST_CASE("a result is read in pieces, and not beyond its end") {
    site s;
    const auto id = s.make("0123456789");
    CHECK(s.kept->read(id, 0, 4).value() == "0123");
    CHECK(s.kept->read(id, 8, 100).value() == "89");
    CHECK(s.kept->read(id, 10, 1).value().empty());
    CHECK(s.kept->read(id, ~0ull, 1).value().empty());
    CHECK(s.kept->read(random_id(), 0, 1).error().code == code::expired);
}

TEST_CASE("memory is offered first, while there is room within the cap; then disk only") {
    const auto places = default_scratch("", [](const char*) { return std::string{}; });
    if (!places.memory || !places.disk.is_absolute()) {
        WARN("skipped: no tmpfs at /dev/shm");
        return;
    }
    const temporary disk;
    result_limits limits;
    limits.memory_bytes = 2u << 20;
    results kept{{places.memory, disk.path}, [] { return time_point{}; }, limits};
    auto first = kept.begin("result.tif").value();
    REQUIRE(first.candidates().size() == 2);
    CHECK(first.candidates()[0].in_memory);
    CHECK(first.candidates()[0].room <= 2u << 20);
    CHECK_FALSE(first.candidates()[1].in_memory);
    const auto in_memory = first.candidates()[0], on_disk = first.candidates()[1];
    put(in_memory.file, std::string(1536u << 10, 'x'));
    const auto id = kept.keep(std::move(first), 0, {}).value().id;
    CHECK_FALSE(fs::exists(on_disk.folder));
    CHECK(kept.begin("result.tif").value().candidates().size() == 1);
    REQUIRE(kept.release(id));
    CHECK(kept.begin("result.tif").value().candidates().size() == 2);
    CHECK_FALSE(fs::exists(in_memory.folder));
}

TEST_CASE("removed results are reported once, whatever removed them") {
    site s;
    const auto released = s.make(), expired = s.make(), kept = s.make();
    CHECK(s.kept->take_gone().empty());
    REQUIRE(s.kept->release(released));
    CHECK(s.kept->take_gone() == std::vector<std::string>{released});
    CHECK(s.kept->take_gone().empty());
    s.now += std::chrono::hours{1};
    s.kept->expire();
    auto gone = s.kept->take_gone();
    std::sort(gone.begin(), gone.end());
    auto both = std::vector<std::string>{expired, kept};
    std::sort(both.begin(), both.end());
    CHECK(gone == both);
}

TEST_CASE("a disk is not mistaken for memory") {
    const auto none = [](const char*) { return std::string{}; };
    CHECK(default_scratch("/given", none).disk == "/given");
    CHECK(default_scratch("", [](const char* name) { return name == std::string{"TMPDIR"} ? "/t" : ""; }).disk == "/t");
    CHECK(default_scratch("", none).disk == "/tmp");
}

TEST_CASE("threads that make, hold, read and release results do not disturb each other") {
    site s;
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int n = 0; n < 4; ++n)
        threads.emplace_back([&, n] {
            for (int i = 0; i < 50; ++i) {
                const auto text = std::to_string(n * 1000 + i);
                auto draft = s.kept->begin("result.tif");
                if (!draft) {
                    ++wrong;
                    continue;
                }
                put(draft->candidates().front().file, text);
                const auto kept = s.kept->keep(std::move(*draft), 0, {});
                if (!kept || s.kept->read(kept->id, 0, 100).value_or("") != text || !s.kept->release(kept->id)) ++wrong;
            }
        });
    for (auto& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(s.kept->list().empty());
}
