#include <vector/number_texts.hpp>

#include <vector>

#include "catch.hpp"

using gdalmcp_vector::number_texts;

namespace {

bool misordered(const std::vector<const char*>& values) {
    number_texts all, first, second;
    for (std::size_t i = 0; i < values.size(); ++i) {
        all.see(values[i]);
        (i < 2 ? first : second).see(values[i]);
    }
    first.add(second);  // in two groups it is the same
    CHECK(first.misordered() == all.misordered());
    return all.misordered();
}

}  // namespace

TEST_CASE("numbers of unequal length or sign are not in order as text") {
    CHECK(misordered({"9", "10", "100", "7"}));
    CHECK(misordered({"9.5", "10.25"}));
    CHECK(misordered({"-5", "-3"}));
    CHECK(misordered({"1e5", "2e3"}));
    CHECK(misordered({"2019", "2020", "", "n/a"}));  // a word among them is the greatest
}

TEST_CASE("numbers of one length, codes and words are as good as text") {
    CHECK_FALSE(misordered({"2019", "2020", "", "2021"}));
    CHECK_FALSE(misordered({"9.5", "9.25", "1"}));
    CHECK_FALSE(misordered({"01067", "9", "10", "80331"}));
    CHECK_FALSE(misordered({"a", "9", "b", "10"}));
    CHECK_FALSE(misordered({"10"}));
    CHECK_FALSE(misordered({}));
}
