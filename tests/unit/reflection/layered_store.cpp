#include "reflection/layered_store.hpp"

#include "example.hpp"

using namespace example;

namespace {

record crs_record(const std::string& crs_code, const std::string& intent, const std::string& timestamp) {
    auto text = parsed(reason(crs_code));
    text.as_object()["intent"] = intent;
    const auto a = read_answer(text,
                               {"crs_datum", crs_code, "",
                                [](std::string_view m) -> base::result<std::string> { return std::string{m}; }},
                               "")
                       .value();
    return make_record(*shipped()->find("crs_datum"), {{"dst_crs", crs_code}}, a, {"", {}, timestamp});
}

// A workspace's store, and two libraries: one as a store lies on disk, one with the domains in it.
struct layers {
    folder workspace, team, agency;
    const record ours = crs_record("EPSG:3857", "ours", "2026-01-01T00:00:00.000Z"),
                 teams = crs_record("EPSG:3857", "the team's", "2026-01-02T00:00:00.000Z"),
                 shared = crs_record("EPSG:6933", "the team's", "2026-01-02T00:00:00.000Z"),
                 agencys = crs_record("EPSG:6933", "the agency's", "2026-01-03T00:00:00.000Z"),
                 alone = crs_record("EPSG:32633", "the agency's", "2026-01-03T00:00:00.000Z");
    std::unique_ptr<store> all;

    layers() {
        REQUIRE(open_disk_store(workspace.path)->put(ours));
        REQUIRE(open_disk_store(team.path)->put(teams));
        REQUIRE(open_disk_store(team.path)->put(shared));
        REQUIRE(open_disk_store(agency.path)->put(agencys));
        REQUIRE(open_disk_store(agency.path)->put(alone));
        fs::rename(agency.path / "justifications/crs_datum", agency.path / "crs_datum");
        fs::remove_all(agency.path / "justifications");
        std::vector<std::unique_ptr<store>> libraries;
        libraries.push_back(open_library(team.path).value());
        libraries.push_back(open_library(agency.path).value());
        all = layer_stores(open_disk_store(workspace.path), std::move(libraries));
    }
    std::string found(const std::string& key) {
        const auto f = all->find("crs_datum", key);
        if (f.records.empty()) return "nothing";
        const auto& r = *f.records.front();
        return std::string{base::string_member(r.text.at("justification"), "intent")} + " in " +
               (r.found_in.empty()                  ? "the workspace"
                : fs::path{r.found_in} == team.path ? "team"
                                                    : "agency");
    }
};

}  // namespace

TEST_CASE("a reason is looked for in the workspace first, then in the libraries in their order") {
    layers l;
    CHECK(l.found(l.ours.cache_key) == "ours in the workspace");
    CHECK(l.found(l.shared.cache_key) == "the team's in team");
    CHECK(l.found(l.alone.cache_key) == "the agency's in agency");
    CHECK(l.all->find_question("crs_datum", l.alone.question_hash).records.front()->found_in == l.agency.path.string());
    CHECK(l.all->domains() == std::vector<std::string>{"crs_datum"});
}

TEST_CASE("of several records under one key the list has the one that counts, and where it is") {
    layers l;
    std::string listed;
    for (const auto& r : l.all->list("crs_datum").records)
        listed += std::string{base::string_member(r->text.at("prompt_args"), "dst_crs")} + " " +
                  std::string{base::string_member(r->text.at("justification"), "intent")} + "; ";
    CHECK(listed == "EPSG:32633 the agency's; EPSG:6933 the team's; EPSG:3857 ours; ");
}

TEST_CASE("a reason of one's own comes before the library's, and never changes the library") {
    layers l;
    const auto mine = crs_record("EPSG:6933", "my own", "2026-01-01T00:00:00.000Z");
    REQUIRE(l.all->put(mine));
    CHECK(l.found(mine.cache_key) == "my own in the workspace");
    REQUIRE(l.all->revoke("crs_datum", mine.cache_key));
    CHECK(l.found(mine.cache_key) == "the team's in team");
    for (const auto& withdrawn :
         {l.all->revoke("crs_datum", mine.cache_key), l.all->erase("crs_datum", mine.cache_key)}) {
        CHECK(withdrawn.error().code == base::code::denied);
        CHECK(withdrawn.error().message.find(l.team.path.string()) != std::string::npos);
    }
    CHECK(l.all->revoke("crs_datum", "sha256:" + std::string(64, '0')).error().code == base::code::not_found);
}

TEST_CASE("reading a library writes nothing into it") {
    layers l;
    fs::remove(l.team.path / "justifications/.lock");
    fs::remove(l.team.path / "justifications/index.json");
    CHECK(l.all->find_question("crs_datum", l.shared.question_hash).records.size() == 1);
    l.all.reset();
    CHECK_FALSE(fs::exists(l.team.path / "justifications/index.json"));
    CHECK_FALSE(fs::exists(l.team.path / "justifications/.lock"));
}

TEST_CASE("an edited record of a library is a miss with a warning, and the next library is asked") {
    layers l;
    const auto file = l.team.path / "justifications/crs_datum" / (l.shared.cache_key + ".json");
    REQUIRE(base::write_file_atomically(file, "{}"));
    const auto f = l.all->find("crs_datum", l.shared.cache_key);
    CHECK(f.warnings.size() == 1);
    CHECK(f.records.front()->found_in == l.agency.path.string());
}

TEST_CASE("a missing library is a problem that names it") {
    const auto nowhere = open_library("/no/such/library");
    REQUIRE_FALSE(nowhere);
    CHECK(nowhere.error().message.find("/no/such/library") != std::string::npos);
}
