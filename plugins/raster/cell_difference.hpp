// cell_difference.hpp — cells of one raster minus those of another.
#pragma once
#include <cstddef>
#include <cstdint>

#include "calculated_cells.hpp"

namespace gdalmcp_raster {

// Cells that have a value before and after.
struct difference_counts {
    std::int64_t increased = 0, decreased = 0, unchanged = 0;
    void merge(const difference_counts& other);
};

// Cells of a raster, and how they are stored.
struct stored_cells {
    input_cells of;
    input_form form;
};

// Writes after - before of `count` cells to `out`; NaN where either has no data or the difference is not finite.
// tolerance: differences up to it, up or down, count as unchanged.
difference_counts subtract(const stored_cells& before, const stored_cells& after, std::size_t count, double tolerance,
                           double* out);

}  // namespace gdalmcp_raster
