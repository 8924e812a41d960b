#include "gdal_sample_points.hpp"

#include <cmath>

#include "vector/ogr_transformation.hpp"

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

namespace {

constexpr std::size_t max_points = 1'000'000;

// From the layer to the raster; nullopt where the coordinates need none.
std::optional<gdalmcp_vector::transformation> way_to(const grid& on, OGRLayer& layer,
                                                     const std::function<void(const std::string&)>& say) {
    const auto from = gdal::stated_crs(layer.GetSpatialRef());
    if (from.IsEmpty() && on.crs.IsEmpty()) {
        say("neither the points nor the raster has a CRS: both were assumed to share one");
        return std::nullopt;
    }
    if (from.IsEmpty() || on.crs.IsEmpty())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    from.IsEmpty() ? "the points have no CRS, and the raster is in " + gdal::crs_label(on.crs)
                                   : "the raster has no CRS, and the points are in " + gdal::crs_label(from),
                    from.IsEmpty() ? "declare the CRS of the points with vector_reproject and its src_crs"
                                   : "declare the CRS of the raster with raster_reproject and its src_crs"};
    if (gdalmcp_vector::same_coordinates(from, on.crs)) return std::nullopt;
    say("the points were transformed from " + gdal::crs_label(from) + " to the raster's " + gdal::crs_label(on.crs));
    OGREnvelope box;
    const bool boxed = layer.GetExtent(&box, TRUE) == OGRERR_NONE;
    return std::optional<gdalmcp_vector::transformation>{
        std::in_place, from, on.crs, boxed ? gdal::wgs84_bounds(box, from) : std::nullopt, true, say};
}

const OGRMultiPoint* points_of(const OGRGeometry& shape) {
    return wkbFlatten(shape.getGeometryType()) == wkbMultiPoint ? shape.toMultiPoint() : nullptr;
}

}  // namespace

std::optional<cell_place> cell_of(const grid& on, double x, double y) {
    if (!std::isfinite(x) || !std::isfinite(y)) return std::nullopt;
    auto forward = on.geotransform;
    std::array<double, 6> inverse{};
    if (!GDALInvGeoTransform(forward.data(), inverse.data())) return std::nullopt;
    const double turn = on.crs.IsGeographic() ? 2 * M_PI / on.crs.GetAngularUnits() : 0;
    for (const double shift : {0.0, turn, -turn}) {
        double column = 0, row = 0;
        GDALApplyGeoTransform(inverse.data(), x + shift, y, &column, &row);
        // A billionth of a cell is rounding, as in zone_mask.
        column = std::floor(std::round(column * 1e9) / 1e9);
        row = std::floor(std::round(row * 1e9) / 1e9);
        if (column >= 0 && column < on.width && row >= 0 && row < on.height)
            return cell_place{static_cast<std::int64_t>(row), static_cast<std::int64_t>(column)};
        if (turn == 0) break;
    }
    return std::nullopt;
}

std::array<double, 2> centre_of(const grid& on, const cell_place& cell) {
    const double column = static_cast<double>(cell.column) + 0.5, row = static_cast<double>(cell.row) + 0.5;
    const auto& g = on.geotransform;
    return {g[0] + column * g[1] + row * g[2], g[3] + column * g[4] + row * g[5]};
}

void locate(const OGRSpatialReference& crs, std::vector<sample_row>& rows) {
    const auto way = gdal::to_wgs84(crs);
    if (!way) return;
    const gdal::quiet silence;
    std::vector<double> x, y;
    for (const auto& r : rows) x.push_back(r.x), y.push_back(r.y);
    const auto placed = gdal::transform_each(*way, x, y);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!placed[i]) continue;
        rows[i].longitude = std::abs(x[i]) <= 180 ? x[i] : x[i] - 360 * std::floor((x[i] + 180) / 360);
        rows[i].latitude = y[i];
    }
}

std::vector<sample_row> rows_at_points(OGRLayer& layer, const grid& on, const std::string& instead,
                                       const std::function<void(double)>& progress,
                                       const std::function<void(const std::string&)>& say) {
    auto way = way_to(on, layer, say);
    std::vector<sample_row> rows;
    const auto add = [&](GIntBig id, const OGRPoint* point) {
        sample_row row;
        row.point = id;
        std::unique_ptr<OGRGeometry> moved;
        if (point && !point->IsEmpty())
            moved = way ? way->apply(*point, false) : std::unique_ptr<OGRGeometry>{point->clone()};
        if (moved) {
            row.x = moved->toPoint()->getX();
            row.y = moved->toPoint()->getY();
            row.cell = cell_of(on, row.x, row.y);
        }
        rows.push_back(std::move(row));
        if (rows.size() > max_points)
            throw error{
                GDALMCP_EXHAUSTED,
                "layer '" + std::string{layer.GetName()} + "' has more than " + std::to_string(max_points) + " points",
                "give fewer, for example those that vector_query selects"};
    };
    gdalmcp_vector::for_each_feature(layer, progress, [&](OGRFeature& feature) {
        const auto* shape = feature.GetGeometryRef();
        if (!shape || shape->IsEmpty()) {
            add(feature.GetFID(), nullptr);
        } else if (const auto* several = points_of(*shape)) {
            for (const auto* point : *several) add(feature.GetFID(), point);
        } else if (wkbFlatten(shape->getGeometryType()) == wkbPoint) {
            add(feature.GetFID(), shape->toPoint());
        } else {
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "feature " + std::to_string(feature.GetFID()) + " of layer '" + layer.GetName() + "' is a " +
                            shape->getGeometryName() + ", not a point",
                        instead};
        }
        return true;
    });
    return rows;
}

}  // namespace gdalmcp_raster
