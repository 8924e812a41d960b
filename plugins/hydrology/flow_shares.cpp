#include "flow_shares.hpp"

#include <cmath>
#include <stdexcept>

namespace gdalmcp_hydrology {
namespace {

constexpr double pi = 3.14159265358979323846;

// Facets counter-clockwise from east: the side neighbour, the diagonal one, and how the angle from the side counts.
struct facet {
    direction side, diagonal;
    int turn;
};
constexpr std::array<facet, 8> facets{{{east, northeast, 1},
                                       {north, northeast, -1},
                                       {north, northwest, 1},
                                       {west, northwest, -1},
                                       {west, southwest, 1},
                                       {south, southwest, -1},
                                       {south, southeast, 1},
                                       {east, southeast, -1}}};

// Directions counter-clockwise from east.
constexpr std::array<direction, 8> circle{east, northeast, north, northwest, west, southwest, south, southeast};

// The angle of a direction on the ground, in cells of a row.
double angle_of(std::size_t d, const cell_sizes& sizes, std::size_t row) {
    const auto [down, across] = neighbours[d];
    const double angle = std::atan2(-down * sizes.height(row), across * sizes.width(row));
    return angle < 0 ? angle + 2 * pi : angle;
}

// The steepest way down a facet: its slope, and of the angle from the side neighbour what atan2() takes.
struct descent {
    double slope = 0, beside = 0, along = 1;
};

// A facet over a cell: how far it is to the side neighbour, and from there to the diagonal one.
struct facet_sides {
    double to_side, across, to_diagonal;
};

// From the heights of the cell, the side and the diagonal neighbour. The steepest angle is that between the axes of the
// facet if beside and along are, which their signs and cross product tell without an angle.
descent down_facet(double z, double side, double diagonal, const facet_sides& f) {
    const double along = (z - side) / f.to_side, beside = (side - diagonal) / f.across;
    if (beside < 0) return {along, 0, 1};
    if (beside * f.to_side > along * f.across) return {(z - diagonal) / f.to_diagonal, f.across, f.to_side};
    return {std::sqrt(along * along + beside * beside), beside, along};
}

// The neighbours of one cell after the other, row by row.
template <class T>
class neighbourhood {
public:
    neighbourhood(const grid<T>& surface, const grid<std::uint8_t>& d8) : surface_{surface}, d8_{d8} {
        const auto width = static_cast<std::ptrdiff_t>(surface.width());
        for (std::size_t d = 0; d < 8; ++d) step_[d] = neighbours[d].row * width + neighbours[d].column;
    }

    void look(std::size_t row, std::size_t column) {
        const auto cell = row * surface_.width() + column;
        const bool inside = row > 0 && column > 0 && row + 1 < surface_.height() && column + 1 < surface_.width();
        for (std::size_t d = 0; d < 8; ++d) {
            const auto n = inside ? static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell) + step_[d])
                                  : surface_.extent().neighbour(cell, d);
            there[d] = n != off_grid && d8_[n] != no_terrain;
            height[d] = there[d] ? static_cast<double>(surface_[n]) : 0;
        }
    }

    std::array<bool, 8> there{};  // has terrain
    std::array<double, 8> height{};

private:
    const grid<T>& surface_;
    const grid<std::uint8_t>& d8_;
    std::array<std::ptrdiff_t, 8> step_{};
};

// Of the facets with an east or west side, and of the others.
struct row_facets {
    facet_sides level, upright;
};

row_facets facets_of(const cell_sizes& sizes, std::size_t row) {
    const double width = sizes.width(row), height = sizes.height(row), diagonal = std::hypot(width, height);
    return {{width, height, diagonal}, {height, width, diagonal}};
}

