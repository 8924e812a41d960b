#include "gdal_cutline.hpp"

#include <gdalmcp/gdal_collect.hpp>
#include <gdalmcp/gdal_extent.hpp>
#include <gdalmcp/gdal_same_crs.hpp>
#include <gdalmcp/gdal_transformation.hpp>

#include <algorithm>
#include <cmath>

#include "datasets/gdal_grid.hpp"
#include "gdal_another_turn.hpp"

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

namespace {

constexpr std::size_t most_vertices = 1'000'000;

// Points through a geotransform, to a millionth of a cell where `snap`.
struct through : OGRDefaultGeometryVisitor {
    using OGRDefaultGeometryVisitor::visit;
    std::array<double, 6> geotransform;
    bool snap;
    through(const std::array<double, 6>& g, bool s) : geotransform{g}, snap{s} {}
    void visit(OGRPoint* p) override {
        double x = 0, y = 0;
        GDALApplyGeoTransform(geotransform.data(), p->getX(), p->getY(), &x, &y);
        p->setX(snap ? std::round(x * 1e6) / 1e6 : x);
        p->setY(snap ? std::round(y * 1e6) / 1e6 : y);
    }
};

}  // namespace

bool mend_cutline(const std::string& path, const std::string& layer, GDALDataset& raster,
                  const OGRSpatialReference& crs, const std::string& to) {
    const auto on = gdalmcp_datasets::grid_of(raster);
    auto forward = on.geotransform;
    std::array<double, 6> inverse{};
    if (!on.georeferenced || !GDALInvGeoTransform(forward.data(), inverse.data())) return false;
    const auto source = gdal::open(gdalmcp::vector{path});
    auto& from = gdal::layer_of(*source, layer);
    const auto own = gdal::stated_crs(from.GetSpatialRef());
    gdal::wide_edges ignored{own};
    auto shape = gdal::collect_features(from, "'cutline'", most_vertices, ignored).shape;
    if (!shape) return false;
    OGRSpatialReference there{crs};
    there.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    const std::unique_ptr<OGRCoordinateTransformation> way{OGRCreateCoordinateTransformation(&own, &there)};
    shape->assignSpatialReference(nullptr);
    if (!way || shape->transform(way.get()) != OGRERR_NONE)
        gdal::raise("'cutline' has no place in " + gdal::crs_label(there));
    shape->assignSpatialReference(nullptr);
    through into_cells{inverse, true}, out_of_cells{forward, false};
    shape->accept(&into_cells);
    shape = gdal::detail::repaired(*shape);
    if (!shape || shape->IsEmpty()) gdal::raise("GEOS cannot repair 'cutline' on the cells of the raster");
    shape->accept(&out_of_cells);

    auto* driver = GetGDALDriverManager()->GetDriverByName("FlatGeobuf");
    const gdal::dataset_ptr file{driver ? driver->Create(to.c_str(), 0, 0, 0, GDT_Unknown, nullptr) : nullptr};
    auto* written = file ? file->CreateLayer("cutline", &there, shape->getGeometryType()) : nullptr;
    if (!written) gdal::raise("cannot write the repaired 'cutline'");
    OGRFeature feature{written->GetLayerDefn()};
    feature.SetGeometryDirectly(shape.release());
    if (written->CreateFeature(&feature) != OGRERR_NONE) gdal::raise("cannot write the repaired 'cutline'");
    return true;
}

void refuse_cutline_a_turn_away(const std::string& path, const std::string& layer, GDALDataset& raster,
                                const OGRSpatialReference& crs) {
    const auto source = gdal::open(gdalmcp::vector{path});
    auto& from = gdal::layer_of(*source, layer);
    OGREnvelope box;
    if (from.GetExtent(&box) != OGRERR_NONE) return;
    const auto own = gdal::stated_crs(from.GetSpatialRef());
    if (!gdal::detail::coincide(own, crs)) {
        const gdal::quiet silence;
        const gdal::transformation way{OGRCreateCoordinateTransformation(&own, &crs)};
        const bool placed = way && way->TransformBounds(box.MinX, box.MinY, box.MaxX, box.MaxY, &box.MinX, &box.MinY,
                                                        &box.MaxX, &box.MaxY, 21);
        if (!placed || box.MinX > box.MaxX) box.MinX = -180, box.MaxX = 180;
    }
    const auto cells = gdalmcp_datasets::grid_of(raster).extent();
    for (const double turn : {-360.0, 360.0})
        if (std::min(cells.MaxX, box.MaxX + turn) - std::max(cells.MinX, box.MinX + turn) > rounding_of_degrees)
            throw gdalmcp::error{
                GDALMCP_INVALID_ARGUMENT,
                "'cutline' reaches from longitude " + gdal::coordinate_text(box.MinX) + " to " +
                    gdal::coordinate_text(box.MaxX) + " and would miss the cells of " + raster.GetDescription() +
                    " a turn away, which run from " + gdal::coordinate_text(cells.MinX) + " to " +
                    gdal::coordinate_text(cells.MaxX),
                "cut a raster from -180 to 180: raster_reproject with nearest, its own resolution and such bounds "
                "first"};
}

}  // namespace gdalmcp_raster
