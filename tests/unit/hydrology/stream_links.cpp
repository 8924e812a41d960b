#include <hydrology/stream_links.hpp>

#include <hydrology/accumulation.hpp>
#include "catch.hpp"

using namespace gdalmcp_hydrology;

namespace {

constexpr std::uint8_t SE = southeast, S = south, SW = southwest, none = no_terrain;

//     a . b
//      \|/       two sources meet in (1, 1); c joins in (4, 1)
//       o   c
//       |  /
//       o
const grid<std::uint8_t> valley{
    {SE, none, SW, none}, {none, S, none, none}, {none, S, none, SW}, {none, S, SW, none}, {none, S, none, none}};
const grid<double> heights{{10, 0, 12, 0}, {0, 7, 0, 0}, {0, 6, 0, 9}, {0, 5, 8, 0}, {0, 2, 0, 0}};

std::vector<stream_link> links(stream_order by, const grid<double>& z = heights) {
    const auto area = accumulate(valley, grid<double>{}).values;
    const auto cells = channel_cells(area, 1);
    return links_of({valley, z, cell_sizes::planar(5, 3, 4), cells}, by);
}

const stream_link& starting(const std::vector<stream_link>& all, std::size_t cell) {
    const auto area = accumulate(valley, grid<double>{}).values;
    const auto cells = channel_cells(area, 1);
    for (const auto& link : all)
        if (cells[link.cells.front()] == cell) return link;
    throw std::logic_error{"no link begins there"};
}

}  // namespace

TEST_CASE("links reach from sources and junctions to the next junction or the end") {
    const auto all = links(stream_order::strahler);
    REQUIRE(all.size() == 5);
    const auto &a = starting(all, 0), &b = starting(all, 2), &middle = starting(all, 5), &c = starting(all, 11),
               &last = starting(all, 17);
    CHECK(a.to_node == middle.from_node);
    CHECK(b.to_node == middle.from_node);
    CHECK(middle.to_node == last.from_node);
    CHECK(c.to_node == last.from_node);
    CHECK(last.below == off_grid);
    CHECK(last.joins == off_grid);
    CHECK(&all[middle.below] == &last);
    CHECK(middle.cells.size() == 3);  // the junction and the two cells below it

    SECTION("lengths and drops reach to the cell they join") {
        CHECK(a.length == 5);  // one diagonal step over 3 x 4 m
        CHECK(middle.length == 3 * 4);
        CHECK(c.length == 2 * 5);
        CHECK(last.length == 0);
        CHECK(a.drop == 10 - 7);
        CHECK(middle.drop == 7 - 2);
        CHECK(last.drop == 0);
    }
    SECTION("nodes are numbered without gaps") {
        std::vector<std::size_t> nodes;
        for (const auto& link : all) nodes.insert(nodes.end(), {link.from_node, link.to_node});
        std::sort(nodes.begin(), nodes.end());
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        CHECK(nodes == std::vector<std::size_t>{1, 2, 3, 4, 5, 6});
    }
}

TEST_CASE("Strahler's order grows where equals meet, Shreve's magnitude counts sources") {
    const auto order_at = [](stream_order by, std::size_t cell) { return starting(links(by), cell).order; };
    CHECK(order_at(stream_order::strahler, 0) == 1);
    CHECK(order_at(stream_order::strahler, 5) == 2);
    CHECK(order_at(stream_order::strahler, 17) == 2);
    CHECK(order_at(stream_order::shreve, 0) == 1);
    CHECK(order_at(stream_order::shreve, 5) == 2);
    CHECK(order_at(stream_order::shreve, 17) == 3);
    CHECK(order_at(stream_order::none, 17) == 0);
}

TEST_CASE("without heights all drops are 0") {
    for (const auto& link : links(stream_order::none, {})) CHECK(link.drop == 0);
}

TEST_CASE("a stream once begun goes on to the end of its path") {
    const auto area = accumulate(valley, grid<double>{}).values;
    grid<std::uint8_t> begins{valley.extent()};
    begins(0, 0) = 1;
    begins(0, 1) = 1;  // no terrain: no stream
    CHECK(channels_from(begins, valley, area) == std::vector<std::size_t>{0, 5, 9, 13, 17});
}

TEST_CASE("a link also ends at a cell that is named, and the next begins below it") {
    const auto area = accumulate(valley, grid<double>{}).values;
    const auto cells = channel_cells(area, 1);
    std::vector<std::uint8_t> ends(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) ends[i] = cells[i] == 9;
    const auto all = links_of({valley, heights, cell_sizes::planar(5, 3, 4), cells}, stream_order::strahler, ends);
    REQUIRE(all.size() == 6);
    const auto &upper = starting(all, 5), &lower = starting(all, 13);
    CHECK(upper.cells.size() == 2);
    CHECK(upper.length == 2 * 4);
    CHECK(upper.drop == 7 - 5);
    CHECK(&all[upper.below] == &lower);
    CHECK(upper.to_node == lower.from_node);
    CHECK(lower.length == 4);
    CHECK(lower.order == upper.order);
}
