#include "flow_shares.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "flow_totals.hpp"

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

// A facet over a cell: how far it is to the side neighbour, and from there to the diagonal one.
struct facet_sides {
    double to_side, across, to_diagonal;
};

// The steepest way down of each cell of a row: its facet, none = -1, and of the angle from the side neighbour what
// atan2() takes.
struct row_of_descents {
    explicit row_of_descents(std::size_t width) : facet(width), beside(width), along(width) {}
    std::vector<double> facet, beside, along;
};

// From the heights of the cell, the side and the diagonal neighbour. The steepest angle is that between the axes of the
// facet if beside and along are, which their signs and cross product tell without an angle. NaN is no terrain and falls
// nowhere. level, upright: of the facets with an east or west side, and of the others.
GDALMCP_WIDE_REGISTERS void steepest_facets(const neighbour_rows<double>::three& rows, const facet_sides& level,
                                            const facet_sides& upright, double* __restrict facet,
                                            double* __restrict beside, double* __restrict along) {
    const auto *above = rows.above, *here = rows.here, *below = rows.below;
    const auto width = static_cast<std::ptrdiff_t>(rows.width);
    const facet_sides flat = level, steep = upright;
    for (std::ptrdiff_t c = 0; c < width; ++c) {
        const double z = here[c];
        double steepest = 0, chosen = -1, chosen_beside = 0, chosen_along = 1;
        const auto consider = [&](double f, double side, double diagonal, const facet_sides& s) {
            const double down = (z - side) / s.to_side, across = (side - diagonal) / s.across;
            const double within = std::sqrt(down * down + across * across), corner = (z - diagonal) / s.to_diagonal;
            const bool at_side = across < 0;
            const bool at_diagonal = across * s.to_side > down * s.across;
            // Where the diagonal is missing neither comparison holds, and the slope within is NaN.
            const double inside = at_diagonal ? corner : within, slope = at_side ? down : inside;
            const double b = at_diagonal ? s.across : across, a = at_diagonal ? s.to_side : down;
            const double towards = at_side ? 0 : b, ahead = at_side ? 1 : a;
            const bool steeper = slope > steepest;
            chosen = steeper ? f : chosen;
            chosen_beside = steeper ? towards : chosen_beside;
            chosen_along = steeper ? ahead : chosen_along;
            steepest = steeper ? slope : steepest;
        };
        // In the order of `facets`.
        consider(0, here[c + 1], above[c + 1], flat);
        consider(1, above[c], above[c + 1], steep);
        consider(2, above[c], above[c - 1], steep);
        consider(3, here[c - 1], above[c - 1], flat);
        consider(4, here[c - 1], below[c - 1], flat);
        consider(5, below[c], below[c - 1], steep);
        consider(6, below[c], below[c + 1], steep);
        consider(7, here[c + 1], below[c + 1], flat);
        facet[c] = chosen;
        beside[c] = chosen_beside;
        along[c] = chosen_along;
    }
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
                       const progress& tick, const team& by) {
    grid<float> angles{surface.extent(), unset{}};
    const auto width = surface.width();
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    strips{surface.extent(), by}.each(tick, [&](const strip& s) {
        neighbour_rows<double> rows{surface.extent(), missing, [&](std::size_t row, double* to) {
                                        for (std::size_t c = 0; c < width; ++c)
                                            to[c] = d8(row, c) == no_terrain ? missing
                                                                             : static_cast<double>(surface(row, c));
                                    }};
        row_of_descents found{width};
        for (auto row = s.top; row < s.bottom; ++row) {
            const double dx = sizes.width(row), dy = sizes.height(row), diagonal = std::hypot(dx, dy);
            const facet_sides level{dx, dy, diagonal}, upright{dy, dx, diagonal};
            std::array<double, 8> towards;
            for (std::size_t d = 0; d < 8; ++d) towards[d] = angle_of(d, sizes, row);
            steepest_facets(rows.at(row), level, upright, found.facet.data(), found.beside.data(), found.along.data());
            for (std::size_t c = 0; c < width; ++c) {
                const auto direction = d8(row, c);
                auto& to = angles(row, c);
                if (direction == no_terrain) {
                    to = no_angle;
                } else if (found.facet[c] >= 0) {
                    const auto& f = facets[static_cast<std::size_t>(found.facet[c])];
                    const double angle = towards[f.side] + f.turn * std::atan2(found.beside[c], found.along[c]);
                    to = static_cast<float>(angle < 0 ? angle + 2 * pi : angle);
                } else {
                    to = direction == undrained ? undrained_angle : static_cast<float>(towards[direction]);
                }
            }
        }
    });
    return angles;
}

