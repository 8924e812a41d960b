// gdal_change_map.hpp — the changes from the classes of one raster to those of another: counted, measured, and mapped.
#pragma once
#include <gdalmcp/gdal_class_names.hpp>

#include <functional>
#include <map>

#include "class_changes.hpp"
#include "gdal_class_codes.hpp"

namespace gdalmcp_raster {

// Two bands on one grid.
struct class_pair {
    class_codes before, after;
};

struct change_sizes {
    std::map<std::int64_t, class_size> changes;  // by packed class_change
    cell_counts counts;                          // nodata: in either band
};

// areas: nullptr = cells only. Refused: more than 4096 different changes.
change_sizes measure_changes(class_pair& bands, const class_areas* areas, const std::function<void(double)>& progress);

// Writes the number of each cell's change to `to`: its place in the order of `sizes`, from 1; 0 without data.
void map_changes(class_pair& bands, const std::map<std::int64_t, class_size>& sizes, GDALRasterBand& to,
                 const std::function<void(double)>& progress);

// The names of the classes on either side.
struct change_names {
    gdalmcp::gdal::class_names before, after;
    // "Forest to Water", "Forest, unchanged"; the code where there is no name.
    std::string of(const class_change& change) const;
};

// The whole matrix as the raster attribute table of the map: number, name, codes, cells and, where known, m².
void attach_changes(const std::map<std::int64_t, class_size>& sizes, const change_names& names, bool with_areas,
                    GDALRasterBand& to);

}  // namespace gdalmcp_raster
