#include "gdal_grid.hpp"

#include <algorithm>
#include <cmath>

#include "gdal_height_unit.hpp"

namespace gdalmcp_datasets {

namespace gdal = gdalmcp::gdal;

std::vector<double> grid::affine() const {
    const auto& g = geotransform;
    return {g[1], g[2], g[0], g[4], g[5], g[3]};
}

OGREnvelope grid::extent() const {
    OGREnvelope box;
    for (const double col : {0.0, static_cast<double>(width)})
        for (const double row : {0.0, static_cast<double>(height)})
            box.Merge(geotransform[0] + col * geotransform[1] + row * geotransform[2],
                      geotransform[3] + col * geotransform[4] + row * geotransform[5]);
    return box;
}

double grid::cell_width() const { return std::hypot(geotransform[1], geotransform[4]); }
double grid::cell_height() const { return std::hypot(geotransform[2], geotransform[5]); }
bool grid::rotated() const { return geotransform[2] != 0 || geotransform[4] != 0; }

grid grid_of(GDALDataset& dataset) {
    grid g;
    g.width = dataset.GetRasterXSize();
    g.height = dataset.GetRasterYSize();
    g.georeferenced = dataset.GetGeoTransform(g.geotransform.data()) == CE_None;
    g.crs = gdal::stated_crs(dataset.GetSpatialRef());
    return g;
}

grid without_heights(grid on) {
    if (on.crs.IsCompound()) on.crs.StripVertical();
    if (on.crs.GetAxesCount() == 3 && !on.crs.IsGeocentric()) on.crs.DemoteTo2D(nullptr);
    on.crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    return on;
}

namespace {

bool same_cells(const grid& a, const grid& b) {
    if (a.width != b.width || a.height != b.height) return false;
    const double step = std::min(a.cell_width(), a.cell_height());
    for (std::size_t i = 0; i < 6; ++i) {
        const double reach = i % 3 == 0 ? 1.0 : std::max(a.width, a.height);
        if (!(std::abs(a.geotransform[i] - b.geotransform[i]) * reach <= step / 1000)) return false;
    }
    return true;
}

bool same_crs(const grid& a, const grid& b) {
    if (a.crs.IsEmpty() || b.crs.IsEmpty() || gdal::detail::same_but_axes(a.crs, b.crs)) return true;
    return heights_of(a.crs).empty() != heights_of(b.crs).empty() &&
           gdal::detail::same_but_axes(without_heights(a).crs, without_heights(b).crs);
}

}  // namespace

bool same_grid(const grid& a, const grid& b) { return same_cells(a, b) && same_crs(a, b); }

std::string grid_text(const named_grid& g) {
    using gdal::coordinate_text;
    return g.path + " has " + std::to_string(g.on.width) + " x " + std::to_string(g.on.height) + " cells of " +
           coordinate_text(g.on.cell_width()) + " by " + coordinate_text(g.on.cell_height()) + " at " +
           coordinate_text(g.on.geotransform[0]) + ", " + coordinate_text(g.on.geotransform[3]) + " in " +
           (g.on.crs.IsEmpty() ? "no CRS" : gdal::crs_label(g.on.crs));
}

void require_both_placed(const named_grid& first, const named_grid& second) {
    if (first.on.georeferenced == second.on.georeferenced) return;
    const auto& bare = first.on.georeferenced ? second : first;
    throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                         bare.path + " has no geotransform, so where its cells lie is unknown, and " +
                             (first.on.georeferenced ? first : second).path + " has one",
                         "georeference it first"};
}

void require_same_grid(const named_grid& first, const named_grid& second) {
    if (same_grid(first.on, second.on)) return;
    require_both_placed(first, second);
    if (same_cells(first.on, second.on)) {
        const auto crs = gdal::json_quote(gdal::crs_label(first.on.crs));
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            "the cells agree and the CRSs differ: " + first.path + " is in " + gdal::crs_label(first.on.crs) + ", " +
                second.path + " in " + gdal::crs_label(second.on.crs),
            "if the second is in the first's CRS after all, state it: raster_reproject with \"src_crs\": " + crs +
                ", \"dst_crs\": " + crs + "; else resample it to the first's grid with align_to"};
    }
    if ((first.on.geotransform[5] > 0) != (second.on.geotransform[5] > 0))
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            "the rows of one run from the south, those of the other from the north: " + grid_text(first) + "; " +
                grid_text(second),
            "turn the second with raster_reproject: " +
                (first.on.crs.IsEmpty() ? std::string{"dst_crs the CRS of both, which the first does not declare"}
                                        : "\"dst_crs\": " + gdal::json_quote(gdal::crs_label(first.on.crs))) +
                ", \"align_to\": " + gdal::json_quote(first.path) +
                ", \"resampling\": \"nearest\", which keeps cells that lie on those of the first"};
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "the grids differ: " + grid_text(first) + "; " + grid_text(second),
                         "resample the second to the first's grid with raster_reproject and align_to, totals such as "
                         "counts with aggregate_fuse and sum"};
}

gdalmcp::expected_output expected_raster(const grid& on, std::int64_t bands, const std::string& dtype) {
    return {.crs = gdal::crs_text(on.crs), .width = on.width, .height = on.height, .bands = bands, .dtype = dtype};
}

}  // namespace gdalmcp_datasets
