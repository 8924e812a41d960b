#include "tiled_fill.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace gdalmcp_hydrology {
namespace {

template <class F>
constexpr F beyond = std::numeric_limits<F>::infinity();

class node_sets {
public:
    explicit node_sets(std::size_t nodes) : parent_(nodes) { std::iota(parent_.begin(), parent_.end(), 0U); }

    std::uint32_t find(std::uint32_t node) {
        while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
        return node;
    }
    // False if they were one already. The lower number becomes the root.
    bool unite(std::uint32_t a, std::uint32_t b) {
        const auto [low, high] = std::minmax({find(a), find(b)});
        parent_[high] = low;
        return low != high;
    }

private:
    std::vector<std::uint32_t> parent_;
};

// J. Kruskal's minimum spanning forest: between any two nodes it keeps a path whose highest spill is the lowest
// possible.
template <class F>
void keep_forest(std::vector<spill<F>>& spills, std::size_t nodes) {
    std::sort(spills.begin(), spills.end(), [](const auto& x, const auto& y) { return x.level < y.level; });
    node_sets sets{nodes};
    std::erase_if(spills, [&](const auto& s) { return !sets.unite(s.a, s.b); });
}

// The spills between the nodes of a tile. Boundaries between nodes are long, so most repeat one of the last few.
template <class F>
class spill_list {
public:
    void add(F level, std::uint32_t a, std::uint32_t b) {
        if (b < a) std::swap(a, b);
        auto& kept = recent_[(a * 0x9E3779B1U ^ b * 0x85EBCA77U) >> (32 - bits)];
        if (kept.a == a && kept.b == b) {
            kept.level = std::min(kept.level, level);
            return;
        }
        if (kept.a != kept.b) all_.push_back(kept);
        kept = {level, a, b};
    }
    void reduce_if_long(std::size_t nodes) {
        if (all_.size() >= reduce_at_) reduce(nodes);
    }
    std::vector<spill<F>> forest(std::size_t nodes) {
        for (const auto& kept : recent_)
            if (kept.a != kept.b) all_.push_back(kept);
        reduce(nodes);
        return std::move(all_);
    }

private:
    static constexpr unsigned bits = 14;

    void reduce(std::size_t nodes) {
        keep_forest(all_, nodes);
        reduce_at_ = std::max(reduce_at_, 2 * all_.size());
    }

    std::vector<spill<F>> recent_ = std::vector<spill<F>>(std::size_t{1} << bits);
    std::vector<spill<F>> all_;
    std::size_t reduce_at_ = std::size_t{1} << 20;
};

// Assigns the cells of a tile without depressions to nodes by following the water down to the rim, or to node 0.
template <class F>
class node_labels {
public:
    // surface: -infinity outside the terrain, infinity in holes.
    node_labels(const grid<F>& surface, const progress& tick)
        : extent_{surface.extent()},
          stride_{extent_.width + 2},
          heights_(stride_ * (extent_.height + 2), beyond<F>),
          nodes_(heights_.size(), unknown) {
        for (std::size_t d = 0; d < neighbours.size(); ++d)
            step_[d] = neighbours[d].row * static_cast<std::ptrdiff_t>(stride_) + neighbours[d].column;
        for (std::size_t r = 0; r < extent_.height; ++r)
            for (std::size_t c = 0; c < extent_.width; ++c) {
                const auto cell = at(r, c);
                heights_[cell] = surface(r, c);
                if (heights_[cell] == -beyond<F>) nodes_[cell] = 0;
            }
        for (std::size_t r = 0; r < extent_.height; ++r) {
            if (tick && r % 256 == 0) tick(static_cast<double>(r) / static_cast<double>(extent_.height));
            for (std::size_t c = 0; c < extent_.width; ++c)
                if (nodes_[at(r, c)] == unknown && heights_[at(r, c)] != beyond<F>) follow(at(r, c));
        }
    }

    std::uint32_t node_count() const { return node_count_; }
    // By place; 0 in holes.
    std::vector<std::uint32_t> on_rim() const {
        const rim edge{extent_};
        std::vector<std::uint32_t> found(edge.size());
        edge.each([&](std::size_t place, std::size_t row, std::size_t column) {
            const auto node = nodes_[at(row, column)];
            if (node != unknown) found[place] = node;
        });
        return found;
    }

