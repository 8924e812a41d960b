#include "transport/byte_range.hpp"

#include "catch.hpp"

using gdalmcp::transport::byte_range;
using gdalmcp::transport::content_range;
using gdalmcp::transport::names_tag;
using gdalmcp::transport::parse_range;
using kind = byte_range::kind;

namespace {
byte_range part(std::uint64_t offset, std::uint64_t length) { return {kind::part, offset, length}; }
const byte_range whole{kind::whole, 0, 100}, unsatisfiable{kind::unsatisfiable, 0, 0};
}  // namespace

TEST_CASE("a range from, to and from the end is a part of the file, cut at its end") {
    CHECK(parse_range("bytes=0-0", 100) == part(0, 1));
    CHECK(parse_range("bytes=10-19", 100) == part(10, 10));
    CHECK(parse_range("bytes=10-", 100) == part(10, 90));
    CHECK(parse_range("bytes=90-200", 100) == part(90, 10));
    CHECK(parse_range("bytes=0-99999999999999999999999", 100) == part(0, 100));
    CHECK(parse_range("bytes=-10", 100) == part(90, 10));
    CHECK(parse_range("bytes=-200", 100) == part(0, 100));
    CHECK(parse_range("Bytes=0-1", 100) == part(0, 2));
    CHECK(parse_range("bytes=18446744073709551613-18446744073709551614", UINT64_MAX) == part(UINT64_MAX - 2, 2));
}

TEST_CASE("a range behind the end, or of nothing, cannot be satisfied") {
    CHECK(parse_range("bytes=100-", 100) == unsatisfiable);
    CHECK(parse_range("bytes=100-200", 100) == unsatisfiable);
    CHECK(parse_range("bytes=99999999999999999999999-", 100) == unsatisfiable);
    CHECK(parse_range("bytes=-0", 100) == unsatisfiable);
    CHECK(parse_range("bytes=0-", 0) == unsatisfiable);
}

TEST_CASE("no range, another unit, several ranges and malformed ones mean the whole file") {
    CHECK(parse_range(std::nullopt, 100) == whole);
    for (const auto* const field :
         {"", "bytes", "bytes=", "bytes=-", "bytes=5", "bytes=a-b", "bytes=1-a", "bytes=9-1", "bytes=--1", "bytes=1--2",
          "bytes= 1-2", "bytes=1 -2", "bytes=+1-2", "bytes=0-1,3-4", "bytes=0-1,", "rows=0-1", "bytes:0-1", "0-1"})
        CHECK(parse_range(field, 100) == whole);
    CHECK(parse_range("bytes=-5", 0) == byte_range{kind::whole, 0, 0});
}

TEST_CASE("the response states its part and the total size") {
    CHECK(content_range(part(10, 10), 100) == "bytes 10-19/100");
    CHECK(content_range(unsatisfiable, 100) == "bytes */100");
}

TEST_CASE("a list of entity tags names one of them, weak or not, or all") {
    CHECK(names_tag("\"a\"", "\"a\""));
    CHECK(names_tag("\"b\" ,W/\"a\"", "\"a\""));
    CHECK(names_tag("*", "\"a\""));
    for (const auto* const other : {"", ",", "\"ab\"", "a", "W/", "\"b\", \"c\""})
        CHECK_FALSE(names_tag(other, "\"a\""));
}
