// gdal_mosaic_cells.hpp — the cells of a mosaic, block by block.
#pragma once
#include "gdal_mosaic_source.hpp"

namespace gdalmcp_raster {

// The bands of the result, each with the bands of the rasters it is made of.
using band_stack = std::vector<std::vector<mosaic_band>>;

// method: our name of the resampling of rasters that are not aligned. REQUIRES: `sources` outlive it.
band_stack bands_of(const std::vector<mosaic_source>& sources, const mosaic_layout& layout, const grid& on,
                    bool stacked, const std::string& method);

// Puts the cells of blocks together. It reads the rasters, so it works on one thread.
class composition {
public:
    composition(const band_stack& bands, overlap_rule rule, const mosaic_meaning& meaning)
        : bands_{bands}, meaning_{meaning}, cells_{rule} {}

    // Into the outputs of the block, doubles, one for each band; one more for the mask if that marks gaps (255 = data).
    void write(const gdalmcp::gdal::block& b);
    // Compares them with the inputs of the block, doubles, a band each: findings().unlike.
    void compare(const gdalmcp::gdal::block& b);
    const overlap_findings& findings() const { return found_; }  // of the blocks written

private:
    template <class Each>
    void compose(const gdalmcp::gdal::block& b, Each&& each);
    void join(const gdalmcp::gdal::block& b, const std::vector<mosaic_band>& parts);
    double value(std::size_t i);
    void count(const gdalmcp::gdal::block& b);

    const band_stack& bands_;
    const mosaic_meaning& meaning_;
    overlaid_cells cells_;
    std::vector<double> values_, spread_;
    std::vector<unsigned char> valid_, marks_;  // marks: 1 = a raster has data, 2 = several
    overlap_findings found_;
};

}  // namespace gdalmcp_raster