    std::vector<spill<F>> spills() const {
        spill_list<F> found;
        for (std::size_t r = 0; r < extent_.height; ++r) {
            for (std::size_t c = 0; c < extent_.width; ++c) {
                const auto cell = at(r, c);
                if (heights_[cell] == beyond<F>) continue;
                for (const auto d : {east, southeast, south, southwest}) {
                    const auto n = next_to(cell, d);
                    if (nodes_[n] == nodes_[cell] || heights_[n] == beyond<F>) continue;
                    found.add(std::max(heights_[cell], heights_[n]), nodes_[cell], nodes_[n]);
                }
            }
            found.reduce_if_long(node_count_);
        }
        return found.forest(node_count_);
    }

private:
    static constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max(), pending = unknown - 1;

    std::size_t at(std::size_t row, std::size_t column) const { return (row + 1) * stride_ + column + 1; }
    std::size_t next_to(std::size_t cell, std::size_t d) const {
        return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell) + step_[d]);
    }

    // Down from a cell to one whose node is known, or to a plateau without a way down, which then touches the rim and
    // is a node of its own. Every cell passed gets that node.
    void follow(std::size_t cell) {
        path_.clear();
        std::uint32_t found = unknown;
        while (found == unknown) {
            const auto first = path_.size();
            add_to_path(cell);
            bool down = false;
            for (auto next = first; next < path_.size() && !down && found == unknown; ++next)
                down = look_around(path_[next], cell, found);
            if (!down && found == unknown) found = node_count_++;
        }
        for (const auto passed : path_) nodes_[passed] = found;
    }

    void add_to_path(std::size_t cell) {
        nodes_[cell] = pending;
        path_.push_back(static_cast<cell_index>(cell));
    }

    // True if a neighbour without a node is lower: `lower`. Else `found` is the node of a neighbour that is not higher,
    // if there is one, and neighbours at the same height are added to the path.
    bool look_around(std::size_t cell, std::size_t& lower, std::uint32_t& found) {
        const F height = heights_[cell];
        for (const auto step : step_) {
            const auto n = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell) + step);
            if (heights_[n] > height || nodes_[n] == pending) continue;
            if (nodes_[n] != unknown) {
                found = nodes_[n];
                return false;
            }
            if (heights_[n] < height) {
                lower = n;
                return true;
            }
        }
        for (const auto step : step_) {
            const auto n = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell) + step);
            if (heights_[n] == height && nodes_[n] == unknown) add_to_path(n);
        }
        return false;
    }

    shape extent_;
    std::size_t stride_;  // of rows with a border of holes around the tile
    std::vector<F> heights_;
    std::vector<std::uint32_t> nodes_;
    std::array<std::ptrdiff_t, 8> step_{};
    std::vector<cell_index> path_;
    std::uint32_t node_count_ = 1;
};

// Terrain connected to the cells of the rim that drain nowhere becomes a hole; returns its cells.
template <class F>
std::size_t close_enclosed(grid<footprint>& land, const std::vector<F>& levels) {
    std::vector<std::size_t> closed;
    const auto close = [&](std::size_t cell) {
        if (land[cell] != footprint::terrain) return;
        land[cell] = footprint::hole;
        closed.push_back(cell);
    };
    rim{land.extent()}.each([&](std::size_t place, std::size_t row, std::size_t column) {
        if (levels[place] == beyond<F>) close(row * land.width() + column);
    });
    for (std::size_t next = 0; next < closed.size(); ++next)
        land.extent().around(closed[next], [&](std::size_t n, std::size_t) { close(n); });
    return closed.size();
}

}  // namespace

template <class F>
fill_message<F> find_spills(grid<F> surface, const grid<footprint>& land, std::size_t threads, const progress& tick) {
    const auto part = [&](double from, double to) {
        return [&tick, from, to](double done) {
            if (tick) tick(from + done * (to - from));
        };
    };
    const auto enclosed = raise_to_spill(surface, land, threads, part(0, 0.5));
    for (std::size_t i = 0; i < surface.size(); ++i)
        if (land[i] != footprint::terrain) surface[i] = land[i] == footprint::hole ? beyond<F> : -beyond<F>;
    for (const auto cell : enclosed) surface[cell] = beyond<F>;

    fill_message<F> message;
    message.heights = rim{land.extent()}.of(surface);
    const node_labels<F> down{std::exchange(surface, {}), part(0.5, 1)};
    message.nodes = down.on_rim();
    message.node_count = down.node_count();
    message.spills = down.spills();
    return message;
}

template <class F>
void tiled_levels<F>::link(const rim_cell& a, const rim_cell& b) {
    if (a.node == b.node || a.height == beyond<F> || b.height == beyond<F>) return;
    spills_.push_back({std::max(a.height, b.height), a.node, b.node});
}

