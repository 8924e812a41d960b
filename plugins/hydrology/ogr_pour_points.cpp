#include "ogr_pour_points.hpp"

#include "raster/gdal_sample_points.hpp"

namespace gdalmcp_hydrology {

namespace gdal = gdalmcp::gdal;

std::vector<placed_point> read_points(gdalmcp::call& call, const gdalmcp::vector& points, const gdal_raster& raster,
                                      const grid<std::uint8_t>& directions) {
    const auto source = gdal::open(points);
    auto& layer = gdal::layer_of(*source, std::nullopt);
    std::vector<placed_point> placed;
    for (const auto& row : gdalmcp_raster::rows_at_points(
             layer, raster.on(), "give points", [](double) {}, [&](const std::string& text) { call.warn(text); })) {
        const auto name = "point " + std::to_string(row.point);
        if (!row.cell)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 name + " (x " + gdal::number_text(row.x) + ", y " + gdal::number_text(row.y) +
                                     ") lies outside of " + raster.path(),
                                 "leave it out, or check its CRS"};
        const auto in_file = static_cast<std::size_t>(row.cell->row);
        const auto grid_row = raster.south_up() ? raster.extent().height - 1 - in_file : in_file;
        const auto cell = grid_row * raster.extent().width + static_cast<std::size_t>(row.cell->column);
        if (directions[cell] == no_terrain)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 name + " lies on a cell without a direction, " + raster.cell_text(cell),
                                 "move it onto the terrain"};
        placed.push_back({row.point, cell, row.x, row.y});
    }
    if (placed.empty())
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "the layer of points has no feature", "give at least one point"};
    return placed;
}

}  // namespace gdalmcp_hydrology
