#include "packed_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace gdalmcp_vector {

namespace {

constexpr std::size_t head_bytes = 4, cell_bytes = 24;

void put(std::string& data, std::size_t at, std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) data[at + i] = static_cast<char>(value >> (8 * (bytes - 1 - i)) & 0xff);
}

void put(std::string& data, std::size_t at, float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    put(data, at, bits, sizeof bits);
}

// In the order of tiles of about `capacity` boxes each.
void sort_into_tiles(std::vector<tree_box>& boxes, std::size_t capacity) {
    const auto by_x = [](const tree_box& a, const tree_box& b) { return a.minx + a.maxx < b.minx + b.maxx; };
    const auto by_y = [](const tree_box& a, const tree_box& b) { return a.miny + a.maxy < b.miny + b.maxy; };
    std::sort(boxes.begin(), boxes.end(), by_x);
    const double nodes = std::ceil(static_cast<double>(boxes.size()) / static_cast<double>(capacity));
    const auto slice = static_cast<std::size_t>(std::ceil(std::sqrt(nodes))) * capacity;
    for (std::size_t i = 0; i < boxes.size(); i += slice)
        std::sort(boxes.begin() + static_cast<std::ptrdiff_t>(i),
                  boxes.begin() + static_cast<std::ptrdiff_t>(std::min(i + slice, boxes.size())), by_y);
}

// The node of some boxes, and its box.
tree_node node_of(const tree_box* first, std::size_t count, std::size_t node_bytes, bool leaf, tree_box& around) {
    tree_node n{0, 0, leaf, {}, std::string(node_bytes, '\0')};
    put(n.data, 2, count, 2);
    around = *first;
    for (std::size_t i = 0; i < count; ++i) {
        const auto& b = first[i];
        const std::size_t at = head_bytes + i * cell_bytes;
        put(n.data, at, static_cast<std::uint64_t>(b.id), 8);
        put(n.data, at + 8, b.minx);
        put(n.data, at + 12, b.maxx);
        put(n.data, at + 16, b.miny);
        put(n.data, at + 20, b.maxy);
        n.ids.push_back(b.id);
        around = {0, std::min(around.minx, b.minx), std::max(around.maxx, b.maxx), std::min(around.miny, b.miny),
                  std::max(around.maxy, b.maxy)};
    }
    return n;
}

}  // namespace

tree_box outward(std::int64_t id, double minx, double maxx, double miny, double maxy) {
    const auto down = [](double v) {
        const auto f = static_cast<float>(v);
        return f > v ? std::nextafter(f, -std::numeric_limits<float>::infinity()) : f;
    };
    const auto up = [](double v) {
        const auto f = static_cast<float>(v);
        return f < v ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
    };
    return {id, down(minx), up(maxx), down(miny), up(maxy)};
}

std::vector<tree_node> packed_tree(std::vector<tree_box>& boxes, std::size_t node_bytes) {
    const std::size_t capacity = (node_bytes - head_bytes) / cell_bytes;
    std::vector<tree_node> all;
    std::vector<tree_box> level;
    std::int64_t next = 2;
    std::uint64_t depth = 0;
    for (auto* below = &boxes;; ++depth) {
        sort_into_tiles(*below, capacity);
        const std::size_t count = (below->size() + capacity - 1) / capacity;
        std::vector<tree_box> above(count);
        for (std::size_t i = 0; i < count; ++i) {
            // Equal shares, so that no node is nearly empty.
            const std::size_t begin = below->size() * i / count, end = below->size() * (i + 1) / count;
            all.push_back(node_of(below->data() + begin, end - begin, node_bytes, depth == 0, above[i]));
            all.back().number = above[i].id = count == 1 ? 1 : next++;
        }
        if (count == 1) break;
        level = std::move(above);
        below = &level;
    }
    put(all.back().data, 0, depth, 2);
    std::vector<std::int64_t> parents(static_cast<std::size_t>(next), 0);
    for (const auto& n : all)
        for (const auto id : n.ids)
            if (!n.leaf) parents[static_cast<std::size_t>(id)] = n.number;
    for (auto& n : all) n.parent = parents[static_cast<std::size_t>(n.number)];
    return all;
}

}  // namespace gdalmcp_vector
