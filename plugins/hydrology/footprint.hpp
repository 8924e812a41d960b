// footprint.hpp — which cells carry terrain, which lie outside it, and which are holes in it.
//
// Water leaves the terrain over the edge of the raster and into `outside` cells; it can neither enter nor leave a
// `hole`. Whether nodata surrounded by terrain is an outlet (a lake, the sea) or merely missing is the caller's choice.
#pragma once
#include <cmath>
#include <optional>

#include "strips.hpp"

namespace gdalmcp_hydrology {

enum class footprint : std::uint8_t { terrain, outside, hole };
enum class nodata_holes { outlet, missing };

struct hole_count {
    std::size_t holes = 0, cells = 0;
};

// valid: non-zero where the cell has an elevation. Nodata connected (8 neighbours) to the edge is always outside.
grid<footprint> trace_footprint(const grid<std::uint8_t>& valid, nodata_holes holes, const team& by = {});

std::size_t count_cells(const grid<footprint>& land, footprint of, const team& by = {});

// Regions of nodata (8-connected) that do not reach the edge of the raster.
hole_count count_holes(const grid<std::uint8_t>& valid);
hole_count count_holes(grid<footprint> land);  // of a footprint traced with nodata_holes::missing

// True where water can step off the terrain: at the edge of the raster or beside an outside cell.
bool is_outlet(const grid<footprint>& land, std::size_t index);

// Cells whose value is neither `nodata` nor NaN nor infinite.
template <class T>
grid<std::uint8_t> valid_cells(const grid<T>& values, std::optional<T> nodata = {}) {
    grid<std::uint8_t> valid{values.extent()};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool finite = std::isfinite(static_cast<double>(values[i]));
        valid[i] = finite && !(nodata && values[i] == *nodata);
    }
    return valid;
}

}  // namespace gdalmcp_hydrology
