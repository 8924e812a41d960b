#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/digest.hpp"
#include "example.hpp"

using namespace example;

namespace {
// A stored reason for EPSG:3857: its key and its file.
struct stored : setting {
    std::string key;
    fs::path file;
    stored() {
        const auto done = gate().store_justification(
            store_call("crs_datum", R"({"dst_crs":"EPSG:3857"})", reason("EPSG:3857")), crs());
        key = done.value().at("cache_key").as_string();
        file = file_of("crs_datum", key);
    }
    findings found() { return records->find("crs_datum", key); }
    void rewrite(const std::function<void(json::object&)>& edit, bool with_digest) {
        auto r = parsed(base::read_file(file).value()).as_object();
        edit(r);
        if (with_digest) {
            r.erase("digest");
            r["digest"] = "sha256:" + base::sha256_hex(base::canonical_json(r));
        }
        REQUIRE(base::write_file_atomically(file, line(r)));
    }
    std::string doubt() {
        const auto f = found();
        CHECK(f.records.empty());
        return f.warnings.empty() ? "" : f.warnings.front().substr(f.warnings.front().find(": ") + 2);
    }
};
}  // namespace

TEST_CASE("a record holds everything needed to verify it, in the documented place") {
    stored s;
    const auto r = parsed(base::read_file(s.file).value()).as_object();
    std::string fields;
    for (const auto& m : r) fields += std::string{m.key()} + " ";
    CHECK(fields ==
          "cache_key chosen_by digest domain justification parents prompt_args prompt_hash prompt_name "
          "question_hash schema_version scope timestamp tool_name ");
    CHECK(r.at("timestamp") == json::value("2026-01-02T03:04:05.678Z"));
    CHECK(line(r.at("prompt_args")) == R"({"dst_crs":"EPSG:3857"})");
    CHECK(r.at("cache_key") == json::value(s.key));
    CHECK(s.found().records.front()->text.at("digest") == r.at("digest"));
}

TEST_CASE("an edited record is a miss with a warning") {
    stored s;
    REQUIRE(s.found().records.size() == 1);
    s.rewrite([](json::object& r) { r["justification"].at_pointer("/intent") = "something else"; }, false);
    CHECK(s.doubt() == "its digest does not match its content: it was edited");
}

TEST_CASE("an edit that also recomputes the digest does not buy another key or an empty reason") {
    stored s;
    SECTION("another question") {
        s.rewrite([](json::object& r) { r["prompt_args"].as_object()["dst_crs"] = "EPSG:4326"; }, true);
        CHECK(s.doubt() == "it is foreign: its key cannot be recomputed from its content");
    }
    SECTION("another domain") {
        s.rewrite([](json::object& r) { r["domain"] = "resampling"; }, true);
        CHECK(s.doubt() == "it is foreign: its key cannot be recomputed from its content");
    }
    SECTION("another version") {
        s.rewrite([](json::object& r) { r["schema_version"] = 2; }, true);
        CHECK(s.doubt() == "it has schema version 2, and this program reads 1");
    }
    SECTION("an empty string") {
        s.rewrite([](json::object& r) { r["justification"].at_pointer("/choice/rationale") = ""; }, true);
        CHECK(s.doubt() == "empty in the justification: choice.rationale");
    }
    SECTION("no alternatives, though an agent chose") {
        s.rewrite([](json::object& r) { r["justification"].at_pointer("/alternatives") = json::array{}; }, true);
        CHECK(s.doubt().find("alternatives is empty") == 0);
    }
    SECTION("a choice that contradicts the key") {
        s.rewrite([](json::object& r) { r["justification"].at_pointer("/choice/method") = "EPSG:4326"; }, true);
        const auto c = s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857"})");
        CHECK(s.decisions(c) == "crs_datum=block");
        CHECK(s.gate().decide(c)->rulings.front().notes.front().find("choice.method does not match its key") !=
              std::string::npos);
    }
    SECTION("a field of the wrong type") {
        s.rewrite([](json::object& r) { r["parents"] = json::array{"x"}; }, true);
        CHECK(s.doubt() == "its field 'parents' is missing or malformed");
    }
    SECTION("a field that is gone") {
        s.rewrite([](json::object& r) { r.erase("scope"); }, true);
        CHECK(s.doubt() == "its field 'scope' is missing or malformed");
    }
}

