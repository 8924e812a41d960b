// gdal_target_grid.hpp — the grid of a raster made from features: that of another raster, or cells around them.
#pragma once
#include <gdalmcp/result.hpp>

#include "arguments.hpp"

namespace gdalmcp_raster_more {

inline const gdalmcp::arg<std::optional<gdalmcp::raster>> align_to{
    .name = "align_to", .about = "Raster whose grid the result takes; instead of 'resolution', 'bounds' and 'crs'."};
inline const auto cell_sizes = resolution_argument("Cell size.", "units of 'crs'");
inline const gdalmcp::arg<std::optional<std::vector<double>>> bounds_wanted{
    .name = "bounds",
    .about = "[minx, miny, maxx, maxy] in 'crs'. Default: the features', widened to multiples of 'resolution'.",
    .min_items = 4,
    .max_items = 4};

[[noreturn]] void conflict(const char* one, const char* other);

// Fails the call unless it has either 'align_to' or 'resolution'.
void require_one_grid(gdalmcp::call& call);

// Of another raster. Fails the call where it has no place.
grid grid_like(const gdalmcp::raster& other);

// By 'resolution' and 'bounds', else around `box`, in `in`. narrow: points or lines may lie on the edge of the box.
grid grid_around(gdalmcp::call& call, const OGREnvelope& box, bool narrow, const OGRSpatialReference& in);

}  // namespace gdalmcp_raster_more
