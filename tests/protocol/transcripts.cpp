// Plays every transcript against the scripted server, in this process: no pipes, no timing.
#include <deque>
#include <random>

#include "catch.hpp"
#include "scripted_server.hpp"
#include "transcript.hpp"

using namespace gdalmcp;
using namespace gdalmcp::protocol_test;

namespace {

std::vector<std::filesystem::path> all_files() {
    std::vector<std::filesystem::path> files;
    for (const char* folder : {"any", "scripted"})
        for (const auto& e : std::filesystem::directory_iterator{std::filesystem::path{GDALMCP_TRANSCRIPTS} / folder})
            if (e.path().extension() == ".txt") files.push_back(e.path());
    std::sort(files.begin(), files.end());
    return files;
}

bool line_agrees(const std::string& expected, const std::string& got) {
    const auto e = base::parse_json(expected), g = base::parse_json(got);
    REQUIRE(e);
    REQUIRE(g);
    return agrees(*e, *g);
}

}  // namespace

TEST_CASE("the server sends exactly the messages of the transcripts") {
    const auto file = GENERATE(from_range(all_files()));
    INFO(file.string());
    const auto t = read_transcript(file);
    REQUIRE_FALSE(t.steps.empty());
    scripted_server server;
    std::deque<std::string> waiting;
    const auto hear = [&](const std::vector<std::string>& lines) {
        waiting.insert(waiting.end(), lines.begin(), lines.end());
    };
    for (const auto& s : t.steps) {
        INFO("line " << s.line_number << ": " << s.text);
        if (s.what == transcript_step::kind::server) {
            REQUIRE_FALSE(waiting.empty());
            INFO("the server said " << waiting.front());
            REQUIRE(line_agrees(s.text, waiting.front()));
            waiting.pop_front();
            continue;
        }
        INFO("the server also said " << (waiting.empty() ? "" : waiting.front()));
        REQUIRE(waiting.empty());
        hear(s.what == transcript_step::kind::eof ? server.close() : server.receive(s.text));
    }
    INFO("the server also said " << (waiting.empty() ? "" : waiting.front()));
    CHECK(waiting.empty());
}

TEST_CASE("no damaged line makes the server throw or send invalid JSON") {
    std::mt19937 random{20260728};
    scripted_server server;
    server.receive(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}})");
    const std::string bytes = "{}[]\",:0e-\\\xff\x01 n";
    std::size_t said = 0;
    for (const auto& file : all_files())
        for (const auto& s : read_transcript(file).steps)
            for (int round = 0; round < 20 && s.what == transcript_step::kind::client && !s.text.empty(); ++round) {
                auto line = s.text;
                for (auto hits = random() % 4; hits > 0; --hits) {
                    const auto at = random() % line.size();
                    if (random() % 2)
                        line[at] = bytes[random() % bytes.size()];
                    else
                        line.erase(at, 1 + random() % 8);
                    if (line.empty()) line.assign(1, '{');
                }
                INFO(line);
                for (const auto& answer : server.receive(line)) {
                    ++said;
                    REQUIRE(base::parse_json(answer));
                }
            }
    CHECK(said > 1000);
}

TEST_CASE("an ellipsis matches anything in its place, and nothing elsewhere") {
    const auto check = [](const char* expected, const char* got) {
        return agrees(*base::parse_json(expected), *base::parse_json(got));
    };
    CHECK(check(R"({"a":1,"b":"…"})", R"({"b":[2],"a":1})"));
    CHECK_FALSE(check(R"({"a":1})", R"({"a":1,"b":2})"));
    CHECK_FALSE(check(R"({"a":1,"b":"…"})", R"({"a":1})"));
    CHECK(check(R"({"a":1,"…":"…"})", R"({"a":1,"b":2})"));
    CHECK(check(R"([1,"…"])", R"([1,2,3])"));
    CHECK(check(R"([1,"…"])", R"([1])"));
    CHECK_FALSE(check(R"([1,2])", R"([1,2,3])"));
    CHECK(check(R"("not … found")", R"("not a tool found")"));
    CHECK_FALSE(check(R"("not … found")", R"("not lost")"));
    CHECK_FALSE(check("5", R"("5")"));
    CHECK_FALSE(check("1", "true"));
}
