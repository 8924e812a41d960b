#include "stream_network.hpp"

#include "flow_path.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

namespace gdalmcp_hydrology {

namespace {

void sort_by(const grid<double>& values, std::vector<std::size_t>& cells) {
    std::sort(cells.begin(), cells.end(),
              [&](std::size_t a, std::size_t b) { return values[a] != values[b] ? values[a] < values[b] : a < b; });
}

// The place of a cell in a list, by a bit for each cell of the grid and the count of bits before each word: a grid of
// places would be 32 times as large, and its fresh memory cost more than the rest of a network.
class cell_places {
public:
    cell_places(std::size_t grid_cells, const std::vector<std::size_t>& cells)
        : marks_(grid_cells / 64 + 1), before_(marks_.size()), places_(cells.size()) {
        for (const auto cell : cells) marks_[cell / 64] |= std::uint64_t{1} << cell % 64;
        for (std::size_t w = 1; w < marks_.size(); ++w)
            before_[w] = before_[w - 1] + static_cast<std::uint32_t>(std::popcount(marks_[w - 1]));
        for (std::size_t i = 0; i < cells.size(); ++i) places_[rank(cells[i])] = static_cast<std::uint32_t>(i);
    }
    std::optional<std::size_t> of(std::size_t cell) const {
        if (!(marks_[cell / 64] >> cell % 64 & 1)) return {};
        return places_[rank(cell)];
    }

private:
    std::size_t rank(std::size_t cell) const {
        const auto lower = (std::uint64_t{1} << cell % 64) - 1;
        return before_[cell / 64] + static_cast<std::size_t>(std::popcount(marks_[cell / 64] & lower));
    }
    std::vector<std::uint64_t> marks_;
    std::vector<std::uint32_t> before_, places_;
};

}  // namespace

std::vector<std::size_t> channel_cells(const grid<double>& values, double threshold, const team& by) {
    const strips parts{values.extent(), by};
    std::vector<std::vector<std::size_t>> found(parts.count());
    parts.each({}, [&](const strip& s) {
        for (auto i = s.first; i < s.last; ++i)
            if (values[i] >= threshold) found[s.number].push_back(i);
    });
    std::vector<std::size_t> cells;
    for (const auto& part : found) cells.insert(cells.end(), part.begin(), part.end());
    sort_by(values, cells);
    return cells;
}

std::vector<std::size_t> channels_from(const grid<std::uint8_t>& begins, const grid<std::uint8_t>& directions,
                                       const grid<double>& area) {
    std::vector<std::size_t> cells;
    grid<std::uint8_t> taken{directions.extent()};
    for (std::size_t i = 0; i < begins.size(); ++i) {
        if (!begins[i] || directions[i] == no_terrain) continue;
        for (auto cell = i; cell != off_grid && !taken[cell]; cell = receiver(directions, cell)) {
            taken[cell] = 1;
            cells.push_back(cell);
        }
    }
    sort_by(area, cells);
    return cells;
}

channel_tree::channel_tree(const grid<std::uint8_t>& directions, const grid<double>& heights, const cell_sizes& sizes,
                           const std::vector<std::size_t>& cells)
    : channel_tree(
          directions, [&heights](std::size_t cell) { return heights.size() ? heights[cell] : 0; }, sizes, cells) {}

channel_tree::channel_tree(const grid<std::uint8_t>& directions, const std::function<double(std::size_t)>& height_of,
                           const cell_sizes& sizes, const std::vector<std::size_t>& cells) {
    const cell_places places{directions.size(), cells};
    for (const auto cell : cells) {
        height_.push_back(height_of(cell));
        receiver_.push_back(off_grid);
        step_.push_back(0);
        const auto n = receiver(directions, cell);
        const auto place = n == off_grid ? std::nullopt : places.of(n);
        if (!place) continue;
        receiver_.back() = *place;
        step_.back() = sizes.distance(directions.extent().row(cell), directions[cell]);
    }
}

stream_network channel_tree::network(std::size_t first) const {
    stream_network found;
    const auto size = receiver_.size() - first;
    found.orders.assign(size, 0);
    std::vector<std::uint8_t> donors(size), donors_of_order(size);
    for (std::size_t i = 0; i < size; ++i) {
        auto& order = found.orders[i];
        if (donors[i] == 0) order = 1;
        if (donors_of_order[i] > 1) ++order;
        found.links += donors[i] != 1;
        found.highest_order = std::max(found.highest_order, order);
        if (receiver_[first + i] == off_grid) continue;
        const auto r = receiver_[first + i] - first;
        found.length += step_[first + i];
        ++donors[r];
        if (order > found.orders[r]) donors_of_order[r] = 0;
        found.orders[r] = std::max(found.orders[r], order);
        donors_of_order[r] = static_cast<std::uint8_t>(donors_of_order[r] + (order == found.orders[r]));
    }

    std::vector<double> top(height_.begin() + static_cast<std::ptrdiff_t>(first), height_.end()), along(size);
    for (std::size_t i = 0; i < size; ++i) {
        const auto r = receiver_[first + i];
        const double length = along[i] + step_[first + i];
        if (r != off_grid && found.orders[r - first] == found.orders[i]) {
            top[r - first] = top[i];
            along[r - first] = length;
        } else {
            found.streams.push_back({found.orders[i], length, top[i] - height_[r == off_grid ? first + i : r]});
        }
    }
    return found;
}

std::optional<drop_test> test_constant_drop(const std::vector<stream>& streams) {
    drop_test test;
    for (const auto& s : streams) {
        auto& mean = s.order == 1 ? test.first_order_mean : test.higher_order_mean;
        ++(s.order == 1 ? test.first_order : test.higher_order);
        mean += s.drop;
    }
    if (test.first_order < 2 || test.higher_order < 2) return {};
    const auto n1 = static_cast<double>(test.first_order), n2 = static_cast<double>(test.higher_order);
    test.first_order_mean /= n1;
    test.higher_order_mean /= n2;
    double squares = 0;
    for (const auto& s : streams) {
        const double off = s.drop - (s.order == 1 ? test.first_order_mean : test.higher_order_mean);
        squares += off * off;
    }
    if (squares == 0) return {};
    test.t = (test.first_order_mean - test.higher_order_mean) / std::sqrt(squares / (n1 + n2 - 2) * (1 / n1 + 1 / n2));
    return test;
}

}  // namespace gdalmcp_hydrology
