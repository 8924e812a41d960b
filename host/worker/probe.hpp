// Facts about real inputs, for the gate: read by trusted code in a confined process.
#pragma once
#include "worker/inputs.hpp"

namespace gdalmcp::worker {

// Of every dataset: kind_of_dataset (raster, vector), driver, crs (describe_crs), bounds[4] in its own CRS and, where
// it has one, bounds_wgs84 [w, s, e, n] (w > e across the antimeridian).
// Of a raster: width, height, pixel_size[2] in units of the CRS, cell_m[2] on the ground at the centre, bands
// (band_facts), and kind, kind_certain, kind_why of the first band.
// Of a vector dataset: layers[{name, geometry_type, dimension?, features, crs, fields[names]}], and crs, dimension (0
// points, 1 lines, 2 areas; absent when mixed) and features (-1: needs a scan) of the first layer.
base::result<base::json::object> probe(const input& i);

}  // namespace gdalmcp::worker
