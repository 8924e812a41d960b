#include "gdal_reduced_view.hpp"

#include "gdal_cell_type.hpp"

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// Cells of the blocks that a thinned-out reading touches.
std::int64_t touched_cells(GDALRasterBand& level, const std::array<double, 4>& w, int width, int height) {
    int columns = 1, rows = 1;
    level.GetBlockSize(&columns, &rows);
    const double across = std::min(w[2] / columns + 1, static_cast<double>(width)) * columns;
    const double down = std::min(w[3] / rows + 1, static_cast<double>(height)) * rows;
    return static_cast<std::int64_t>(std::min(across * down, 9e18));
}

}  // namespace

reduced_plan plan_of(GDALRasterBand& band, const window& w, int width, int height, kind k) {
    const double wanted = std::min(static_cast<double>(w.width) / width, static_cast<double>(w.height) / height);
    reduced_plan p{&band, {}};
    double best = 1;
    for (int i = 0; i < band.GetOverviewCount(); ++i) {
        auto* overview = band.GetOverview(i);
        if (!overview || overview->GetXSize() < 1 || overview->GetYSize() < 1) continue;
        const double factor = static_cast<double>(band.GetXSize()) / overview->GetXSize();
        if (factor <= best || factor > 1.2 * wanted) continue;
        best = factor;
        p.level = overview;
    }
    const double x = static_cast<double>(p.level->GetXSize()) / band.GetXSize(),
                 y = static_cast<double>(p.level->GetYSize()) / band.GetYSize();
    p.w = {w.column * x, w.row * y, w.width * x, w.height * y};
    p.cells = static_cast<std::int64_t>(p.w[2] * p.w[3]);
    const bool smaller = width < p.w[2] || height < p.w[3];
    p.too_large = smaller && k != kind::classes && p.cells > max_averaged;
    p.thinned = !smaller || k == kind::classes || p.too_large;
    if (p.thinned) p.cells = std::min(p.cells, touched_cells(*p.level, p.w, width, height));
    return p;
}

reduced_cells read(const reduced_plan& p, GDALRasterBand& band, int width, int height) {
    reduced_cells out{width, height, std::vector<double>(static_cast<std::size_t>(width) * height)};
    GDALRasterIOExtraArg how;
    INIT_RASTERIO_EXTRA_ARG(how);
    how.eResampleAlg = p.thinned ? GRIORA_NearestNeighbour : GRIORA_Average;
    how.bFloatingPointWindowValidity = TRUE;
    // w: cells of `from`, or of its mask.
    const auto read_from = [&](GDALRasterBand& from, const std::array<double, 4>& w, void* to, GDALDataType type) {
        how.dfXOff = w[0], how.dfYOff = w[1], how.dfXSize = w[2], how.dfYSize = w[3];
        const int column = std::min(static_cast<int>(w[0]), from.GetXSize() - 1),
                  row = std::min(static_cast<int>(w[1]), from.GetYSize() - 1);
        const int columns = std::clamp(static_cast<int>(std::ceil(w[0] + w[2])) - column, 1, from.GetXSize() - column),
                  rows = std::clamp(static_cast<int>(std::ceil(w[1] + w[3])) - row, 1, from.GetYSize() - row);
        if (from.RasterIO(GF_Read, column, row, columns, rows, to, width, height, type, 0, 0, &how) != CE_None)
            gdal::raise_unreadable(from, row, rows);
    };
    read_from(*p.level, p.w, out.cells.data(), GDT_Float64);
    const bool signed_bytes = cell_type_of(band) == cell_type::int8;
    if (signed_bytes)
        for (auto& v : out.cells) v = v > 127 ? v - 256 : v;
    const auto rule = gdal::nodata_rule_of(band);
    std::vector<unsigned char> valid;
    // An average has a value as soon as one cell has: the cell in the middle tells whether the pixel has data. The
    // masks of GDAL before 3.7 do not support signed bytes.
    if (rule.by_mask || (!p.thinned && !signed_bytes && !(band.GetMaskFlags() & GMF_ALL_VALID))) {
        valid.resize(out.cells.size());
        how.eResampleAlg = GRIORA_NearestNeighbour;
        // A mask may have no overviews where its raster has some, and GDAL takes all of these for valid.
        const double x = static_cast<double>(band.GetXSize()) / p.level->GetXSize(),
                     y = static_cast<double>(band.GetYSize()) / p.level->GetYSize();
        if (band.GetMaskFlags() == GMF_PER_DATASET)
            read_from(*band.GetMaskBand(), {p.w[0] * x, p.w[1] * y, p.w[2] * x, p.w[3] * y}, valid.data(), GDT_Byte);
        else
            read_from(*p.level->GetMaskBand(), p.w, valid.data(), GDT_Byte);
    }
    for (std::size_t i = 0; i < out.cells.size(); ++i) {
        auto& v = out.cells[i];
        if ((!valid.empty() && !valid[i]) || (v >= rule.range.lowest && v <= rule.range.highest) || !std::isfinite(v))
            v = none;
    }
    return out;
}

reduced_cells smaller(const reduced_cells& from, int width, int height, kind k) {
    auto* memory = GetGDALDriverManager()->GetDriverByName("MEM");
    const gdal::dataset_ptr image{memory->Create("", from.width, from.height, 0, GDT_Float64, nullptr)};
    gdal::words options;
    options.add(CPLSPrintf("DATAPOINTER=%p", static_cast<const void*>(from.cells.data())));
    if (!image || image->AddBand(GDT_Float64, options.get()) != CE_None) gdal::raise("cannot draw the picture");
    auto& band = *image->GetRasterBand(1);
    band.SetNoDataValue(none);
    return read(plan_of(band, {0, 0, from.width, from.height}, width, height, k), band, width, height);
}

}  // namespace gdalmcp_raster
