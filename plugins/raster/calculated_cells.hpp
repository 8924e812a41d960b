// calculated_cells.hpp — the cells that an expression makes of the cells of several rasters, in the data type wanted,
// and what that type could not hold.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "cell_type.hpp"
#include "expressions/expression.hpp"

namespace gdalmcp_raster {

// NaN for floating point; the smallest value of signed whole numbers, the largest of others.
double default_nodata(cell_type t);
// Whether a cell of this type can have exactly this value.
bool holds(cell_type t, double value);

// Results that are not in the output as they were computed.
struct cell_losses {
    std::int64_t undefined = 0;    // x / 0 and the like: no data
    std::int64_t outside = 0;      // beyond the type's range
    std::int64_t fractions = 0;    // of a type of whole numbers
    std::int64_t like_nodata = 0;  // equal to the nodata value
    double lowest_outside = std::numeric_limits<double>::infinity(), highest_outside = -lowest_outside;

    void merge(const cell_losses& other);
};

// Cells of one input; valid: 0 = no data, nullptr = all have data.
struct input_cells {
    const unsigned char* cells;
    const unsigned char* valid;
};

// How an input's cells are stored: as float or double, real value = stored * scale + offset.
struct input_form {
    bool single = false;
    double scale = 1, offset = 0;
};

// Memory and counts of one thread.
struct calculation_state {
    cell_losses lost;
    std::vector<std::vector<double>> values;
    std::vector<double> results;
    gdalmcp_expressions::expression_memory memory;
};

struct calculation {
    const gdalmcp_expressions::expression& formula;
    cell_type type;  // of the output: uint8, int16, uint16, int32, uint32, float32 or float64
    double nodata;
    std::vector<input_form> inputs{};

    // Writes `count` cells of `type` to `out`; a cell without a result has the nodata value.
    void compute(const std::vector<input_cells>& cells, std::size_t count, void* out, calculation_state& state) const;
};

}  // namespace gdalmcp_raster