template <class T>
std::vector<shares<float>> multiple_flow(const grid<T>& surface, const grid<std::uint8_t>& d8, const cell_sizes& sizes,
                                         double exponent, const progress& tick, const team& by) {
    std::vector<shares<float>> all(surface.size());
    constexpr std::size_t few_rows = 64;  // whose powers take less than a second
    strips{surface.extent(), {by.threads, std::min(by.rows, few_rows)}}.each(tick, [&](const strip& s) {
        for (auto i = s.first; i < s.last; ++i)
            if (d8[i] != no_terrain) all[i] = shares_at(surface, d8, sizes, exponent, i);
    });
    return all;
}

angle_shares::angle_shares(const cell_sizes& sizes, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) {
        auto& turns = turns_.emplace_back();
        for (std::size_t k = 0; k < 8; ++k) turns[k] = angle_of(circle[k], sizes, row);
        turns[8] = 2 * pi;
    }
}

shared_by_two angle_shares::of(float angle, std::size_t row) const {
    double turn = static_cast<double>(angle);
    if (turn >= 2 * pi) turn -= 2 * pi;
    const auto& turns = turns_[row];
    auto k = static_cast<std::size_t>(turn * (4 / pi));  // of square cells
    while (k > 0 && turn < turns[k]) --k;
    while (k < 7 && turn >= turns[k + 1]) ++k;
    // Angles are stored as floats, of radians or degrees: what is that close to a direction is the direction.
    constexpr double rounding = 1e-6;  // radians
    const double from = turn - turns[k], to = turns[k + 1] - turn;
    return {circle[k], circle[(k + 1) % 8], from < rounding ? 0 : to < rounding ? 1 : from / (from + to)};
}

namespace {

constexpr std::uint8_t bit_of(std::size_t direction) { return static_cast<std::uint8_t>(1U << direction); }

// By the bits of two directions side by side: the first counter-clockwise from east, and the second.
constexpr auto pairs = [] {
    std::array<std::array<std::uint8_t, 2>, 256> all{};
    for (std::size_t k = 0; k < 8; ++k)
        all[bit_of(circle[k]) | bit_of(circle[(k + 1) % 8])] = {circle[k], circle[(k + 1) % 8]};
    return all;
}();

}  // namespace

flow_by_angles::flow_by_angles(grid<float> angles, const cell_sizes& sizes)
    : by_angle_{sizes, angles.height()}, shares_{std::move(angles)} {}

void flow_by_angles::find_receivers(std::size_t row, const neighbour_rows<std::uint8_t>::three& directions,
                                    std::uint8_t* towards) {
    const auto on_terrain = [&](std::size_t c, direction d) { return directions.beside(c, d) != no_terrain; };
    for (std::size_t c = 0; c < shares_.width(); ++c) {
        auto& kept = shares_(row, c);
        towards[c] = 0;
        if (kept < 0) continue;
        const auto [first, second, share] = by_angle_.of(kept, row);
        const bool one = share < 1 && on_terrain(c, first), other = share > 0 && on_terrain(c, second);
        towards[c] = static_cast<std::uint8_t>((one ? bit_of(first) : 0) | (other ? bit_of(second) : 0));
        const double alone = one ? 1 - share : share;
        kept = static_cast<float>(!(one && other) ? alone : share < 0.5 ? share : share - 1);
    }
}

template <class Visit>
void flow_by_angles::each(std::size_t cell, std::uint8_t towards, Visit&& visit) const {
    if (towards == 0) return;
    const double share = static_cast<double>(shares_[cell]);
    if ((towards & (towards - 1)) == 0) return visit(static_cast<std::size_t>(__builtin_ctz(towards)), share);
    const auto [first, second] = pairs[towards];
    visit(first, share < 0 ? -share : 1 - share);
    visit(second, share < 0 ? 1 + share : share);
}

flow_by_shares::flow_by_shares(std::vector<shares<float>> all) : shares_{std::move(all)} {}

