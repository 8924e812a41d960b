#include "ogr_pour_points.hpp"

#include <gdalmcp/gdal_crs.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "raster/gdal_sample_points.hpp"

namespace gdalmcp_hydrology {

namespace gdal = gdalmcp::gdal;

namespace {

// The point has no coordinates, or some that its CRS cannot have, such as metres taken for degrees.
[[noreturn]] void refuse_place(OGRLayer& layer, const gdalmcp_raster::sample_row& row, const std::string& name,
                               const gdal_raster& raster) {
    const OGRFeatureUniquePtr feature{layer.GetFeature(row.point)};
    if (const auto* shape = feature ? feature->GetGeometryRef() : nullptr; feature && (!shape || shape->IsEmpty()))
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, name + " has no geometry",
                             "leave it out: vector_query selects the others"};
    OGREnvelope box;
    const bool placed = layer.GetExtent(&box, TRUE) == OGRERR_NONE;
    const auto place = [](double x, double y) { return "x " + gdal::number_text(x) + ", y " + gdal::number_text(y); };
    throw gdalmcp::error{
        GDALMCP_INVALID_ARGUMENT,
        name + " has no place in " + gdal::crs_label(raster.crs()) + ", the CRS of " + raster.path() +
            (placed ? ": the points, from " + place(box.MinX, box.MinY) + " to " + place(box.MaxX, box.MaxY) +
                          ", are read as " + gdal::crs_label(gdal::stated_crs(layer.GetSpatialRef()))
                    : ""),
        "give the points their CRS: GeoJSON that states none is longitude and latitude"};
}

// Where in its cell a point lies, from the centre of the cell: columns to the right, rows down the grid, whose first
// row is the northernmost. To a millionth of a cell: what is in the middle stays there.
std::pair<double, double> place_in_cell(const gdalmcp_raster::sample_row& row, const gdal_raster& raster) {
    const auto& on = raster.on();
    const auto [x, y] = gdalmcp_raster::centre_of(on, *row.cell);
    // A longitude a whole turn away lies in the same cell.
    const double turn =
        on.crs.IsGeographic() ? 2 * M_PI / on.crs.GetAngularUnits() : std::numeric_limits<double>::infinity();
    const auto cells = [](double way, double size) { return std::round(1e6 * way / size) / 1e6; };
    return {cells(std::remainder(row.x - x, turn), on.geotransform[1]),
            (raster.south_up() ? -1 : 1) * cells(row.y - y, on.geotransform[5])};
}

}  // namespace

std::vector<placed_point> read_points(gdalmcp::call& call, const gdalmcp::vector& points, const gdal_raster& raster,
                                      const grid<std::uint8_t>& directions, footing on) {
    const auto source = gdal::open(points);
    auto& layer = gdal::layer_of(*source, std::nullopt);
    std::vector<placed_point> placed;
    const auto rows = gdalmcp_raster::rows_at_points(
        layer, raster.on(), "give points", [](double) {}, [&](const std::string& text) { call.warn(text); });
    std::map<std::int64_t, std::size_t> parts, named;
    for (const auto& row : rows) ++parts[row.point];
    if (parts.size() < rows.size())
        call.warn("the points hold multipoints: each of their points counts by itself, in their order");
    for (const auto& row : rows) {
        const auto of = parts[row.point];
        const auto name = "point " + std::to_string(row.point) +
                          (of > 1 ? " (number " + std::to_string(++named[row.point]) + " of " + std::to_string(of) + ")"
                                  : std::string{});
        if (std::isnan(row.x)) refuse_place(layer, row, name, raster);
        if (!row.cell)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 name + " (x " + gdal::number_text(row.x) + ", y " + gdal::number_text(row.y) +
                                     ") lies outside of " + raster.path(),
                                 "leave it out, or check its CRS"};
        const auto in_file = static_cast<std::size_t>(row.cell->row);
        const auto grid_row = raster.south_up() ? raster.extent().height - 1 - in_file : in_file;
        const auto cell = grid_row * raster.extent().width + static_cast<std::size_t>(row.cell->column);
        if (on == footing::terrain && directions[cell] == no_terrain)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 name + " lies on a cell without a direction, " + raster.cell_text(cell),
                                 "move it onto the terrain"};
        const auto [right, down] = place_in_cell(row, raster);
        placed.push_back({row.point, name, cell, row.x, row.y, right, down});
    }
    if (placed.empty())
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "the layer of points has no feature", "give at least one point"};
    return placed;
}

}  // namespace gdalmcp_hydrology
