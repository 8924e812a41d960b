#include "gdal_zone_mask.hpp"

#include <gdal_alg.h>

#include <cmath>

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

grid part_of(const grid& whole, const window& w) {
    grid part = whole;
    auto& g = part.geotransform;
    g[0] += w.column * g[1] + w.row * g[2];
    g[3] += w.column * g[4] + w.row * g[5];
    part.width = w.width;
    part.height = w.height;
    return part;
}

namespace {

struct to_cells : OGRDefaultGeometryVisitor {
    using OGRDefaultGeometryVisitor::visit;
    std::array<double, 6> inverse{};
    void visit(OGRPoint* p) override {
        double column = 0, row = 0;
        GDALApplyGeoTransform(inverse.data(), p->getX(), p->getY(), &column, &row);
        // A billionth of a cell is rounding: an edge meant to pass through cell centres or corners does.
        p->setX(std::round(column * 1e9) / 1e9);
        p->setY(std::round(row * 1e9) / 1e9);
    }
};

// GDALTransformerFunc from cells of the grid to cells of a block; argument: the block's corner.
int into_block(void* corner, int to_grid, int n, double* x, double* y, double*, int* done) {
    const auto* c = static_cast<const double*>(corner);
    for (int i = 0; i < n; ++i) {
        x[i] += to_grid ? c[0] : -c[0];
        y[i] += to_grid ? c[1] : -c[1];
        done[i] = TRUE;
    }
    return TRUE;
}

double measure(const OGRGeometry& g) {
    if (g.getDimension() > 0) return gdal::detail::extent_measure(g);
    return wkbFlatten(g.getGeometryType()) == wkbPoint ? 1 : g.toMultiPoint()->getNumGeometries();
}

// First cell and number of cells between min and max: those touched, or those with their centre between them. A centre
// on an edge belongs to the left column or the lower row, as in GDALRasterizeGeometries.
std::pair<int, int> span(double min, double max, int size, bool touched, bool columns) {
    double first = touched ? std::floor(min) : columns ? std::floor(min + 0.5) : std::ceil(min - 0.5);
    double end = touched ? std::max(std::ceil(max), first + 1) : columns ? std::floor(max + 0.5) : std::ceil(max - 0.5);
    first = std::clamp(first, 0.0, static_cast<double>(size));
    end = std::clamp(end, first, static_cast<double>(size));
    return {static_cast<int>(first), static_cast<int>(end - first)};
}

}  // namespace

zone_mask::zone_mask(const OGRGeometry& shape, const grid& on, bool all_touched)
    : shape_{shape.clone()}, all_touched_{all_touched || shape.getDimension() < 2} {
    auto forward = on.geotransform;
    to_cells move;
    if (!GDALInvGeoTransform(forward.data(), move.inverse.data()))
        throw error{GDALMCP_UNSUPPORTED, "the raster's geotransform cannot be inverted: its cells have no area",
                    "repair the geotransform"};
    shape_->accept(&move);
    OGREnvelope box, all;
    all.Merge(0, 0);
    all.Merge(on.width, on.height);
    shape_->getEnvelope(&box);
    const gdal::geometry_ptr inside{
        box.Intersects(all) ? shape_->Intersection(gdal::detail::rectangle(0, 0, on.width, on.height).get()) : nullptr};
    if (box.Intersects(all) && !inside) gdal::raise("GEOS cannot cut 'geometry' at the edge of the raster");
    const bool touches_only = inside && inside->getDimension() < shape.getDimension();
    if (!inside || inside->IsEmpty() || touches_only) {
        OGREnvelope own;
        shape.getEnvelope(&own);
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'geometry' " + gdal::extent_text(own, on.crs) + " does not overlap the raster, which covers " +
                        gdal::extent_text(on.extent(), on.crs),
                    "give a geometry inside those bounds; check 'geometry_crs' and the order of x and y"};
    }
    // Points and lines that coincide count once, here as in the part inside.
    const gdal::geometry_ptr once{
        shape_->getDimension() == 2
            ? nullptr
            : shape_->Intersection(
                  gdal::detail::rectangle(box.MinX - 1, box.MinY - 1, box.MaxX + 1, box.MaxY + 1).get())};
    outside_ = std::max(0.0, 1 - measure(*inside) / measure(once ? *once : *shape_));
    if (outside_ < 1e-9) outside_ = 0;
    const auto [column, columns] = span(box.MinX, box.MaxX, on.width, all_touched_, true);
    const auto [row, rows] = span(box.MinY, box.MaxY, on.height, all_touched_, false);
    bounds_ = {column, row, columns, rows};
    if (bounds_.cells() == 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'geometry' is smaller than a cell and holds no cell centre (cells are " +
                        gdal::coordinate_text(on.cell_width()) + " × " + gdal::coordinate_text(on.cell_height()) + ")",
                    "set \"all_touched\": true to take the cells it touches"};
}

void zone_mask::read(int first, int rows, std::vector<unsigned char>& out) const {
    out.assign(static_cast<std::size_t>(bounds_.width) * rows, 0);
    auto* driver = GetGDALDriverManager()->GetDriverByName("MEM");
    const gdal::dataset_ptr block{driver->Create("", bounds_.width, rows, 0, GDT_Byte, nullptr)};
    gdal::words options;
    options.add(CPLSPrintf("DATAPOINTER=%p", static_cast<void*>(out.data())));
    if (!block || block->AddBand(GDT_Byte, options.get()) != CE_None) gdal::raise("cannot make a mask");
    int band = 1;
    double value = 1;
    OGRGeometryH shape = OGRGeometry::ToHandle(shape_.get());
    constexpr const char* touched[] = {"ALL_TOUCHED=TRUE", nullptr};
    std::array<double, 2> corner{static_cast<double>(bounds_.column), static_cast<double>(bounds_.row + first)};
    if (GDALRasterizeGeometries(GDALDataset::ToHandle(block.get()), 1, &band, 1, &shape, into_block, corner.data(),
                                &value, all_touched_ ? const_cast<char**>(touched) : nullptr, nullptr,
                                nullptr) != CE_None)
        gdal::raise("cannot rasterise 'geometry'");
    block->FlushCache();
}

std::string zone_mask::outside_text(const std::string& done) const {
    if (!(outside_ > 0)) return {};
    const auto share = outside_ > 0.9995   ? std::string{"more than 99.9"}
                       : outside_ < 0.0005 ? std::string{"less than 0.1"}
                                           : gdal::number_text(std::round(1000 * outside_) / 10);
    return share + " % of the geometry lies outside the raster and is not " + done;
}

}  // namespace gdalmcp_raster
