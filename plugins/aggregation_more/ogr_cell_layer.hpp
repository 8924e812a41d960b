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

// Writes the layer "cells", row by row from the south. Returns the number of features.
std::int64_t write_cells(gdalmcp_vector::result_file& file, const cell_summaries& cells, const cell_lattice& lattice,
                         const cell_columns& columns, const gdalmcp_vector::progress& report);

}  // namespace gdalmcp_aggregation_more
