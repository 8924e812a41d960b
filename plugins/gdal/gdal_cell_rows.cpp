#include "gdal_cell_rows.hpp"

#include "datasets/gdal_raster_source.hpp"

namespace gdalmcp_gdal {

cell_rows::cell_rows(GDALDataset& from, const std::vector<int>& bands) : from_{from}, bands_{bands} {
    const auto columns = static_cast<std::size_t>(from.GetRasterXSize());
    for (const int b : bands_) gdalmcp_datasets::require_real(*from.GetRasterBand(b));
    current_.values.assign(bands_.size(), std::vector<double>(columns));
    current_.valid.assign(bands_.size(), std::vector<unsigned char>(columns));
}

const cell_row& cell_rows::read(int row) {
    const int columns = from_.GetRasterXSize();
    for (std::size_t i = 0; i < bands_.size(); ++i) {
        auto& band = *from_.GetRasterBand(bands_[i]);
        const auto read_row = [&](GDALRasterBand& of, void* into, GDALDataType type) {
            return of.RasterIO(GF_Read, 0, row, columns, 1, into, columns, 1, type, 0, 0, nullptr) == CE_None;
        };
        if (!read_row(band, current_.values[i].data(), GDT_Float64) ||
            !read_row(*band.GetMaskBand(), current_.valid[i].data(), GDT_Byte))
            gdalmcp::gdal::raise("cannot read row " + std::to_string(row) + " of " + from_.GetDescription());
    }
    return current_;
}

}  // namespace gdalmcp_gdal
