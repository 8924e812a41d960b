// gdal_warp_request.hpp — what a raster on another grid is asked for: the request, its validation, and its form for the
// gdalwarp program.
#pragma once
#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/gdal_geometry.hpp>

#include "datasets/gdal_grid.hpp"
#include "datasets/gdal_raster_source.hpp"

namespace gdalmcp_raster {

using namespace gdalmcp_datasets;

struct warp_request {
    OGRSpatialReference dst_crs;
    std::optional<OGRSpatialReference> src_crs;  // instead of the raster's own
    std::string resampling;                      // our name
    std::vector<double> resolution;              // x, y in units of dst_crs; or none
    std::optional<std::int64_t> width, height;   // cells
    std::optional<std::array<double, 4>> bounds;
    std::optional<OGRSpatialReference> bounds_crs;  // of bounds; default dst_crs, to which check_grid() brings them
    bool aligned = false;                           // edges at whole multiples of the resolution
    std::optional<double> nodata;
    std::optional<grid> align_to;  // exactly this grid
    std::string cutline, cutline_layer;
    std::string operation;  // a PROJ pipeline
    std::optional<double> epoch;
    std::optional<bool> shift_heights;  // default: where both CRSs have a vertical part
    bool nan_missing = false;           // NaN has no data, although the source declares no nodata value: see warp()
    bool plain_alpha = false;           // the source's alpha band hides nothing
    std::string working_type{};         // what GDAL computes in, where its choice is wrong
    std::string type{};                 // of the result, where that of the first band may not hold it: settle_type()
    std::string height_unit;            // of the result's bands, where settle() found that heights are transformed
    std::optional<double> error_threshold;
    bool no_source_nodata = false;  // the source declares one that its type cannot hold
    std::optional<double> outside;  // nodata value of the result that no cell can have by itself; without `nodata`
    bool alpha = false;             // mark cells without data by an alpha band, which warp() makes a mask of
};

// CRS of the source: the requested one, else its own, else that of its ground control points. None = refused.
OGRSpatialReference source_crs(GDALDataset& source, const warp_request& request);

// Whether the source may reach the extent that the request fixes; true where it fixes none.
bool touches(const warp_request& request, GDALDataset& source);

// The cells of the source that the result may come from: all where the request fixes no extent. For what the kernel
// needs around it, with `least` cells and a share of its length more at each end.
gdalmcp::gdal::window read_window(const warp_request& request, GDALDataset& source, double least = 32,
                                  double around = 0.25);

// The layer named, or the only one. Refused: one without a CRS.
void set_cutline(warp_request& request, const gdalmcp::vector& shapes, const std::optional<std::string>& named);

// Refused: sums and root mean squares of stored values with an offset, which would count once in all instead of once in
// each cell.
void refuse_pooled_offset(const std::string& path, GDALRasterBand& band, const std::string& method);

// Refuses, with the next step, requests that GDAL would silently get wrong: arguments that contradict each other, a
// grid to align to in another CRS, a nodata value the type cannot hold, bounds in degrees on a metric CRS, bounds that
// miss the source, cells larger than the result. A box over the antimeridian of a geographic CRS is continued beyond
// 180°. Returns notes for the caller. alone: no other source makes the result larger.
std::vector<std::string> settle(warp_request& request, GDALDataset& source, bool alone = true);

// Of these refusals, those that no raster is needed for: of the arguments that fix the grid.
void check_grid(warp_request& request);

// Whether a method's results are written as Float64, whatever the type of the cells: sums of whole numbers.
bool widens(const std::string& method, GDALDataType type);

// The type of the result where GDAL's, that of the first band, would clamp values in silence: one that holds those of
// all these bands, of which a GeoTIFF has one; for sums of whole numbers Float64.
void settle_type(warp_request& request, GDALDataset& source, const std::vector<int>& bands);

// The type of the result of a settled request.
GDALDataType type_of_result(const warp_request& settled, GDALDataset& source);

// For methods that make one value of all cells below a cell.
// Refused: offsets, as above; the most frequent of whole numbers beyond 2^24, which GDAL compares in single precision.
// GDAL takes -1 for no most frequent value where it counts Int16, and is made to compare numbers instead.
void settle_pooling(warp_request& request, GDALDataset& source);

// Refused: whole numbers of 64 bits beyond 2^53 between `low` and `high`, which GDAL's warper computes with as doubles.
void refuse_beyond_doubles(GDALRasterBand& band, double low, double high);
void refuse_beyond_doubles(GDALDataset& source);  // any of its bands

// Whether mode of cells of this type must be computed in Float32: GDAL would make nothing of -1.
bool counts_minus_one_as_none(GDALDataType);

// In the gdalwarp program's form, without source and destination. for_people: CRSs by code.
std::vector<std::string> gdalwarp_arguments(const warp_request& request, bool for_people);

// WKT 2, as GDAL's functions take it.
std::string crs_definition(const OGRSpatialReference& crs);

// Whether the result has the source's grid and cells: source and target CRS coincide, and neither a grid nor an
// operation between the two is requested. This assigns a CRS that the source lacks, or another than its own. Where a
// cutline or a nodata value changes some cells all the same, the request becomes one that resamples none.
enum class kept { no, cells, all };
kept keep_cells(GDALDataset& source, warp_request& request);

}  // namespace gdalmcp_raster
