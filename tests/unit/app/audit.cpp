#include "app/call/audit.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "app/call/history.hpp"
#include "base/digest.hpp"
#include "catch.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp;
using namespace gdalmcp::app;

namespace {

struct folder {
    fs::path path;
    folder() {
        std::string pattern = (fs::temp_directory_path() / "audit-XXXXXX").string();
        path = ::mkdtemp(pattern.data());
    }
    ~folder() { fs::remove_all(path); }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;
};

struct some_lines : folder {
    const audit file{{path, "store"}, "audit.jsonl"};

    void append(int from, int to) const {
        for (int i = from; i < to; ++i) REQUIRE(file.append({{"n", i}}));
    }
    std::vector<std::string> lines() const {
        std::ifstream in{file.file()};
        std::vector<std::string> all;
        for (std::string line; std::getline(in, line);) all.push_back(line);
        return all;
    }
    void rewrite(const std::vector<std::string>& all) const {
        std::ofstream out{file.file(), std::ios::trunc};
        for (const auto& line : all) out << line << "\n";
    }
    std::string complaint() const {
        const auto chain = file.verify();
        return chain ? "unbroken" : chain.error().message;
    }
    std::string newest(std::size_t count, const std::function<bool(const json::object&)>& wanted) const {
        std::string all;
        for (const auto& e : file.recent(count, wanted)) all += base::write_json(e.at("n")) + " ";
        return all;
    }
};

bool any(const json::object&) { return true; }

}  // namespace

TEST_CASE("each line carries the hash of the one before") {
    const some_lines s;
    s.append(0, 3);
    const auto lines = s.lines();
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == R"({"previous":"sha256:)" + std::string(64, '0') + R"(","n":0})");
    CHECK(lines[2] == R"({"previous":"sha256:)" + base::sha256_hex(lines[1]) + R"(","n":2})");
    const auto chain = s.file.verify();
    CHECK(chain->lines == 3);
    CHECK(chain->last == "sha256:" + base::sha256_hex(lines[2]));
}

TEST_CASE("a changed, removed or inserted line is detected") {
    const some_lines s;
    s.append(0, 5);
    auto lines = s.lines();
    SECTION("changed") {
        lines[1].replace(lines[1].find("\"n\":1"), 5, "\"n\":9");
        s.rewrite(lines);
        CHECK(s.complaint().find("line 3 of ") == 0);
    }
    SECTION("taken out") {
        lines.erase(lines.begin() + 2);
        s.rewrite(lines);
        CHECK(s.complaint().find("line 3 of ") == 0);
    }
    SECTION("taken out at the beginning") {
        lines.erase(lines.begin());
        s.rewrite(lines);
        CHECK(s.complaint().find("line 1 of ") == 0);
    }
    SECTION("put in") {
        lines.insert(lines.begin() + 1, lines[1]);
        s.rewrite(lines);
        CHECK(s.complaint().find("line 3 of ") == 0);
    }
    SECTION("no JSON") {
        lines[3] = "{";
        s.rewrite(lines);
        CHECK(s.complaint().find("line 4 of ") == 0);
    }
    SECTION("gone") {
        fs::remove(s.file.file());
        CHECK(s.file.verify().error().code == base::code::not_found);
    }
}

TEST_CASE("no line is written or read through a link") {
    const some_lines s;
    const folder outside;
    std::ofstream{outside.path / "audit.jsonl"} << "{\"n\":7}\n";
    if (GENERATE(true, false)) {
        fs::create_symlink(outside.path, s.path / "store");
    } else {
        fs::create_directory(s.path / "store");
        fs::create_symlink(outside.path / "audit.jsonl", s.path / "store/audit.jsonl");
    }
    const auto written = s.file.append({{"n", 1}});
    REQUIRE_FALSE(written);
    CHECK(written.error().message.find("symbolic link") != std::string::npos);
    CHECK(s.newest(10, any).empty());
    CHECK(s.complaint().find("symbolic link") != std::string::npos);
    CHECK_FALSE(s.file.each([](const json::object&) {}));
    CHECK(fs::file_size(outside.path / "audit.jsonl") == 8);
}

TEST_CASE("a line cut off by a crash damages no other line") {
    const some_lines s;
    s.append(0, 2);
    fs::resize_file(s.file.file(), fs::file_size(s.file.file()) - 5);
    s.append(2, 4);
    CHECK(s.lines().size() == 4);
    CHECK(s.newest(10, any) == "3 2 0 ");
    CHECK(s.complaint().find("line 2 of ") == 0);
}

