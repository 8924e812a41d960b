// gdal_algorithms.hpp — GDAL's raster algorithms that the tools of this bundle wrap.
//
// Each reports its progress as [0, 1], stops with the call, and fails it with GDAL's reason.
#pragma once
#include <gdalmcp/gdal.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gdalmcp_raster_more {

using progress = std::function<void(double)>;

// Patches of fewer than `size` cells take the value of their largest neighbour. mask: 0 = left alone; nullptr = none.
// connectedness: 4 or 8. Whole numbers only. Memory: a few numbers for each patch.
void sieve(GDALRasterBand& from, GDALRasterBand* mask, GDALRasterBand& to, int size, int connectedness,
           const progress& report);

// For each cell the distance to the centre of the nearest target in units of the geotransform of `targets`, whose cells
// are square: cells that are not 0. 0 at targets; `none` beyond `max_distance`. distances: Float32.
// Memory: four rows of cells.
void distance_to_targets(GDALRasterBand& targets, GDALRasterBand& distances, std::optional<double> max_distance,
                         double none, const progress& report);

// How cells without data are filled.
struct filling {
    double max_distance = 100;  // cells
    int smoothing = 0;          // passes of a 3 × 3 mean over the filled cells
    bool nearest = false;       // else weighted by inverse distance
};

// Whether this GDAL can fill with the nearest value (3.9 and later).
bool fills_with_nearest();

// Fills the cells of `band` where `valid` is 0, those within reach, in place. Temporary files, of up to 13 bytes for
// each cell, lie in `folder`. In single precision: it rounds cells with data as well.
void fill(GDALRasterBand& band, GDALRasterBand& valid, const filling& how, const std::string& folder,
          const progress& report);

// Where contours run: at `levels`, ascending; if there are none, every `interval` from `base`.
struct contour_levels {
    std::vector<double> levels;
    double interval = 0, base = 0;
};

// Lines between the cell centres and on to the edge, in the CRS of the band's dataset, with the level in field 1 of
// `into`; or, with `areas`, multipolygons between neighbouring `levels`, their limits in fields 1 and 2. Field 0: a
// number. NaN: no data. With `areas` the first and last of `levels` lie outside the range of the values: what GDAL
// draws beyond them, and calls it, differs by its version.
void contours(GDALRasterBand& band, OGRLayer& into, const contour_levels& at, bool areas, const progress& report);

// Writes `values`, one for each of the geometries, into the cells of band 1 they cover. Coordinates are the dataset's.
// all_touched: not only cells whose centre a polygon covers; add: to what is there, instead of replacing it.
void burn_shapes(GDALDataset& target, const std::vector<OGRGeometry*>& shapes, const std::vector<double>& values,
                 bool all_touched, bool add, const progress& report);

}  // namespace gdalmcp_raster_more
