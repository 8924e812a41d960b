#include "gdal_target_grid.hpp"

#include "burnt_values.hpp"

namespace gdalmcp_raster_more {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

namespace {
constexpr double max_cells = 1e10;
}

void conflict(const char* one, const char* other) {
    throw error{GDALMCP_INVALID_ARGUMENT, std::string{"both '"} + one + "' and '" + other + "' are given",
                "give one of them"};
}

void require_one_grid(gdalmcp::call& call) {
    if (call[align_to] && call[cell_sizes]) conflict("align_to", "resolution");
    if (call[align_to] && call[bounds_wanted]) conflict("align_to", "bounds");
    if (!call[align_to] && !call[cell_sizes])
        throw error{GDALMCP_INVALID_ARGUMENT, "neither 'align_to' nor 'resolution' is given: the grid is unknown",
                    "give a raster whose grid the result takes, or a cell size"};
}

grid grid_like(const gdalmcp::raster& other) {
    const auto file = open_raster(other);
    grid on = grid_of(*file);
    if (!on.georeferenced || on.crs.IsEmpty())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'align_to' is " + other.path + ", which has no " + (on.georeferenced ? "CRS" : "geotransform"),
                    "give a georeferenced raster, or 'resolution'"};
    return on;
}

grid grid_around(gdalmcp::call& call, const OGREnvelope& box, bool narrow, const OGRSpatialReference& in) {
    const auto step = *call[cell_sizes];
    const double width = step.front(), height = step.back();
    grid on;
    on.crs = in;
    on.georeferenced = true;
    cell_axis x, y;
    if (const auto b = call[bounds_wanted]) {
        const auto& v = *b;
        if (!(v[0] < v[2] && v[1] < v[3]))
            throw error{GDALMCP_INVALID_ARGUMENT, "'bounds' " + gdal::box_text(v[0], v[1], v[2], v[3]) + " has no area",
                        "give [minx, miny, maxx, maxy] with minx < maxx and miny < maxy"};
        x = cells_from(v[0], v[2], width);
        y = cells_from(-v[3], -v[1], height);
    } else {
        x = cells_on_multiples(box.MinX, box.MaxX, width, narrow);
        y = cells_on_multiples(-box.MaxY, -box.MinY, height, narrow);
    }
    const double cells = static_cast<double>(x.count) * static_cast<double>(y.count);
    if (cells > max_cells || std::max(x.count, y.count) > std::numeric_limits<int>::max())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'resolution' " + gdal::number_text(width) + " makes " + std::to_string(x.count) + " x " +
                        std::to_string(y.count) + " cells over " + gdal::extent_text(box, in) + ", more than 1e10",
                    std::string{"give a larger one"} + (in.IsGeographic() ? "; it is in degrees" : "")};
    const double wide = box.MaxX - box.MinX, high = box.MaxY - box.MinY;
    if (in.IsGeographic() && (width > 45 || (wide > 0 && high > 0 && width > wide && height > high)))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'resolution' is " + gdal::number_text(width) + " degrees, and the features extend over " +
                        gdal::extent_text(box, in),
                    "give it in degrees, or a projected 'crs' for metres"};
    on.width = static_cast<int>(x.count);
    on.height = static_cast<int>(y.count);
    on.geotransform = {x.origin, width, 0, -y.origin, 0, -height};
    return on;
}

}  // namespace gdalmcp_raster_more
