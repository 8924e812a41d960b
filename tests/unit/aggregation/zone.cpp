#include <aggregation/zone.hpp>

#include "catch.hpp"

using namespace gdalmcp_aggregation;

TEST_CASE("the block whose rows differ most in area is found") {
    const std::vector<double> areas{1, 2, 6, 8, 8};  // of five rows
    const window level{3, 0, 2, 9}, twice{0, 4, 2, 1}, thrice{1, 0, 2, 5};
    const auto worst = most_unequal({level, twice, thrice}, areas);
    REQUIRE(worst);
    CHECK(worst->block == 2);
    CHECK(worst->least == 2);
    CHECK(worst->most == 6);
    CHECK(most_unequal({twice, thrice, {0, 0, 2, 2}}, areas)->block == 1);
    CHECK(!most_unequal({level}, areas));
    CHECK(!most_unequal({window{}}, areas));  // no cell
    CHECK(!most_unequal({thrice}, {}));       // areas unknown
    CHECK(!most_unequal({twice}, {0, 2, 6}));
}
