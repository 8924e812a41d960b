#include "gdal_basin_polygons.hpp"

#include <gdal_alg.h>

namespace gdalmcp_hydrology {

namespace gdal = gdalmcp::gdal;

basin_outlines outline_basins(gdalmcp::call& call, GDALRasterBand& labels, double from, double to) {
    const gdal::dataset_ptr memory{
        GetGDALDriverManager()->GetDriverByName("Memory")->Create("", 0, 0, 0, GDT_Unknown, nullptr)};
    auto* layer = memory ? memory->CreateLayer("basins", nullptr, wkbPolygon) : nullptr;
    OGRFieldDefn label{"label", OFTInteger64};
    if (!layer || layer->CreateField(&label) != OGRERR_NONE) gdal::raise("cannot make a layer in memory");
    gdal::step progress{call, from, to};
    if (GDALPolygonize(GDALRasterBand::ToHandle(&labels), GDALRasterBand::ToHandle(labels.GetMaskBand()),
                       OGRLayer::ToHandle(layer), 0, nullptr, gdal::step::report, &progress) != CE_None) {
        call.progress(to);  // throws if the reason is that the call was cancelled
        gdal::raise("cannot outline the basins");
    }
    basin_outlines all;
    for (auto& feature : *layer) {
        auto& basin = all[static_cast<std::int32_t>(feature->GetFieldAsInteger64(0))];
        if (!basin) basin = std::make_unique<OGRMultiPolygon>();
        basin->addGeometryDirectly(feature->StealGeometry());
    }
    return all;
}

}  // namespace gdalmcp_hydrology
