#include "gdal_cutline.hpp"

#include <gdalmcp/gdal_collect.hpp>

#include <cmath>

#include "datasets/gdal_grid.hpp"

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

}  // namespace gdalmcp_raster
