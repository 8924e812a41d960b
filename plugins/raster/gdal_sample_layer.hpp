// gdal_sample_layer.hpp — a sample as a layer of points.
#pragma once
#include <functional>
#include <string>

#include "gdal_sample_points.hpp"

namespace gdalmcp_raster {

struct sample_design {
    std::vector<int> bands;  // numbers, one field each: band_1, …
    bool strata = false;     // a field stratum
    // The layer that the rows are the points of, in its order; nullptr: they were drawn. Its ids are the field
    // point_id, and its fields follow.
    GDALDataset* of = nullptr;
    OGRLayer* points = nullptr;
};

struct written_layer {
    OGRSpatialReference crs;
    std::int64_t features = 0;
};

// Writes the rows by the extension of the path; in the CRS of the raster, GeoJSON in OGC:CRS84. Cells are numbered from
// 0, values have scale and offset applied, and are null where a row has none.
written_layer write_samples(const std::string& path, const OGRSpatialReference& crs, const sample_design& design,
                            const std::vector<sample_row>& rows, const std::function<void(double)>& progress,
                            const std::function<void(const std::string&)>& say);

}  // namespace gdalmcp_raster
