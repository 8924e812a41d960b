// Facts about real inputs, for the gate: read by trusted code in a confined process.
#pragma once
#include "worker/inputs.hpp"

namespace gdalmcp::worker {

// {kind_of_dataset: raster|vector, driver, crs{…}, bounds[4] in its own CRS, and for a raster width, height,
// pixel_size[2], bands[{dtype, palette, nodata?, unit, color_interpretation}], for a vector layers[{name,
// geometry_type, crs{…}}]}.
base::result<base::json::object> probe(const input& i);

}  // namespace gdalmcp::worker
