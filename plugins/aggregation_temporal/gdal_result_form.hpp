// gdal_result_form.hpp — the data type and the nodata value of a composite, by what its inputs have.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "composite.hpp"
#include "gdal_observations.hpp"

namespace gdalmcp_temporal {

struct result_form {
    GDALDataType type = GDT_Float32;
    double nodata = std::numeric_limits<double>::quiet_NaN();
    bool kept = false;              // type, nodata, palette and class names are those of the inputs
    std::vector<std::string> said;  // differences among the inputs that were levelled
};

// Statistics that pick values keep a type of whole numbers where all inputs have it, unscaled and with one nodata
// value. All others are Float32, or Float64 where an input does not fit in it. Refused, naming both: bands that differ
// in unit.
result_form result_form_of(const observation_set& set, statistic what);

}  // namespace gdalmcp_temporal
