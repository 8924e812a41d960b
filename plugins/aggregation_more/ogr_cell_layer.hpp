// ogr_cell_layer.hpp — cells of a lattice with the summary of their points, as features.
#pragma once
#include <map>
#include <string>

#include "cell_lattice.hpp"
#include "ogr_point_question.hpp"
#include "point_summary.hpp"
#include "vector/ogr_result_layer.hpp"

namespace gdalmcp_aggregation_more {

using cell_summaries = std::map<cell_index, point_summary>;

// What is written of a cell besides its count.
struct cell_columns {
    std::vector<std::string> statistics;  // sum, mean, min, max, median
    bool values = false;                  // the number of points with a value
};

// Adds cells without points: those that meet `area`, or a box where there is none. Fails the call beyond
// a million cells.
void add_empty_cells(cell_summaries& cells, const cell_lattice& lattice, const OGRGeometry* area,
                     const OGREnvelope& box);

struct written_cells {
    std::int64_t all = 0, cut = 0;  // cut: that reach beyond the area
};

// Writes the layer "cells", row by row from the south. area: where points were counted, with which a cell has the
// column inside_share, and its density is that of the part inside; nullptr: everywhere.
written_cells write_cells(gdalmcp_vector::result_file& file, const cell_summaries& cells, const cell_lattice& lattice,
                          const OGRGeometry* area, const cell_columns& columns, const gdalmcp_vector::progress& report);

}  // namespace gdalmcp_aggregation_more
