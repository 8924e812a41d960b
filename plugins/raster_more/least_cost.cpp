#include "least_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>

namespace gdalmcp_raster_more {
namespace {

constexpr std::array<int, 8> row_step{-1, -1, 0, 1, 1, 1, 0, -1}, column_step{0, 1, 1, 1, 0, -1, -1, -1};

// Metres of a step from a row.
double step_length(const travel_costs& over, int row, std::size_t direction) {
    const int down = row_step[direction], right = column_step[direction];
    const auto &here = over.sizes[static_cast<std::size_t>(row)],
               &there = over.sizes[static_cast<std::size_t>(row + down)];
    return std::hypot(right * (here.width + there.width) / 2, down * (here.height + there.height) / 2);
}

}  // namespace

travelled accumulate(const travel_costs& over, const std::vector<std::size_t>& sources,
                     const std::function<void(double)>& report) {
    travelled t{std::vector<double>(over.per_metre.size(), std::numeric_limits<double>::infinity()),
                std::vector<std::uint8_t>(over.per_metre.size(), travelled::start)};
    using reached = std::pair<double, std::size_t>;  // equal costs: the first cell first
    std::priority_queue<reached, std::vector<reached>, std::greater<>> front;
    for (const auto s : sources) {
        if (t.cost[s] == 0) continue;
        t.cost[s] = 0;
        front.emplace(0, s);
    }
    const auto columns = static_cast<std::size_t>(over.columns);
    const auto open = [&](int row, int column) {
        return !std::isnan(over.per_metre[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column)]);
    };
    std::size_t settled = 0;
    while (!front.empty()) {
        const auto [cost, cell] = front.top();
        front.pop();
        if (cost > t.cost[cell]) continue;
        if (settled++ % 500'000 == 0) report(static_cast<double>(settled) / static_cast<double>(t.cost.size()));
        const int row = static_cast<int>(cell / columns), column = static_cast<int>(cell % columns);
        for (std::size_t d = 0; d < 8; ++d) {
            const int r = row + row_step[d], c = column + column_step[d];
            if (r < 0 || c < 0 || r >= over.rows || c >= over.columns || !open(r, c)) continue;
            if (d % 2 == 1 && !open(row, c) && !open(r, column)) continue;
            const auto next = static_cast<std::size_t>(r) * columns + static_cast<std::size_t>(c);
            const double there = cost + step_length(over, row, d) * (over.per_metre[cell] + over.per_metre[next]) / 2;
            if (!(there < t.cost[next])) continue;
            t.cost[next] = there;
            t.from[next] = static_cast<std::uint8_t>((d + 4) % 8);
            front.emplace(there, next);
        }
    }
    return t;
}

std::vector<std::size_t> way_to(const travelled& t, int columns, std::size_t target) {
    std::vector<std::size_t> way{target};
    while (t.from[way.back()] != travelled::start) {
        const auto d = t.from[way.back()];
        way.push_back(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(way.back()) +
                                               static_cast<std::ptrdiff_t>(row_step[d]) * columns + column_step[d]));
    }
    std::reverse(way.begin(), way.end());
    return way;
}

double length_of(const travel_costs& over, const std::vector<std::size_t>& way) {
    const auto columns = static_cast<std::size_t>(over.columns);
    double length = 0;
    for (std::size_t i = 1; i < way.size(); ++i) {
        const int row = static_cast<int>(way[i - 1] / columns);
        const int down = static_cast<int>(way[i] / columns) - row,
                  right = static_cast<int>(way[i] % columns) - static_cast<int>(way[i - 1] % columns);
        for (std::size_t d = 0; d < 8; ++d)
            if (row_step[d] == down && column_step[d] == right) length += step_length(over, row, d);
    }
    return length;
}

std::vector<std::size_t> turns_of(const std::vector<std::size_t>& way, int columns) {
    // An offset in the array names a direction, but in two columns, where one to the right is one down to the left,
    // too.
    std::vector<std::size_t> turns;
    for (std::size_t i = 0; i < way.size(); ++i)
        if (i == 0 || i + 1 == way.size() || columns == 2 || way[i] - way[i - 1] != way[i + 1] - way[i])
            turns.push_back(way[i]);
    return turns;
}

}  // namespace gdalmcp_raster_more
