// ogr_burning.hpp — features written into the cells they cover.
#pragma once
#include <gdalmcp/gdal_blocks.hpp>

#include "burnt_values.hpp"
#include "datasets/gdal_grid.hpp"
#include "gdal_algorithms.hpp"
#include "vector/ogr_field_marks.hpp"
#include "vector/ogr_selection.hpp"
#include "vector/ogr_transformation.hpp"

namespace gdalmcp_raster_more {

using namespace gdalmcp_datasets;

// The features to write and the value of each.
struct burnt_layer {
    OGRLayer& layer;
    const gdalmcp_vector::attribute_filter* where = nullptr;  // nullptr: all
    int field = -1;                                           // index of the attribute; -1: `value` for all
    double value = 1;
    OGRSpatialReference crs{};
    gdalmcp_vector::transformation* to_grid = nullptr;  // from there into the CRS of the grid
};

struct burn_survey {
    burnt_values values;
    OGREnvelope box;                      // in the CRS of the grid
    bool narrow = false;                  // there are points or lines
    GIntBig read = 0, features = 0;       // those that `where` accepts, and of them those with a value and a place
    std::size_t vertices = 0;             // of them
    gdalmcp::gdal::wide_edges wide;       // of them
    gdalmcp_vector::marked_fields marks;  // the attribute of them
    GIntBig without_geometry = 0, without_value = 0, without_place = 0;  // not in `features`
};

// Reads all features once.
burn_survey survey(const burnt_layer& of, const progress& report);

struct burn_rule {
    bool all_touched = false;  // else cells whose centre a polygon covers, and a thin row of them along a line
    bool add = false;          // else the last feature wins
};

struct burn_count {
    GIntBig outside = 0;  // features that do not touch the grid's extent
    GIntBig small = 0;    // polygons on it smaller than a cell, which may cover no centre
};

// Two rasters on one grid.
struct burn_target {
    GDALDataset& values;
    GDALDataset* covered = nullptr;  // of 0; gets 1 where a feature is
};

// Writes the features into band 1 of the rasters, in the order of the layer.
burn_count burn(const burnt_layer& from, const burn_survey& surveyed, const burn_target& target, const burn_rule& rule,
                const progress& report);

}  // namespace gdalmcp_raster_more