TEST_CASE("the newest come first, however long the lines are") {
    const some_lines s;
    CHECK(s.newest(3, any).empty());
    const std::string padding(GENERATE(0, 1000, 70'000, 200'000), 'x');
    for (int i = 0; i < 20; ++i) REQUIRE(s.file.append({{"n", i}, {"padding", padding}}));
    CHECK(s.newest(3, any) == "19 18 17 ");
    CHECK(s.newest(2, [](const json::object& e) { return e.at("n").as_int64() % 10 == 0; }) == "10 0 ");
    CHECK(s.newest(100, any).substr(0, 6) == "19 18 ");
    CHECK(s.file.recent(100, any).size() == 20);
    CHECK(s.complaint() == "unbroken");
}

TEST_CASE("the search ends at its limit from the end") {
    const some_lines s;
    REQUIRE(s.file.append({{"n", 0}}));
    for (int i = 1; i < 20; ++i) REQUIRE(s.file.append({{"n", i}, {"padding", std::string(1'000'000, 'x')}}));
    CHECK(s.newest(1, [](const json::object& e) { return e.at("n") == 0; }).empty());
}

TEST_CASE("two processes with four threads each do not break the chain") {
    const some_lines s;
    const auto write = [&] {
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                const audit mine{{s.path, "store"}, "audit.jsonl"};
                for (int i = 0; i < 100; ++i)
                    if (!mine.append({{"n", i}})) return;
            });
        for (auto& t : threads) t.join();
    };
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        write();
        ::_exit(0);
    }
    write();
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(s.complaint() == "unbroken");
    CHECK(s.file.verify()->lines == 800);
}

TEST_CASE("a call is recorded with its outcome, and its arguments as a digest") {
    const folder f;
    history h{{f.path, "store"}};
    app::call_record o;
    o.tool = "raster_reproject";
    o.arguments = digest_of_arguments({{"uri", "secret.tif"}, {"justification", json::object{{"a", 1}}}});
    o.outcome = "ok";
    o.outputs = {"/data/out.tif"};
    o.receipts = {json::object{{"domain", "crs_datum"}, {"decision", "proceed"}}};
    o.started = std::chrono::system_clock::time_point{};
    o.took = std::chrono::microseconds{1500};
    h.record(o);
    o.tool = "raster_info";
    o.receipts = {};
    h.record(o);
    CHECK(
        base::write_json(json::value(h.governed(10))) ==
        R"([{"time":"1970-01-01T00:00:00.000Z","tool":"raster_reproject","arguments":"sha256:)" +
            base::sha256_hex(R"({"uri":"secret.tif"})") +
            R"(","outcome":"ok","outputs":["/data/out.tif"],"receipts":[{"domain":"crs_datum","decision":"proceed"}],"ms":1.5}])");
    CHECK(h.operations(10).size() == 2);
    CHECK(h.operations(1).at(0).at("tool") == "raster_info");
    CHECK(h.file().verify()->lines == 2);
}

TEST_CASE("an unwritable history fails no call") {
    history h{{"/proc", "nowhere"}};
    h.record({});
    CHECK(h.operations(10).empty());
}

TEST_CASE("a file without a line break is moved aside, however large, and a new log begins") {
    const some_lines s;
    s.append(0, 1);
    fs::resize_file(s.file.file(), std::uintmax_t{3} << 30);  // zeros
    s.append(1, 3);
    CHECK(s.file.verify()->lines == 2);
    CHECK(s.newest(9, any) == "2 1 ");
    CHECK(fs::file_size(s.path / "store/audit.jsonl.broken-1") == std::uintmax_t{3} << 30);
    fs::resize_file(s.file.file(), std::uintmax_t{3} << 30);
    s.append(3, 4);
    CHECK(fs::exists(s.path / "store/audit.jsonl.broken-2"));
    CHECK(s.newest(9, any) == "3 ");
}

TEST_CASE("a long line that is whole is a line of the chain") {
    const some_lines s;
    REQUIRE(s.file.append({{"n", 0}, {"long", std::string(8u << 20, 'x')}}));
    s.append(1, 2);
    CHECK(s.file.verify()->lines == 2);
}
