// burnt_values.hpp — the values that features give the cells they cover: the data type that holds them, and the cells
// of a grid around them. Plain numbers, no GDAL.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>

#include "raster/cell_type.hpp"

namespace gdalmcp_raster_more {

class burnt_values {
public:
    void see(double value);

    bool empty() const { return lowest_ > highest_; }
    double lowest() const { return lowest_; }
    double highest() const { return highest_; }
    bool whole() const { return whole_; }  // none has a fraction
    // Whether a value without fraction is outside of, or a fraction in, what cells of a type can have.
    bool held_by(gdalmcp_raster::cell_type type) const;
    // The same of every sum of some of the values.
    bool sums_held_by(gdalmcp_raster::cell_type type) const;

    // The smallest type that holds all values (or, `adding`, their sums), leaves its default nodata value unused, and
    // holds `background` if there is one: uint8, int16, uint16, int32, uint32, float32 or float64.
    gdalmcp_raster::cell_type type(bool adding, std::optional<double> background) const;

private:
    bool range_held_by(gdalmcp_raster::cell_type type, double low, double high) const;

    double lowest_ = std::numeric_limits<double>::infinity(), highest_ = -lowest_;
    double below_ = 0, above_ = 0;  // sums of the negative and of the positive values
    bool whole_ = true;
    bool single_ = true;  // float holds each exactly
};

// Cells along an axis: `count` cells of one size from `origin` upwards.
struct cell_axis {
    double origin = 0;
    std::int64_t count = 0;
};

// The cells on multiples of `step` that hold [low, high]; with `closed` also what lies exactly at a boundary, on the
// side of the upper end and, for the axis that runs downwards, of the lower. A boundary missed by less than a billionth
// of a cell is met.
cell_axis cells_on_multiples(double low, double high, double step, bool closed);

// The cells from `low` on that hold [low, high]; the last may reach beyond.
cell_axis cells_from(double low, double high, double step);

}  // namespace gdalmcp_raster_more