template <class T>
float angle_at(double z, const neighbourhood<T>& around, std::uint8_t d8, const cell_sizes& sizes, std::size_t row,
               const row_facets& sides) {
    descent best;
    const facet* chosen = nullptr;
    for (const auto& f : facets) {
        if (!around.there[f.side] || !around.there[f.diagonal]) continue;
        const auto found = down_facet(z, around.height[f.side], around.height[f.diagonal],
                                      f.side == east || f.side == west ? sides.level : sides.upright);
        if (!(found.slope > best.slope)) continue;
        best = found;
        chosen = &f;
    }
    if (chosen) {
        const double angle = angle_of(chosen->side, sizes, row) + chosen->turn * std::atan2(best.beside, best.along);
        return static_cast<float>(angle < 0 ? angle + 2 * pi : angle);
    }
    return d8 == undrained ? undrained_angle : static_cast<float>(angle_of(d8, sizes, row));
}

template <class T>
shares<float> shares_at(const grid<T>& surface, const grid<std::uint8_t>& d8, const cell_sizes& sizes, double exponent,
                        std::size_t cell) {
    const auto row = surface.extent().row(cell);
    std::array<double, 8> part{};
    double sum = 0;
    surface.extent().around(cell, [&](std::size_t n, std::size_t d) {
        if (d8[n] == no_terrain || !(surface[n] < surface[cell])) return;
        const double drop = static_cast<double>(surface[cell]) - static_cast<double>(surface[n]);
        sum += part[d] = std::pow(drop / sizes.distance(row, d), exponent);
    });
    shares<float> all{};
    if (sum > 0)
        for (std::size_t d = 0; d < 8; ++d) all[d] = static_cast<float>(part[d] / sum);
    else if (d8[cell] < undrained)
        all[d8[cell]] = 1;
    return all;
}

}  // namespace

template <class T>
grid<float> d_infinity(const grid<T>& surface, const grid<std::uint8_t>& d8, const cell_sizes& sizes,
                       const progress& tick) {
    grid<float> angles{surface.extent(), no_angle};
    neighbourhood around{surface, d8};
    for (std::size_t row = 0; row < surface.height(); ++row) {
        if (tick && row % 64 == 0) tick(static_cast<double>(row) / static_cast<double>(surface.height()));
        const auto sides = facets_of(sizes, row);
        for (std::size_t column = 0; column < surface.width(); ++column) {
            if (d8(row, column) == no_terrain) continue;
            around.look(row, column);
            angles(row, column) =
                angle_at(static_cast<double>(surface(row, column)), around, d8(row, column), sizes, row, sides);
        }
    }
    return angles;
}

template <class T>
std::vector<shares<float>> multiple_flow(const grid<T>& surface, const grid<std::uint8_t>& d8, const cell_sizes& sizes,
                                         double exponent, const progress& tick) {
    std::vector<shares<float>> all(surface.size());
    for (std::size_t i = 0; i < surface.size(); ++i) {
        if (tick && i % progress_interval == 0) tick(static_cast<double>(i) / static_cast<double>(surface.size()));
        if (d8[i] != no_terrain) all[i] = shares_at(surface, d8, sizes, exponent, i);
    }
    return all;
}

angle_shares::angle_shares(const cell_sizes& sizes, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) {
        auto& turns = turns_.emplace_back();
        for (std::size_t k = 0; k < 8; ++k) turns[k] = angle_of(circle[k], sizes, row);
        turns[8] = 2 * pi;
    }
}

shares<double> angle_shares::of(float angle, std::size_t row) const {
    shares<double> all{};
    if (angle < 0) return all;
    double turn = static_cast<double>(angle);
    if (turn >= 2 * pi) turn -= 2 * pi;
    const auto& turns = turns_[row];
    std::size_t k = 0;
    while (k < 7 && turn >= turns[k + 1]) ++k;
    // Angles are stored as floats: what is that close to a direction is the direction.
    constexpr double rounding = 1e-6;
    const double share = (turn - turns[k]) / (turns[k + 1] - turns[k]);
    const double second = share < rounding ? 0 : share > 1 - rounding ? 1 : share;
    all[circle[k]] = 1 - second;
    all[circle[(k + 1) % 8]] = second;
    return all;
}