TEST_CASE("an invalid record is a miss with a warning") {
    stored s;
    REQUIRE(base::write_file_atomically(s.file, "{\"half\":"));
    CHECK(s.doubt().find("it is not valid JSON") == 0);
    REQUIRE(base::write_file_atomically(s.file, "[]"));
    CHECK(s.doubt() == "it is not an object");
    REQUIRE(base::write_file_atomically(s.file, ""));
    CHECK(s.doubt().find("it is not valid JSON") == 0);
    fs::remove(s.file);
    fs::create_directory(s.file);
    CHECK(s.doubt().find("is not a regular file") != std::string::npos);
    fs::remove(s.file);
    CHECK(s.doubt().empty());
}

TEST_CASE("a record under another's name is foreign") {
    stored s;
    const auto other = "sha256:" + std::string(64, '0');
    fs::copy(s.file, s.file_of("crs_datum", other));
    const auto f = s.records->find("crs_datum", other);
    CHECK(f.records.empty());
    CHECK(f.warnings.front().find("it is foreign") != std::string::npos);
}

TEST_CASE("a domain is a name, never a path") {
    setting s;
    s.workspace.write("x/sha256:" + std::string(64, '0') + ".json", "{}");
    CHECK(s.records->find("../../x", "sha256:" + std::string(64, '0')).warnings.empty());
    CHECK(s.records->find_question("../x", "sha256:" + std::string(64, '0')).records.empty());
    const auto refused =
        s.gate().store_justification(store_call("../x", R"({"dst_crs":"EPSG:3857"})", reason("EPSG:3857")), crs());
    CHECK(refused.error().message == "there is no domain '../x'");
    CHECK(refused.error().at == "/domain");
    CHECK_FALSE(fs::exists(s.workspace.path / ".preflight"));
}

TEST_CASE("a store opened anew finds what another one wrote, with and without the index") {
    stored s;
    const auto question = s.found().records.front()->question_hash;
    const auto root = s.workspace.path / ".preflight";
    CHECK(open_disk_store(root)->find("crs_datum", s.key).records.size() == 1);
    CHECK(open_disk_store(root)->find_question("crs_datum", question).records.size() == 1);
    fs::remove(root / "justifications/index.json");
    CHECK(open_disk_store(root)->find_question("crs_datum", question).records.size() == 1);
    CHECK(fs::exists(root / "justifications/index.json"));
    for (const char* broken : {"{", "[]", R"({"domains":{"crs_datum":{"sha256:x":7},"../y":{}}})"}) {
        REQUIRE(base::write_file_atomically(root / "justifications/index.json", broken));
        CHECK(open_disk_store(root)->find_question("crs_datum", question).records.size() == 1);
    }
    // A record somebody else adds is found by a store that is open already.
    const auto open = open_disk_store(root);
    CHECK(open->find_question("crs_datum", question).records.size() == 1);
    fs::remove(s.file);
    CHECK(open->find_question("crs_datum", question).records.empty());
}

namespace {
record flow_record(const std::string& step, const std::string& intent, const std::string& timestamp) {
    const auto* spec = shipped()->find("hydrology");
    auto text = parsed(reason("d8"));
    text.as_object()["intent"] = intent;
    const auto a =
        read_answer(
            text,
            {"hydrology", "d8", "", [](std::string_view m) -> base::result<std::string> { return std::string{m}; }}, "")
            .value();
    return make_record(*spec, {{"operation", step}, {"method", "d8"}}, a, {"", {}, timestamp});
}

std::size_t files_in(const fs::path& folder) {
    if (!fs::exists(folder)) return 0;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}));
}

std::string intent_of(const findings& f) {
    if (f.records.size() != 1) return std::to_string(f.records.size()) + " records";
    return std::string{base::string_member(f.records.front()->text.at("justification"), "intent")};
}
}  // namespace

TEST_CASE("a replaced record is kept under its digest, and is no longer found") {
    const folder f;
    const auto s = open_disk_store(f.path);
    const auto first = flow_record("condition", "a first reason", "2026-01-02T03:04:05.678Z"),
               second = flow_record("condition", "a better reason", "2026-01-03T03:04:05.678Z");
    REQUIRE(s->put(first));
    REQUIRE(s->put(first));  // the same again replaces nothing
    const auto earlier = f.path / "justifications/hydrology/earlier";
    CHECK(files_in(earlier) == 0);
    REQUIRE(s->put(second));
    CHECK(intent_of(s->find("hydrology", second.cache_key)) == "a better reason");
    CHECK(s->find_question("hydrology", second.question_hash).records.size() == 1);
    CHECK(s->list("hydrology").records.size() == 1);
    REQUIRE(files_in(earlier) == 1);
    const auto kept = base::read_file(earlier / (std::string{base::string_member(first.text, "digest")} + ".json"));
    CHECK(read_record(kept.value(), "hydrology", first.cache_key)->text == first.text);
}

