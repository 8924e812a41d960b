#include "base/bounded_cache.hpp"

#include <string>

#include "catch.hpp"

using namespace gdalmcp;

TEST_CASE("a bounded cache returns what it keeps, and empties itself when it is full") {
    base::bounded_cache<std::string, int> known{2};
    CHECK_FALSE(known.find("a"));
    known.keep("a", 1);
    known.keep("b", 2);
    CHECK(known.find("a") == 1);
    CHECK(known.find("b") == 2);
    known.keep("c", 3);
    CHECK_FALSE(known.find("a"));
    CHECK(known.find("c") == 3);
    known.keep("c", 4);
    CHECK(known.find("c") == 4);
}