template <class F>
void tiled_levels<F>::add(std::size_t tile, fill_message<F> message) {
    if (message.node_count > std::numeric_limits<std::uint32_t>::max() - node_count_)
        throw std::length_error{"the tiles of the terrain have more than 2^32 nodes"};
    // The nodes of the tile follow those of the others, except for node 0, which all have in common.
    const auto shift = first_[tile] = node_count_ - 1;
    const auto shifted = [&](std::uint32_t node) { return node == 0 ? 0 : node + shift; };
    node_count_ += message.node_count - 1;
    for (const auto& s : message.spills) spills_.push_back({s.level, shifted(s.a), shifted(s.b)});
    std::vector<rim_cell> edge(message.nodes.size());
    for (std::size_t i = 0; i < edge.size(); ++i) edge[i] = {message.heights[i], shifted(message.nodes[i])};
    nodes_[tile] = std::move(message.nodes);
    seams_.add(
        tile, std::move(edge), [&](const rim_cell& here, const rim_cell& there, std::size_t) { link(here, there); },
        [&](const rim_cell& here) {
            link(here, {-beyond<F>, 0});
        });
    if (spills_.size() < reduce_at_) return;
    keep_forest(spills_, node_count_);
    reduce_at_ = std::max(reduce_at_, 2 * spills_.size());
}

template <class F>
void tiled_levels<F>::solve() {
    keep_forest(spills_, node_count_);
    levels_.assign(node_count_, beyond<F>);
    levels_[0] = -beyond<F>;
    // From node 0 along the forest, whose only path to a node is one of those that rise least.
    std::vector<std::uint32_t> start(node_count_ + std::size_t{1});
    for (const auto& s : spills_) {
        ++start[s.a];
        ++start[s.b];
    }
    std::exclusive_scan(start.begin(), start.end(), start.begin(), 0U);
    std::vector<std::uint32_t> by_node(2 * spills_.size());
    for (std::uint32_t k = 0; k < spills_.size(); ++k) {
        by_node[start[spills_[k].a]++] = k;
        by_node[start[spills_[k].b]++] = k;
    }
    // start[n] is now where the spills of n end, and those of n + 1 begin.
    std::vector<std::uint32_t> open{0};
    while (!open.empty()) {
        const auto node = open.back();
        open.pop_back();
        for (auto k = node == 0 ? 0 : start[node - 1]; k < start[node]; ++k) {
            const auto& s = spills_[by_node[k]];
            const auto other = s.a == node ? s.b : s.a;
            if (other == 0 || levels_[other] != beyond<F>) continue;
            levels_[other] = std::max(levels_[node], s.level);
            open.push_back(other);
        }
    }
    spills_ = {};
}

template <class F>
std::vector<F> tiled_levels<F>::of(std::size_t tile) {
    std::vector<F> found;
    found.reserve(nodes_[tile].size());
    for (const auto node : nodes_[tile]) found.push_back(node == 0 ? levels_[0] : levels_[node + first_[tile]]);
    return found;
}

template <class T>
std::size_t fill_tile(grid<T>& surface, grid<footprint>& land, const std::vector<filled_as<T>>& levels,
                      std::size_t threads, const progress& tick) {
    using F = filled_as<T>;
    auto enclosed = close_enclosed(land, levels);
    grid<F> work{surface.extent()};
    for (std::size_t i = 0; i < work.size(); ++i) work[i] = static_cast<F>(surface[i]);
    rim{land.extent()}.each([&](std::size_t place, std::size_t row, std::size_t column) {
        if (work(row, column) < levels[place]) work(row, column) = levels[place];
    });
    for (const auto cell : raise_to_spill(work, land, threads, tick)) {
        land[cell] = footprint::hole;
        ++enclosed;
    }
    for (std::size_t i = 0; i < work.size(); ++i)
        if (land[i] == footprint::terrain && static_cast<F>(surface[i]) < work[i]) surface[i] = static_cast<T>(work[i]);
    return enclosed;
}

template class tiled_levels<float>;
template class tiled_levels<double>;
template fill_message<float> find_spills(grid<float>, const grid<footprint>&, std::size_t, const progress&);
template fill_message<double> find_spills(grid<double>, const grid<footprint>&, std::size_t, const progress&);

#define GDALMCP_FILL_TILE(T)                                                                                     \
    template std::size_t fill_tile<T>(grid<T>&, grid<footprint>&, const std::vector<filled_as<T>>&, std::size_t, \
                                      const progress&)
GDALMCP_FILL_TILE(std::uint8_t);
GDALMCP_FILL_TILE(std::int16_t);
GDALMCP_FILL_TILE(std::uint16_t);
GDALMCP_FILL_TILE(std::int32_t);
GDALMCP_FILL_TILE(std::uint32_t);
GDALMCP_FILL_TILE(float);
GDALMCP_FILL_TILE(double);
#undef GDALMCP_FILL_TILE

}  // namespace gdalmcp_hydrology
