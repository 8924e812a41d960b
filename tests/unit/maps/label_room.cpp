#include <maps/canvas.hpp>

#include "catch.hpp"

using namespace gdalmcp_maps;

TEST_CASE("a label has no room where another stands") {
    label_room room;
    CHECK(room.take(10, 20, 30, 10));
    CHECK_FALSE(room.take(20, 22, 30, 10));  // over its right half
    CHECK_FALSE(room.take(10, 31, 30, 10));  // its edge
    CHECK(room.take(50, 20, 30, 10));
    CHECK(room.take(10, 40, 30, 10));
}

TEST_CASE("a text too wide is cut between characters") {
    canvas c{10, 10};
    CHECK(c.fitted("Åland", 1000) == "Åland");
    const auto cut = c.fitted("ÅÅÅÅÅÅÅÅÅÅ", c.text_width("ÅÅÅ…") + 0.5);
    CHECK(cut == "ÅÅÅ…");
}

TEST_CASE("a filled rectangle has its colour, its surroundings white") {
    canvas c{4, 3};
    c.rectangle(1, 1, 2, 1);
    c.fill({10, 20, 30, 255});
    const auto pixels = c.pixels();
    REQUIRE(pixels.size() == 12);
    CHECK(pixels[5] == color{10, 20, 30, 255});
    CHECK(pixels[6] == color{10, 20, 30, 255});
    CHECK(pixels[0] == white);
    CHECK(pixels[7] == white);
}

TEST_CASE("half of a colour through which white shines is in between") {
    canvas c{1, 1};
    c.draw(std::vector<color>{{0, 0, 0, 128}}, 1, 1, 0, 0);
    CHECK(c.pixels()[0][0] == Approx(127).margin(1));
}
