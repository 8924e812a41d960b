// gdal_cell_selection.hpp — the cells of a band of class codes that are to be outlined, and how many each code has.
#pragma once
#include <gdalmcp/gdal_blocks.hpp>

#include <map>
#include <mutex>
#include <set>

#include "raster/gdal_zone_mask.hpp"

namespace gdalmcp_raster_more {

using namespace gdalmcp_raster;

// Selected cells by their value.
using cell_census = std::map<std::int64_t, std::int64_t>;

// Cells with data, inside the zone, where the mask has data other than 0, of the wanted values.
class cell_selection {
public:
    // mask: a band on the same grid; it and the zone may be nullptr. Everything outlives the selection.
    cell_selection(GDALRasterBand& band, GDALRasterBand* mask, const zone_mask* zone,
                   const std::optional<std::vector<std::int64_t>>& wanted);

    // Marks the cells of `part` in `to`, a band of its size: 1 or 0. Refused: a value that is not whole, or beyond
    // 2^53, which GDALPolygonize would round; more than a million different values.
    cell_census write(const std::function<void(double)>& progress, const window& part, GDALRasterBand& to);

private:
    void select(const gdalmcp::gdal::block& b);

    GDALRasterBand &band_, *mask_;
    const zone_mask* zone_;
    std::optional<std::set<std::int64_t>> wanted_;
    std::mutex guard_;
    cell_census found_;
};

}  // namespace gdalmcp_raster_more
