// gdal_overlaps.hpp — what is said of places that several sources cover, where the later one counts.
#pragma once
#include "arguments.hpp"
#include "raster/overlaid_cells.hpp"

namespace gdalmcp_gdal {

// Where their values differ.
void warn_of_differences(gdalmcp::call& call, const gdalmcp_raster::overlap_findings& found);

// The place of a source: its extent in its CRS, and the side of a cell in the CRS's unit.
struct covered_place {
    OGREnvelope extent;
    OGRSpatialReference crs;
    double cell = 0;
};

// Where two sources share more than half a cell along both axes: their values were not compared. In several CRSs the
// boxes in degrees around the sources count.
void warn_of_uncompared(gdalmcp::call& call, const std::vector<covered_place>& all);

}  // namespace gdalmcp_gdal
