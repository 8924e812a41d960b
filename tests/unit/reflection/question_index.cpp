#include "reflection/question_index.hpp"

#include "example.hpp"

using namespace example;

namespace {

// A folder of files named after records, each answering the question of its first digit.
struct records {
    folder where;
    int read = 0;

    static std::string key(int n) {
        auto digits = std::to_string(n);
        return "sha256:" + std::string(64 - digits.size(), 'a') + digits;
    }
    void add(int n) { where.write("flow/" + key(n) + ".json", ""); }
    void remove(int n) { fs::remove(where.path / "flow" / (key(n) + ".json")); }
    std::size_t answering(question_index& index, const std::string& question) {
        return index
            .cache_keys("flow", question,
                        [&](const std::string& cache_key) {
                            ++read;
                            return cache_key.substr(cache_key.size() - 2, 1);
                        })
            .size();
    }
};

}  // namespace

TEST_CASE("a record is read once, and not again by the next start") {
    records r;
    for (int n = 10; n < 40; ++n) r.add(n);
    {
        question_index index{{r.where.path, ""}, true};
        CHECK(r.answering(index, "1") == 10);
        CHECK(r.answering(index, "2") == 10);
        CHECK(r.answering(index, "9") == 0);
        CHECK(r.read == 30);
    }
    question_index again{{r.where.path, ""}, true};
    CHECK(r.answering(again, "3") == 10);
    CHECK(r.read == 30);
    r.add(40);
    CHECK(r.answering(again, "4") == 1);
    CHECK(r.read == 31);
}

TEST_CASE("records that come and go are noticed") {
    records r;
    r.add(10);
    r.add(11);
    question_index index{{r.where.path, ""}, true};
    CHECK(r.answering(index, "1") == 2);
    r.remove(10);
    CHECK(r.answering(index, "1") == 1);
    r.add(12);
    CHECK(r.answering(index, "1") == 2);
    fs::remove_all(r.where.path / "flow");
    CHECK(r.answering(index, "1") == 0);
    r.add(13);
    CHECK(r.answering(index, "1") == 1);
}

TEST_CASE("an invalid index is rebuilt; a read-only folder gets none") {
    records r;
    r.add(10);
    for (const char* broken : {"{", "[]", R"({"domains":{"flow":7}})", R"({"domains":{"flow":{"records":{"x":1}}}})"}) {
        r.where.write("index.json", broken);
        question_index index{{r.where.path, ""}, true};
        CHECK(r.answering(index, "1") == 1);
    }
    fs::remove(r.where.path / "index.json");
    {
        question_index index{{r.where.path, ""}, false};
        CHECK(r.answering(index, "1") == 1);
    }
    CHECK_FALSE(fs::exists(r.where.path / "index.json"));
}

TEST_CASE("a record that could not be read is tried again when its folder changes") {
    records r;
    r.add(10);
    question_index index{{r.where.path, ""}, true};
    CHECK(index.cache_keys("flow", "1", [](const std::string&) { return std::string{}; }).empty());
    r.add(20);
    CHECK(r.answering(index, "1") == 1);
}
