#include "gdal_cell_values.hpp"

#include <gdalmcp/gdal.hpp>
#include <gdalmcp/gdal_nodata.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace gdalmcp_raster {
namespace {

namespace gdal = gdalmcp::gdal;

template <class T>
T read_cell(GDALRasterBand& band, const cell_place& at, GDALDataType type) {
    T v{};
    if (band.RasterIO(GF_Read, static_cast<int>(at.column), static_cast<int>(at.row), 1, 1, &v, 1, 1, type, 0, 0,
                      nullptr) != CE_None)
        gdal::raise("cannot read column " + std::to_string(at.column) + ", row " + std::to_string(at.row) +
                    " of band " + std::to_string(band.GetBand()));
    return v;
}

std::optional<double> value_at(GDALRasterBand& band, const gdal::nodata_rule& missing, const cell_place& at) {
    if (missing.by_mask && read_cell<unsigned char>(*band.GetMaskBand(), at, GDT_Byte) == 0) return std::nullopt;
    const auto v = read_cell<double>(band, at, GDT_Float64);
    if (!std::isfinite(v) || (v >= missing.range.lowest && v <= missing.range.highest)) return std::nullopt;
    return v * band.GetScale() + band.GetOffset();
}

}  // namespace

std::vector<std::vector<std::optional<double>>> values_at(const std::vector<GDALRasterBand*>& bands,
                                                          const std::vector<cell_place>& cells,
                                                          const std::function<void(double)>& progress) {
    std::vector<std::vector<std::optional<double>>> values(cells.size(),
                                                           std::vector<std::optional<double>>(bands.size()));
    std::vector<gdal::nodata_rule> missing;
    for (auto* band : bands) missing.push_back(gdal::nodata_rule_of(*band));
    int block_columns = 1, block_rows = 1;
    bands.front()->GetBlockSize(&block_columns, &block_rows);
    std::vector<std::size_t> order(cells.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto block_of = [&](std::size_t i) {
        return std::tuple{cells[i].row / block_rows, cells[i].column / block_columns, cells[i].row, cells[i].column};
    };
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return block_of(a) < block_of(b); });
    for (std::size_t n = 0; n < order.size(); ++n) {
        if (n % 1000 == 0) progress(static_cast<double>(n) / static_cast<double>(order.size()));
        const auto i = order[n];
        for (std::size_t b = 0; b < bands.size(); ++b) values[i][b] = value_at(*bands[b], missing[b], cells[i]);
    }
    progress(1);
    return values;
}

}  // namespace gdalmcp_raster