TEST_CASE("an invalid record is kept under the digest of its bytes when it is replaced") {
    const folder f;
    const auto s = open_disk_store(f.path);
    const auto r = flow_record("condition", "a reason", "2026-01-02T03:04:05.678Z");
    f.write("justifications/hydrology/" + r.cache_key + ".json", "garbage");
    REQUIRE(s->put(r));
    CHECK(intent_of(s->find("hydrology", r.cache_key)) == "a reason");
    CHECK(base::read_file(f.path / "justifications/hydrology/earlier" /
                          ("sha256:" + base::sha256_hex("garbage") + ".json"))
              .value() == "garbage");
}

TEST_CASE("a revoked record is a miss and is kept aside; an erased one is gone") {
    const folder f;
    const auto s = open_disk_store(f.path);
    const auto a = flow_record("condition", "one", "2026-01-02T03:04:05.678Z"),
               b = flow_record("flow_direction", "two", "2026-01-02T03:04:05.678Z");
    REQUIRE(s->put(a));
    REQUIRE(s->put(b));
    REQUIRE(s->find_question("hydrology", a.question_hash).records.size() == 1);
    REQUIRE(s->revoke("hydrology", a.cache_key));
    REQUIRE(s->erase("hydrology", b.cache_key));
    for (const auto* r : {&a, &b}) {
        CHECK(s->find("hydrology", r->cache_key).records.empty());
        CHECK(s->find_question("hydrology", r->question_hash).records.empty());
    }
    CHECK(s->list("hydrology").records.empty());
    CHECK(files_in(f.path / "justifications/hydrology/revoked") == 1);
    CHECK(s->revoke("hydrology", a.cache_key).error().code == base::code::not_found);
    CHECK(s->erase("../hydrology", b.cache_key).error().code == base::code::not_found);
    // A file nobody believes can be withdrawn as well.
    const auto broken = f.write("justifications/hydrology/" + a.cache_key + ".json", "garbage");
    REQUIRE(s->revoke("hydrology", a.cache_key));
    CHECK_FALSE(fs::exists(broken));
    CHECK(files_in(f.path / "justifications/hydrology/revoked") == 2);
}

TEST_CASE("the list holds every record, newest first, and names invalid ones") {
    const folder f;
    const auto s = open_disk_store(f.path);
    REQUIRE(s->put(flow_record("condition", "older", "2026-01-02T03:04:05.678Z")));
    REQUIRE(s->put(flow_record("flow_direction", "newer", "2026-01-03T03:04:05.678Z")));
    f.write("justifications/hydrology/sha256:" + std::string(64, '0') + ".json", "{}");
    f.write("justifications/hydrology/notes.json", "{}");
    f.write("justifications/Not A Domain/x.json", "{}");
    CHECK(s->domains() == std::vector<std::string>{"hydrology"});
    const auto all = s->list("hydrology");
    REQUIRE(all.records.size() == 2);
    CHECK(all.records.front()->timestamp > all.records.back()->timestamp);
    REQUIRE(all.warnings.size() == 1);
    CHECK(all.warnings.front().find("sha256:0000") != std::string::npos);
    CHECK(s->list("../hydrology").records.empty());
}

TEST_CASE("a thousand stores by two processes with four threads each lose nothing") {
    const folder f;
    // Keys 0 to 799 are written once, 800 to 899 by both processes, each with a reason of its own.
    const auto write = [&](int process) {
        std::atomic<int> stored{0};
        const auto mine = open_disk_store(f.path);
        const auto some = [&](int thread) {
            const std::string intent = "written by process " + std::to_string(process);
            for (int i = thread; i < 500; i += 4) {
                const int key = i < 400 ? process * 400 + i : 400 + i;
                stored += mine->put(flow_record(std::to_string(key), intent, "2026-01-02T03:04:05.678Z")).has_value();
            }
        };
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) threads.emplace_back(some, t);
        for (auto& t : threads) t.join();
        return stored == 500;
    };
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) ::_exit(write(1) ? 0 : 1);
    CHECK(write(0));
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
    const auto after = open_disk_store(f.path);
    int found = 0;
    for (int i = 0; i < 900; ++i) {
        const auto r = flow_record(std::to_string(i), "any", "2026-01-02T03:04:05.678Z");
        found += static_cast<int>(after->find("hydrology", r.cache_key).records.size());
        found += static_cast<int>(after->find_question("hydrology", r.question_hash).records.size());
    }
    CHECK(found == 1800);
    // Of each pair one is in its place, the other was replaced by it.
    CHECK(files_in(f.path / "justifications/hydrology/earlier") == 100);
    CHECK(files_in(f.path / "justifications/hydrology") == 901);
}

