// ogr_source_share.hpp — which share of each cell of one grid lies in the rectangle of another.
#pragma once
#include <ogr_geometry.h>
#include <gdalmcp/gdal_transformation.hpp>

#include "datasets/gdal_grid.hpp"

namespace gdalmcp_aggregation_more {

// Cells are taken as quadrilaterals between their corners, in the CRS of the target.
class source_share {
public:
    // way: from the source's CRS to the target's; nullptr where they are the same. REQUIRES: the arguments outlive it.
    source_share(const gdalmcp_datasets::grid& source, const gdalmcp_datasets::grid& target,
                 OGRCoordinateTransformation* way);

    // 0 to 1 for each of `count` cells of a row, from a column on; 0 where a corner has no place in the target's CRS.
    std::vector<double> of(int row, int column, int count) const;

private:
    double cut(const std::array<double, 4>& x, const std::array<double, 4>& y) const;

    const gdalmcp_datasets::grid& source_;
    OGREnvelope box_;
    OGRPolygon rectangle_;
    OGRCoordinateTransformation* way_;
};

}  // namespace gdalmcp_aggregation_more
