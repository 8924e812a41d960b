#include "base/folded_words.hpp"

#include "catch.hpp"

using namespace gdalmcp::base;
using words = std::vector<std::string>;

TEST_CASE("names fall into words whatever separates them") {
    CHECK(folded_words("Land_Cover-2019.tif") == words{"land", "cover", "2019", "tif"});
    CHECK(folded_words("popEst2015") == words{"pop", "est", "2015"});
    CHECK(folded_words(" -- ").empty());
}

TEST_CASE("case and accents are folded in every alphabet") {
    CHECK(folded_words("Überseehafen São Łódź") == words{"uberseehafen", "sao", "lodz"});
    CHECK(folded_words("Straße") == words{"strasse"});
    CHECK(folded_words("РЕКИ") == folded_words("реки"));
    CHECK(folded_words("Ø «Æ»") == words{"o", "ae"});
    CHECK(folded_words("cafe\xCC\x81") == words{"cafe"});
    CHECK(folded_words("CO₂ in m²") == folded_words("CO2 in m2"));
    CHECK(folded_words("\xFF\xFE land") == words{"land"});
}

TEST_CASE("the better likeness is the greater") {
    const auto wanted = folded_words("land cover");
    CHECK(like(wanted, folded_words("LandCover")) == likeness::same);
    CHECK(like(wanted, folded_words("land cover of 2019")) == likeness::phrase);
    CHECK(like(wanted, folded_words("cover of the land")) == likeness::words);
    CHECK(like(folded_words("river"), folded_words("rivers")) == likeness::begins);
    CHECK(like(folded_words("wald"), folded_words("Laubwald")) == likeness::inside);
    CHECK(like(folded_words("sea"), folded_words("undersea")) == likeness::none);
    CHECK(like(folded_words("b4"), folded_words("b")) == likeness::none);
    CHECK(like(folded_words("no"), folded_words("north")) == likeness::none);
    CHECK(like({}, folded_words("north")) == likeness::none);
}

TEST_CASE("a letter or two off is near, in short words none") {
    CHECK(is_near("rivr", "river"));
    CHECK(is_near("landsurface", "landsurfce"));
    CHECK_FALSE(is_near("sea", "see"));
    CHECK_FALSE(is_near("river", "rover1"));
    CHECK_FALSE(is_near("lake", "canal"));
}
