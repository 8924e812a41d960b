#include "runner/call_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>

#include "catch.hpp"

using gdalmcp::runner::call_log;

namespace {

// What is written to stderr meanwhile.
template <class F>
std::string logged(F f) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), &std::fclose};
    const int before = ::dup(STDERR_FILENO);
    ::dup2(::fileno(file.get()), STDERR_FILENO);
    f();
    ::dup2(before, STDERR_FILENO);
    ::close(before);
    std::string text(static_cast<std::size_t>(::lseek(::fileno(file.get()), 0, SEEK_END)), '\0');
    CHECK(::pread(::fileno(file.get()), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
    return text;
}

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// As a tool prints it.
std::string printed(std::string_view text) {
    return logged([&] {
        std::array<int, 2> ends{};
        REQUIRE(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC) == 0);
        call_log log{"acme_survey"};
        while (!text.empty()) {
            const auto n = ::write(ends[1], text.data(), text.size());
            if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
            CHECK(log.read(ends[0]));
        }
        ::close(ends[1]);
        CHECK_FALSE(log.read(ends[0]));
        ::close(ends[0]);
    });
}

}  // namespace

TEST_CASE("printed text becomes log lines with hidden characters shown") {
    CHECK(printed("one\ntwo\n") == "gdal-mcp info: acme_survey: one\ngdal-mcp info: acme_survey: two\n");
    CHECK(printed("without an end") == "gdal-mcp info: acme_survey: without an end\n");
    CHECK(printed("\x1B[2Jgone\u202E\n") == "gdal-mcp info: acme_survey: <U+001B>[2Jgone<U+202E>\n");
    CHECK(printed("") == "");
}

TEST_CASE("endless printing leaves 64 KiB in the log and a count of the rest") {
    const auto text = printed(std::string(3 << 20, 'x'));
    CHECK(text.size() < call_log::max_bytes + 1000);
    CHECK(text.find("acme_survey wrote ") != std::string::npos);
    CHECK(text.find(" more bytes to the log; one call may write 65536 bytes and 1000 lines\n") != std::string::npos);
}

TEST_CASE("the 64 KiB of a call's log are counted as they are written, hidden characters shown") {
    CHECK(printed(std::string(2 << 20, '\0')).size() < call_log::max_bytes + 1000);
    CHECK(printed(std::string(2 << 20, '\xFF')).size() < call_log::max_bytes + 1000);
}

TEST_CASE("a call has a thousand lines, however short, sent and printed together") {
    CHECK(lines_of(printed(std::string(5000, '\n'))) == call_log::max_lines + 1);
    const auto text = logged([] {
        call_log log{"acme_survey"};
        int taken = 0;
        for (int i = 0; i < 5000; ++i) taken += log.takes("a line") ? 1 : 0;
        CHECK(taken == 1000);
    });
    CHECK(text.find("acme_survey wrote 28000 more bytes") != std::string::npos);
}

TEST_CASE("a line of a tool cannot pass for a line of the host") {
    const auto text = logged([] { CHECK(call_log{""}.takes("x\ngdal-mcp error: the disk is full")); });
    CHECK(text == "gdal-mcp info: x\\ngdal-mcp error: the disk is full\n");
}