TEST_CASE("no record is read or written through a link, wherever it stands in the way") {
    const folder f, outside;
    const auto r = flow_record("condition", "planted", "2026-01-02T03:04:05.678Z");
    REQUIRE(open_disk_store(outside.path / ".preflight")->put(r));
    const auto mine = f.path / ".preflight";
    const auto link = [&](const fs::path& below) {
        const auto at = below.empty() ? mine : mine / below;
        fs::create_directories(at.parent_path());
        fs::create_symlink(outside.path / ".preflight" / below, at);
    };
    const auto file = "justifications/hydrology/" + r.cache_key + ".json";
    const auto planted = base::read_file(outside.path / ".preflight" / file).value();
    const auto unmoved = [&] { CHECK(base::read_file(outside.path / ".preflight" / file).value() == planted); };
    const auto doubted = [&](const char* why) {
        const auto s = open_disk_store(mine);
        const auto found = s->find("hydrology", r.cache_key);
        CHECK(found.records.empty());
        REQUIRE(found.warnings.size() == 1);
        CHECK(found.warnings.front().find(why) != std::string::npos);
        CHECK(s->find_question("hydrology", r.question_hash).records.empty());
        CHECK(s->list("hydrology").records.empty());
    };
    const auto better = flow_record("condition", "my own", "2026-01-03T03:04:05.678Z");
    SECTION("a folder on the way") {
        const auto* below = GENERATE("", "justifications", "justifications/hydrology");
        link(below);
        doubted("symbolic link");
        const auto s = open_disk_store(mine);
        for (const auto& done :
             {s->put(better), s->revoke("hydrology", r.cache_key), s->erase("hydrology", r.cache_key)})
            CHECK_FALSE(done);
        CHECK(s->put(better).error().message.find("symbolic link") != std::string::npos);
        CHECK_FALSE(s->put(better).error().hint.empty());
    }
    SECTION("the record itself, which is moved aside") {
        link(file);
        doubted("is not a regular file");
        const auto s = open_disk_store(mine);
        REQUIRE(s->put(better));
        CHECK(intent_of(s->find("hydrology", r.cache_key)) == "my own");
        CHECK(files_in(mine / "justifications/hydrology/earlier") == 1);
    }
    SECTION("a folder in the place of the record, which is moved aside") {
        fs::create_directories(mine / file / "inside");
        doubted("is not a regular file");
        const auto s = open_disk_store(mine);
        REQUIRE(s->put(better));
        CHECK(intent_of(s->find("hydrology", r.cache_key)) == "my own");
        CHECK(files_in(mine / "justifications/hydrology/earlier") == 1);
    }
    SECTION("the lock and the index") {
        f.write(".preflight/justifications/x", "");
        REQUIRE(base::write_file_atomically(outside.path / "target", "untouched"));
        fs::create_symlink(outside.path / "target", mine / "justifications/index.json");
        fs::create_symlink(outside.path / "target", mine / "justifications/.lock");
        CHECK_FALSE(open_disk_store(mine)->put(better));
        CHECK(base::read_file(outside.path / "target").value() == "untouched");
    }
    unmoved();
}

TEST_CASE("a store that cannot be written names the folder") {
    if (::geteuid() == 0) {
        const auto s = open_disk_store("/proc/nowhere");
        const auto* spec = shipped()->find("crs_datum");
        const auto a = read_answer(parsed(reason("EPSG:3857")),
                                   {"crs_datum", "EPSG:3857", "",
                                    [](std::string_view m) -> base::result<std::string> { return std::string{m}; }},
                                   "")
                           .value();
        const auto ok = s->put(make_record(*spec, {{"dst_crs", "EPSG:3857"}}, a, {"", {}, "2026-01-02T03:04:05.678Z"}));
        REQUIRE_FALSE(ok);
        CHECK(ok.error().message.find("/proc/nowhere/justifications/crs_datum") != std::string::npos);
    }
}
