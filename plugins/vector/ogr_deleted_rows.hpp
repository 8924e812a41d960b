// Rows of a DBF file that are marked as deleted and still in it.
#pragma once
#include <gdalmcp/gdal.hpp>

namespace gdalmcp_vector {

// How many of those GetFeatureCount() counts are deleted: GDAL counts them for a DBF file without a filter, and does
// not read them. 0 for other formats.
GIntBig deleted_rows(GDALDataset&, OGRLayer&);

}  // namespace gdalmcp_vector