void flow_by_shares::find_receivers(std::size_t row, const neighbour_rows<std::uint8_t>::three& directions,
                                    std::uint8_t* towards) {
    const auto width = directions.width;
    for (std::size_t c = 0; c < width; ++c) {
        towards[c] = 0;
        for (std::size_t d = 0; d < 8; ++d) {
            if (shares_[row * width + c][d] > 0 && directions.beside(c, d) != no_terrain) towards[c] |= bit_of(d);
        }
    }
}

template <class Visit>
void flow_by_shares::each(std::size_t cell, std::uint8_t towards, Visit&& visit) const {
    const auto& all = shares_[cell];
    double sum = 0;  // floats sum to 1 only nearly
    for (const auto share : all) sum += static_cast<double>(share);
    for (std::size_t d = 0; d < 8; ++d)
        if (towards & bit_of(d)) visit(d, static_cast<double>(all[d]) / sum);
}

namespace {

// How many neighbours give to each cell of a row. rows: of the bits of receivers.
GDALMCP_WIDE_REGISTERS void count_donors(const neighbour_rows<std::uint8_t>::three& rows,
                                         std::uint8_t* __restrict donors) {
    const auto *above = rows.above, *here = rows.here, *below = rows.below;
    const auto width = static_cast<std::ptrdiff_t>(rows.width);
    for (std::ptrdiff_t c = 0; c < width; ++c) {
        const std::uint8_t around[] = {here[c + 1], below[c + 1], below[c], below[c - 1],
                                       here[c - 1], above[c - 1], above[c], above[c + 1]};
        std::uint8_t count = 0;
        for (std::size_t d = 0; d < 8; ++d)
            count = static_cast<std::uint8_t>(count + ((around[d] & bit_of((d + 4) % 8)) != 0));
        donors[c] = count;
    }
}

struct delivery {
    std::size_t to;
    double amount;
    std::uint8_t contaminated;
};

struct shared_strip : flow_totals<double> {
    std::vector<delivery> out;  // to other strips
};

template <class Flow>
class shared_flow {
public:
    shared_flow(Flow& by, const grid<std::uint8_t>& directions, grid<double>& values, bool ones,
                accumulation<double>& result, const team& workers)
        : by_{by},
          directions_{directions},
          values_{values},
          ones_{ones},
          result_{result},
          towards_{directions.extent(), unset{}},
          donors_{directions.extent(), unset{}},
          strips_{directions.extent(), workers},
          parts_(strips_.count()),
          step_{directions.extent().steps()} {}

    void run(const progress& tick) {
        strips_.each(part_of(tick, 0, 0.2), [&](const strip& s) { find_receivers(s); });
        strips_.each(part_of(tick, 0.2, 0.3), [&](const strip& s) { prepare(s); });
        strips_.each(part_of(tick, 0.3, 0.9), [&](const strip& s) {
            std::vector<cell_index> ready;
            for (auto i = s.first; i < s.last; ++i)
                if (donors_[i] == 0) descend(i, s, ready, parts_[s.number]);
        });
        shared_strip between;
        while (deliver(between)) {}
        strips_.each(part_of(tick, 0.9, 1),
                     [&](const strip& s) { parts_[s.number].find_maximum(s, directions_, values_); });
        parts_.push_back(std::move(between));
        if (add_up(parts_, result_)) return;
        for (std::size_t i = 0; !result_.cycle; ++i)
            if (donors_[i] != done) result_.cycle = i;
    }

private:
    static constexpr std::uint8_t done = 255;

