// legend.hpp — what the colours of a map mean: blocks of swatches and colour ramps, beside the map.
#pragma once
#include <array>
#include <optional>

#include "canvas.hpp"

namespace gdalmcp_maps {

enum class swatch { area, line, point };

struct legend_entry {
    color shown;
    std::string label;
    double radius = 4;  // of a point, in pixels
};

// What the colours of two fields at once mean: three by three, the first across, the second up.
struct legend_square {
    std::array<std::string, 2> titles;
    std::array<std::string, 2> low, high;
};

// One layer of the map.
struct legend_block {
    std::string title;
    swatch form = swatch::area;
    std::vector<legend_entry> entries;
    // A ramp from low to high instead of entries.
    std::vector<color> ramp;
    std::string low, high;
    std::string short_title = {};  // where the title is too long
    // The first nine entries as a square, others below it.
    std::optional<legend_square> square = {};
    // Circles by their size.
    std::string sizes_title = {};
    std::vector<legend_entry> sizes = {};
    double opacity = 1;
    bool outlined = false;  // areas have outlines of their colour
};

inline constexpr int legend_width = 230;  // with its margin, at most, in pixels

// The size of the blocks on `c`, in pixels.
int height_of(const std::vector<legend_block>& blocks);
int width_of(const canvas& c, const std::vector<legend_block>& blocks, int most);
// Draws them from y down.
void draw(canvas& c, const std::vector<legend_block>& blocks, double x, double y, double width);

}  // namespace gdalmcp_maps