accumulation<double> accumulate_shares(const std::function<shares<double>(std::size_t)>& shares_at,
                                       const grid<std::uint8_t>& terrain, grid<double> own, const progress& tick) {
    if (own.extent() != terrain.extent()) throw std::invalid_argument{"contributions and terrain differ in shape"};
    const auto& extent = terrain.extent();
    accumulation<double> flow;
    flow.contaminated = grid<std::uint8_t>{extent};
    grid<std::uint8_t> donors{extent};
    std::array<std::ptrdiff_t, 8> step{};
    for (std::size_t d = 0; d < 8; ++d)
        step[d] = neighbours[d].row * static_cast<std::ptrdiff_t>(extent.width) + neighbours[d].column;
    const auto width = static_cast<cell_index>(extent.width), height = static_cast<cell_index>(extent.height);
    const auto receivers = [&](std::size_t cell, auto&& visit) {
        const auto all = shares_at(cell);
        const auto row = static_cast<cell_index>(cell) / width, column = static_cast<cell_index>(cell) % width;
        const bool inside = row > 0 && column > 0 && row + 1 < height && column + 1 < width;
        for (std::size_t d = 0; d < 8; ++d) {
            if (!(all[d] > 0)) continue;
            const auto n = inside ? static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell) + step[d])
                                  : extent.neighbour(cell, d);
            if (n != off_grid && terrain[n]) visit(n, all[d]);
        }
    };
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (!terrain[i]) {
            own[i] = 0;
            continue;
        }
        ++flow.terrain_cells;
        flow.contributed += own[i];
        std::size_t around = 0;
        extent.around(i, [&](std::size_t n, std::size_t) { around += terrain[n] != 0; });
        flow.contaminated[i] = around < neighbours.size();
        receivers(i, [&](std::size_t n, double) { ++donors[n]; });
    }
    std::vector<cell_index> ready;
    for (std::size_t i = 0; i < own.size(); ++i)
        if (terrain[i] && donors[i] == 0) ready.push_back(static_cast<cell_index>(i));
    std::size_t done = 0;
    for (; !ready.empty(); ++done) {
        if (tick && done % progress_interval == 0)
            tick(static_cast<double>(done) / static_cast<double>(flow.terrain_cells));
        const std::size_t cell = ready.back();
        ready.pop_back();
        flow.contaminated_cells += flow.contaminated[cell];
        double passed = 0;
        receivers(cell, [&](std::size_t n, double share) {
            passed += share;
            own[n] += own[cell] * share;
            flow.contaminated[n] |= flow.contaminated[cell];
            if (--donors[n] == 0) ready.push_back(static_cast<cell_index>(n));
        });
        if (constexpr double rounding = 1e-9; passed < 1 - rounding) {
            ++flow.outlets;
            flow.discharged += own[cell] * (1 - passed);
        }
        if (flow.maximum_cell == off_grid || own[cell] > flow.maximum) {
            flow.maximum = own[cell];
            flow.maximum_cell = cell;
        }
    }
    for (std::size_t i = 0; done < flow.terrain_cells && !flow.cycle && i < own.size(); ++i)
        if (donors[i] != 0) flow.cycle = i;
    flow.values = std::move(own);
    return flow;
}

#define GDALMCP_SHARES(T)                                                                                              \
    template grid<float> d_infinity<T>(const grid<T>&, const grid<std::uint8_t>&, const cell_sizes&, const progress&); \
    template std::vector<shares<float>> multiple_flow<T>(const grid<T>&, const grid<std::uint8_t>&, const cell_sizes&, \
                                                         double, const progress&)
GDALMCP_SHARES(std::uint8_t);
GDALMCP_SHARES(std::int16_t);
GDALMCP_SHARES(std::uint16_t);
GDALMCP_SHARES(std::int32_t);
GDALMCP_SHARES(std::uint32_t);
GDALMCP_SHARES(float);
GDALMCP_SHARES(double);
#undef GDALMCP_SHARES

}  // namespace gdalmcp_hydrology
