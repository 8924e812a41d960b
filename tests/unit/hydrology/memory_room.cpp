#include <hydrology/memory_room.hpp>

#include "catch.hpp"

using namespace gdalmcp_hydrology;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

}  // namespace

TEST_CASE("a grid fits while its bytes do and its cells can be numbered in 32 bits") {
    CHECK(fits_in_memory({1024, 1024}, 12, 12 * mib));
    CHECK_FALSE(fits_in_memory({1024, 1025}, 12, 12 * mib));
    CHECK_FALSE(fits_in_memory({65536, 65536}, 1, std::numeric_limits<std::uint64_t>::max()));
}

TEST_CASE("tiles have whole blocks, about 8 million cells, and less where there is less room") {
    const auto of = [](shape whole, std::uint64_t room) { return tiles_within(whole, 32, room).at(0).extent; };
    CHECK(of({10000, 10000}, 4096 * mib) == shape{5120, 1536});
    CHECK(of({47000, 46000}, 4096 * mib) == shape{7936, 1024});
    CHECK(of({10000, 10000}, 0) == shape{256, 256});
    CHECK(of({10000, 10000}, 32 * mib) == shape{3584, 256});
    CHECK(of({100, 70}, 0) == shape{100, 70});
}

TEST_CASE("places on a rim are numbered once each, and lead back to their cells") {
    for (const auto extent : {shape{1, 1}, shape{1, 5}, shape{5, 1}, shape{2, 4}, shape{4, 2}, shape{4, 5}}) {
        const rim edge{extent};
        std::size_t places = 0;
        edge.each([&](std::size_t place, std::size_t row, std::size_t column) {
            CHECK(place == places++);
            CHECK(edge.place(row, column) == place);
            CHECK(edge.place_of(row * extent.width + column) == place);
            CHECK(edge.cell_at(place) == std::array{row, column});
        });
        CHECK(places == edge.size());
    }
    CHECK_FALSE(rim{{3, 3}}.place_of(4));
}
