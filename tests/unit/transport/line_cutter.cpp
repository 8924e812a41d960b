#include "transport/line_cutter.hpp"

#include <string>
#include <vector>

#include "catch.hpp"

namespace {

// The lines cut from `chunks` at a limit of 8 bytes; a line that was too long is "<too long>".
std::vector<std::string> cut(const std::vector<std::string>& chunks) {
    gdalmcp::transport::line_cutter cutter{8};
    std::vector<std::string> lines;
    const auto on_line = [&](std::string_view l) { lines.emplace_back(l); };
    for (const auto& c : chunks) cutter.feed(c, on_line, [&] { lines.emplace_back("<too long>"); });
    cutter.finish(on_line);
    return lines;
}
using lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a line may come in pieces, and a piece may hold many lines") {
    CHECK(cut({"a", "b\nc", "\nd\ne\n"}) == lines{"ab", "c", "d", "e"});
    CHECK(cut({"one\n", "two\n"}) == lines{"one", "two"});
}

TEST_CASE("a carriage return before the newline is not part of the line, even in another piece") {
    CHECK(cut({"a\r\nb\r", "\nc\rd\n"}) == lines{"a", "b", "c\rd"});
}

TEST_CASE("the end of the stream ends the last line") {
    CHECK(cut({"a\nb"}) == lines{"a", "b"});
    CHECK(cut({"b\r"}) == lines{"b"});
}

TEST_CASE("empty lines are passed over") { CHECK(cut({"\n\r\na\n\n"}) == lines{"a"}); }

TEST_CASE("a line of exactly the limit is a line, one byte more is reported once and skipped") {
    CHECK(cut({"12345678\n"}) == lines{"12345678"});
    CHECK(cut({"123456789\nb\n"}) == lines{"<too long>", "b"});
    CHECK(cut({"1234", "56789", "0123456789", "0123456789\nb\n"}) == lines{"<too long>", "b"});
    CHECK(cut({"123456789"}) == lines{"<too long>"});
}
