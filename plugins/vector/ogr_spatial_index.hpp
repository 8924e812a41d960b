// Whether a box given to GDAL finds all of a layer's features.
#pragma once
#include <gdalmcp/gdal_geometry.hpp>

namespace gdalmcp_vector {

// How many features with a geometry the spatial index of a GeoPackage lacks: SQL that edits a table without the
// functions of its triggers leaves the index as it was. Compares the numbers of rows, and looks for the features only
// where they differ. 0 for other formats and for a layer without an index.
GIntBig lacking_in_index(OGRLayer&);

// Whether the layer has a spatial index that leads to all of its features. Warns where some lack in it.
bool has_whole_index(GDALDataset& owner, OGRLayer&);

}  // namespace gdalmcp_vector
