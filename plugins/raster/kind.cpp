#include "kind.hpp"

#include <gdal_rat.h>

#include <cmath>
#include <set>

#include "cut.hpp"

namespace gdalmcp_raster {

namespace {

struct neighbours {
    std::set<double> values;
    std::size_t differing = 0, by_one = 0;

    void see(const std::vector<double>& cells, const std::vector<unsigned char>& valid, std::size_t columns) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (!valid[i]) continue;
            if (values.size() <= 64) values.insert(cells[i]);
            if ((i + 1) % columns != 0 && i + 1 < cells.size()) compare(cells, valid, i, i + 1);
            if (i + columns < cells.size()) compare(cells, valid, i, i + columns);
        }
    }
    bool classes() const { return !values.empty() && values.size() <= 64 && 2 * by_one <= differing; }

private:
    void compare(const std::vector<double>& cells, const std::vector<unsigned char>& valid, std::size_t a,
                 std::size_t b) {
        if (!valid[b] || cells[a] == cells[b]) return;
        ++differing;
        by_one += std::abs(cells[a] - cells[b]) == 1;
    }
};

}  // namespace

bool looks_like_classes(const std::vector<double>& cells, const std::vector<unsigned char>& valid,
                        std::size_t columns) {
    neighbours n;
    n.see(cells, valid, columns);
    return n.classes();
}

kind kind_of(GDALRasterBand& band) {
    if (band.GetColorTable() || band.GetCategoryNames()) return kind::classes;
    if (const auto* rat = band.GetDefaultRAT(); rat && rat->GetTableType() == GRTT_THEMATIC && rat->GetRowCount() > 0)
        return kind::classes;
    if (!GDALDataTypeIsInteger(band.GetRasterDataType()) || GDALDataTypeIsComplex(band.GetRasterDataType()))
        return kind::continuous;
    neighbours n;
    std::vector<double> cells;
    std::vector<unsigned char> valid;
    const int columns = band.GetXSize(), rows = band.GetYSize();
    const int width = std::min(columns, 256), height = std::min(rows, 256);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            if ((i > 0 && columns <= 256) || (j > 0 && rows <= 256)) continue;
            read_strip(band, {i * (columns - width) / 2, j * (rows - height) / 2, width, height}, 0, height, cells,
                       valid);
            n.see(cells, valid, static_cast<std::size_t>(width));
        }
    return n.classes() ? kind::classes : kind::continuous;
}

const char* overview_resampling(kind k) { return k == kind::classes ? "MODE" : "AVERAGE"; }

const char* mask_kind(GDALRasterBand& band) {
    const int flags = band.GetMaskFlags();
    return flags & GMF_ALL_VALID ? "all_valid"
           : flags & GMF_NODATA  ? "nodata"
           : flags & GMF_ALPHA   ? "alpha"
                                 : "mask_band";
}

}  // namespace gdalmcp_raster
