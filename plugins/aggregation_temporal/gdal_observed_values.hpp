// gdal_observed_values.hpp — warnings of what the rasters of several times hold, whichever of them it is in.
#pragma once
#include "gdal_observations.hpp"

namespace gdalmcp_temporal {

// Of each value that looks like undeclared nodata, but for those that 'mask' takes out of the rasters themselves.
void warn_of_undeclared_nodata(gdalmcp::call& call, const observation_set& set);

// What is done with the values.
struct use_of_values {
    bool arithmetic = true;     // false: values are taken as they are
    std::string means_nothing;  // of codes and angles: "max of them means nothing; last_valid and count do"
};

// Where a band holds codes or angles, or one raster these and another measurements, by their declarations or cells: a
// warning for each such band, naming the rasters.
void warn_of_kinds(gdalmcp::call& call, const observation_set& set, const use_of_values& use);

}  // namespace gdalmcp_temporal
