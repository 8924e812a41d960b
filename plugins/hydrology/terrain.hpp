// terrain.hpp — shared by the tools of this bundle: arguments, result fields, and reading a DEM.
#pragma once
#include <gdalmcp/gdal_crs.hpp>
#include <gdalmcp/standard.hpp>
#include <new>
#include <stdexcept>

#include "datasets/gdal_flow_tags.hpp"
#include "gdal_grid_output.hpp"
#include "surface_look.hpp"

namespace gdalmcp_hydrology {

inline const gdalmcp::arg<std::optional<std::int64_t>> band{
    .name = "band", .about = "Band to read. Default: the only one.", .min = 1};

inline const gdalmcp::arg<std::optional<gdalmcp::choice>> holes{
    .name = "nodata_holes",
    .about = "Nodata inside the terrain: outlet (lake, sea) or missing. Required if any.",
    .values = {"outlet", "missing"}};

inline const auto& output = gdalmcp::standard::raster_output;
inline const auto& overwrite = gdalmcp::standard::overwrite;

// Metadata of the rasters this bundle writes.
inline constexpr const char* encoding_tag = gdalmcp_datasets::flow_encoding_tag;
inline constexpr const char* method_tag = "GDALMCP_FLOW_METHOD";
inline constexpr const char* holes_tag = "GDALMCP_NODATA_HOLES";

struct terrain_fields {
    gdalmcp::gdal::crs_record crs{"crs", "CRS of the output; positions in this result are in it, x before y"};
    gdalmcp::field<std::int64_t> width{"width", "Width of the grid", "cells"};
    gdalmcp::field<std::int64_t> height{"height", "Height of the grid", "cells"};
    gdalmcp::field<std::int64_t> terrain_cells{"terrain_cells", "Cells with a value", "cells"};
    gdalmcp::field<std::string> nodata_holes{"nodata_holes",
                                             "How enclosed nodata was treated: outlet, missing, or 'none' without any"};

    // heights: whether the output holds such, with the vertical CRS of the input.
    void put(gdalmcp::call& call, const gdal_raster& raster, std::size_t cells, bool heights = false) const {
        crs.put(call, heights ? raster.crs() : gdalmcp_datasets::without_heights(raster.on()).crs);
        call.put(width, static_cast<std::int64_t>(raster.extent().width));
        call.put(height, static_cast<std::int64_t>(raster.extent().height));
        call.put(terrain_cells, static_cast<std::int64_t>(cells));
    }
};

struct land_use {
    grid<footprint> land;
    std::string holes;  // outlet, missing, or none where there is no enclosed nodata
    std::size_t cells = 0;
};

// The terrain of a DEM, its holes interpreted by the call, else by the DEM's tag; fails the call if neither is given.
land_use survey(gdalmcp::call& call, const gdal_raster& dem, const grid<std::uint8_t>& valid);

// What enclosed nodata is by the call, else by the DEM's tag: outlet, missing, or none where there is no hole. Fails
// the call if neither says so; warns if they differ.
std::string meaning_of_holes(gdalmcp::call& call, const gdal_raster& dem, const hole_count& found);

// Warns of a value that looks like undeclared nodata, and of coordinates that do not fit the CRS.
void warn_of_heights(gdalmcp::call& call, const gdal_raster& dem);

// Warns of heights over which directions mean nothing: a plain of water at the edge, and values that are directions.
void warn_of_look(gdalmcp::call& call, const gdal_raster& dem, const surface_look& seen);

// Fails the call if no cell has a height.
void require_terrain(const gdal_raster& dem, std::size_t cells);

// Fails the call: its grids do not fit in memory.
[[noreturn]] void refuse_size(const gdal_raster& raster);

// Runs work that holds whole grids of the raster, which are read and written once; fails the call as above where memory
// runs out.
template <class Work>
void in_memory(const gdal_raster& raster, Work&& work) {
    limit_block_cache_to_rows(raster);
    try {
        work();
    } catch (const std::bad_alloc&) {
        refuse_size(raster);
    } catch (const std::length_error&) {
        refuse_size(raster);
    }
}

// Warns of cells whose directions lead nowhere.
void warn_of_undrained(gdalmcp::call& call, std::size_t cells);

// The CRS, size, bands and type against which the host checks the output.
void expect_grid(gdalmcp::call& call, const gdal_raster& like, GDALDataType type, int bands, bool heights = false);

}  // namespace gdalmcp_hydrology