    void find_receivers(const strip& s) {
        neighbour_rows<std::uint8_t> rows{directions_, no_terrain};
        for (auto r = s.top; r < s.bottom; ++r) {
            const auto near = rows.at(r);
            by_.find_receivers(r, near, towards_.row(r));
            mark_beside_nodata(near, result_.contaminated.row(r));
        }
    }
    void prepare(const strip& s) {
        auto& part = parts_[s.number];
        neighbour_rows<std::uint8_t> rows{towards_, std::uint8_t{0}};
        for (auto r = s.top; r < s.bottom; ++r) {
            count_donors(rows.at(r), donors_.row(r));
            for (auto i = r * directions_.width(); i < (r + 1) * directions_.width(); ++i) {
                if (directions_[i] == no_terrain) {
                    values_[i] = 0;
                    donors_[i] = done;
                    continue;
                }
                ++part.cells;
                if (ones_) values_[i] = 1;
                part.contributed += values_[i];
            }
        }
    }
    // Takes what strips passed on to others, all at once, to where it flows in these; false: nothing was. The last few
    // deliveries, as a stream along the edge of a strip makes them one by one, flow on from strip to strip.
    bool deliver(shared_strip& between) {
        std::vector<std::vector<delivery>> arrived(strips_.count());
        std::size_t count = 0;
        for (auto& part : parts_) {
            count += part.out.size();
            for (const auto& d : std::exchange(part.out, {}))
                arrived[strips_.of_row(directions_.extent().row(d.to))].push_back(d);
        }
        const auto flow_on = [&](const strip& to, const std::vector<delivery>& all, shared_strip& part) {
            std::vector<cell_index> ready;
            for (const auto& d : all)
                if (receive(d)) descend(d.to, to, ready, part);
        };
        constexpr std::size_t few = 10'000;
        if (count >= few) {
            strips_.each({}, [&](const strip& s) { flow_on(s, arrived[s.number], parts_[s.number]); });
            return true;
        }
        for (const auto& all : arrived) flow_on({0, 0, directions_.height(), 0, directions_.size()}, all, between);
        return false;
    }
    // True if nothing more is missing.
    bool receive(const delivery& d) {
        values_[d.to] += d.amount;
        result_.contaminated[d.to] |= d.contaminated;
        return --donors_[d.to] == 0;
    }
    // From a cell that has all its flow down, as far as no other donor is missing and the strip reaches.
    void descend(std::size_t from, const strip& s, std::vector<cell_index>& ready, shared_strip& part) {
        ready.push_back(static_cast<cell_index>(from));
        while (!ready.empty()) {
            const std::size_t cell = ready.back();
            ready.pop_back();
            donors_[cell] = done;
            ++part.passed;
            part.contaminated += result_.contaminated[cell];
            double passed = 0;
            by_.each(cell, towards_[cell], [&](std::size_t d, double share) {
                passed += share;
                const auto n = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell) + step_[d]);
                const delivery given{n, values_[cell] * share, result_.contaminated[cell]};
                if (!s.holds(n))
                    part.out.push_back(given);
                else if (receive(given))
                    ready.push_back(static_cast<cell_index>(n));
            });
            if (constexpr double rounding = 1e-9; passed < 1 - rounding) {
                ++part.outlets;
                part.discharged += values_[cell] * (1 - passed);
            }
        }
    }

    Flow& by_;
    const grid<std::uint8_t>& directions_;
    grid<double>& values_;
    const bool ones_;
    accumulation<double>& result_;
    grid<std::uint8_t> towards_, donors_;
    strips strips_;
    std::vector<shared_strip> parts_;
    std::array<std::ptrdiff_t, 8> step_{};
};

}  // namespace

template <class Flow>
accumulation<double> accumulate_shares(Flow by, const grid<std::uint8_t>& directions, grid<double> own,
                                       const progress& tick, const team& workers) {
    const bool ones = own.size() == 0;
    if (ones) own = grid<double>{directions.extent(), unset{}};
    if (own.extent() != directions.extent()) throw std::invalid_argument{"contributions and terrain differ in shape"};
    accumulation<double> result;
    result.contaminated = grid<std::uint8_t>{directions.extent(), unset{}};
    shared_flow<Flow>{by, directions, own, ones, result, workers}.run(tick);
    result.values = std::move(own);
    return result;
}
template accumulation<double> accumulate_shares(flow_by_angles, const grid<std::uint8_t>&, grid<double>,
                                                const progress&, const team&);
template accumulation<double> accumulate_shares(flow_by_shares, const grid<std::uint8_t>&, grid<double>,
                                                const progress&, const team&);

#define GDALMCP_SHARES(T)                                                                                              \
    template grid<float> d_infinity<T>(const grid<T>&, const grid<std::uint8_t>&, const cell_sizes&, const progress&,  \
                                       const team&);                                                                   \
    template std::vector<shares<float>> multiple_flow<T>(const grid<T>&, const grid<std::uint8_t>&, const cell_sizes&, \
                                                         double, const progress&, const team&)
GDALMCP_SHARES(std::uint8_t);
GDALMCP_SHARES(std::int16_t);
GDALMCP_SHARES(std::uint16_t);
GDALMCP_SHARES(std::int32_t);
GDALMCP_SHARES(std::uint32_t);
GDALMCP_SHARES(float);
GDALMCP_SHARES(double);
#undef GDALMCP_SHARES

}  // namespace gdalmcp_hydrology
