// gdal_mosaic_file.hpp — a mosaic written: its cells, or a VRT that names the rasters.
#pragma once
#include "gdal_virtual_mosaic.hpp"

namespace gdalmcp_raster {

struct mosaic_plan {
    const std::vector<mosaic_source>& sources;
    const mosaic_layout& layout;
    const grid& on;
    const mosaic_meaning& meaning;
    const band_stack& bands;
    bool stacked;
    overlap_rule rule;
    bool decided;      // the caller chose the rule, so values that differ are no conflict
    std::string path;  // of the file to write
    int count() const { return static_cast<int>(bands.size()); }
};

// Fails the call where the cells of all rasters together are more than one call writes.
void require_size(const std::vector<lattice>& rasters, const std::array<double, 2>& cell);

// The size of a cell of all rasters. Refused, naming both: two that differ.
std::array<double, 2> common_cell(const std::vector<mosaic_source>& sources);

// Whether every cell of the rasters is one of the mosaic's; and fails the call where one is not.
bool aligned(const mosaic_layout& layout);
void require_aligned(const std::vector<mosaic_source>& sources, const mosaic_layout& layout);

// Refuses rasters that have the same place at longitudes a turn apart.
grid grid_around(const std::vector<mosaic_source>& sources, const mosaic_layout& layout);

// Whether some cells may belong to no raster; stacked: of some band.
bool leaves_gaps(const mosaic_layout& layout, bool stacked);

// Writes the cells. Refused: values that differ where rasters overlap, unless the plan is decided; data that would read
// as nodata.
overlap_findings merge(gdalmcp::call& call, const mosaic_plan& plan);

// Writes the VRT, reads it back and compares it with the cells a merge would write: the rasters may mark missing cells
// in ways that a VRT cannot. Refused: as by merge() and require_virtual(), and where they differ.
overlap_findings link_rasters(gdalmcp::call& call, const mosaic_plan& plan);

// The same of rasters whose cells do not coincide, without the comparison: the cells come from GDAL's resampling.
void link_resampled(gdalmcp::call& call, const mosaic_plan& plan, const resampled_view& how);

}  // namespace gdalmcp_raster
