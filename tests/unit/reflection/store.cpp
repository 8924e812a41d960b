#include <sys/stat.h>

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

TEST_CASE("a record holds everything needed to trust it, in the place the contract names") {
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
    CHECK(base::read_file(s.workspace.path / ".preflight/justifications/index.json"));
}

TEST_CASE("an edited record is a miss with a warning") {
    stored s;
    REQUIRE(s.found().records.size() == 1);
    s.rewrite([](json::object& r) { r["justification"].at_pointer("/intent") = "something else"; }, false);
    CHECK(s.doubt() == "its digest does not fit its content: it was edited");
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
        CHECK(s.gate().decide(c)->rulings.front().notes.front().find("choice.method does not fit its key") !=
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

TEST_CASE("what is no record is a miss with a warning") {
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

TEST_CASE("two stores writing at once lose nothing") {
    const folder f;
    const auto* spec = shipped()->find("hydrology");
    const auto a =
        read_answer(
            parsed(reason("d8")),
            {"hydrology", "d8", "", [](std::string_view m) -> base::result<std::string> { return std::string{m}; }}, "")
            .value();
    const auto write = [&](int from) {
        const auto mine = open_disk_store(f.path);
        for (int i = from; i < from + 40; ++i)
            if (!mine->put(make_record(*spec, {{"operation", "step " + std::to_string(i)}, {"method", "d8"}}, a,
                                       {"", {}, "2026-01-02T03:04:05.678Z"})))
                return;
    };
    std::thread first{write, 0}, second{write, 30};  // ten keys are written by both
    first.join();
    second.join();
    const auto after = open_disk_store(f.path);
    int found = 0;
    for (int i = 0; i < 70; ++i) {
        const json::object key{{"operation", "step " + std::to_string(i)}, {"method", "d8"}};
        found += static_cast<int>(
            after->find("hydrology", cache_key("hydrology", spec->question_prompt.hash, key)).records.size());
        found += static_cast<int>(after->find_question("hydrology", question_hash("hydrology", key)).records.size());
    }
    CHECK(found == 140);
    for (const auto& e : fs::directory_iterator{f.path / "justifications/hydrology"})
        CHECK(e.path().extension() == ".json");
}

TEST_CASE("a store that cannot be written says which folder") {
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
