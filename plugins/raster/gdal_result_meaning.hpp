// gdal_result_meaning.hpp — which unit and kind the result of an expression has by those of its inputs.
#pragma once
#include <string>
#include <vector>

#include "datasets/gdal_grid.hpp"
#include "expressions/quantities.hpp"
#include "gdal_expression_doubts.hpp"

namespace gdalmcp_raster {

struct result_meaning {
    std::string unit;         // "": not known
    std::string name_begins;  // where the name tells the kind (see gdalmcp/gdal_kind.hpp): "total: ", "slope: "
};

// Values that only move within their unit keep it: clip(A, 0, 1). So do sums and differences of totals of one unit, and
// logarithms and directions plus a constant. Totals times a constant stay totals, whose unit may be another (thousands
// of persons), unless the constant makes a density of them: 1 / the area of a cell. on: the grid of the inputs.
result_meaning meaning_of_result(const std::vector<expression_input>& inputs, const gdalmcp_expressions::quantities& of,
                                 const gdalmcp_datasets::grid& on);

}  // namespace gdalmcp_raster
