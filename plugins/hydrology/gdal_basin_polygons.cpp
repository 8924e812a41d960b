#include "gdal_basin_polygons.hpp"

#include <gdal_alg.h>

namespace gdalmcp_hydrology {

namespace gdal = gdalmcp::gdal;

namespace {

struct window {
    std::size_t top, left, bottom, right;  // the last two beyond the end
};

// Around all labels but 0: outlining the rest would only take time.
window labelled_window(const grid<std::int32_t>& labels) {
    window w{labels.height(), labels.width(), 0, 0};
    for (std::size_t r = 0; r < labels.height(); ++r) {
        const auto *row = labels.row(r), *end = row + labels.width();
        const auto* first = std::find_if(row, end, [](auto label) { return label != 0; });
        if (first == end) continue;
        const auto* last = end;
        while (last[-1] == 0) --last;
        w.top = std::min(w.top, r);
        w.bottom = r + 1;
        w.left = std::min(w.left, static_cast<std::size_t>(first - row));
        w.right = std::max(w.right, static_cast<std::size_t>(last - row));
    }
    return w;
}

// The cells of the window as a raster that reads them where they are.
gdal::dataset_ptr view_of(const gdal_raster& raster, const grid<std::int32_t>& labels, const window& w) {
    auto* driver = GetGDALDriverManager()->GetDriverByName("MEM");
    gdal::dataset_ptr view{driver ? driver->Create("", static_cast<int>(w.right - w.left),
                                                   static_cast<int>(w.bottom - w.top), 0, GDT_Int32, nullptr)
                                  : nullptr};
    if (!view) gdal::raise("cannot make a raster in memory");
    gdal::words where;
    char text[64]{};
    CPLPrintPointer(text, const_cast<std::int32_t*>(labels.row(w.top) + w.left), sizeof text - 1);
    where.add("DATAPOINTER=" + std::string{text},
              "LINEOFFSET=" + std::to_string(labels.width() * sizeof(std::int32_t)));
    if (view->AddBand(GDT_Int32, where.get()) != CE_None) gdal::raise("cannot make a raster in memory");
    view->GetRasterBand(1)->SetNoDataValue(0);
    const auto& t = raster.geotransform();
    const auto [x, y] = raster.centre(w.top, w.left);
    const double height = std::abs(t[5]);
    std::array<double, 6> place{x - t[1] / 2, t[1], 0, y + height / 2, 0, -height};
    view->SetGeoTransform(place.data());
    return view;
}

}  // namespace

basin_outlines outline_basins(gdalmcp::call& call, const gdal_raster& raster, const grid<std::int32_t>& labels,
                              double from, double to) {
    basin_outlines all;
    const auto w = labelled_window(labels);
    if (w.bottom == 0) return all;
    const auto view = view_of(raster, labels, w);
    auto& band = *view->GetRasterBand(1);
    const gdal::dataset_ptr memory{
        GetGDALDriverManager()->GetDriverByName("Memory")->Create("", 0, 0, 0, GDT_Unknown, nullptr)};
    auto* layer = memory ? memory->CreateLayer("basins", nullptr, wkbPolygon) : nullptr;
    OGRFieldDefn label{"label", OFTInteger64};
    if (!layer || layer->CreateField(&label) != OGRERR_NONE) gdal::raise("cannot make a layer in memory");
    gdal::step progress{call, from, to};
    if (GDALPolygonize(GDALRasterBand::ToHandle(&band), GDALRasterBand::ToHandle(band.GetMaskBand()),
                       OGRLayer::ToHandle(layer), 0, nullptr, gdal::step::report, &progress) != CE_None) {
        call.progress(to);  // throws if the reason is that the call was cancelled
        gdal::raise("cannot outline the basins");
    }
    for (auto& feature : *layer) {
        auto& basin = all[static_cast<std::int32_t>(feature->GetFieldAsInteger64(0))];
        if (!basin) basin = std::make_unique<OGRMultiPolygon>();
        basin->addGeometryDirectly(feature->StealGeometry());
    }
    return all;
}

}  // namespace gdalmcp_hydrology
