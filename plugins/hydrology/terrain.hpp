// terrain.hpp — what the tools of this bundle have in common: arguments, result fields, and reading a DEM.
#pragma once
#include <gdalmcp/gdal_crs.hpp>

#include "gdal_raster.hpp"

namespace gdalmcp_hydrology {

inline const gdalmcp::arg<std::optional<std::int64_t>> band{
    .name = "band",
    .about = "Band to read, from 1. Needed only where the raster has several; without it the only band is read.",
    .min = 1};

inline const gdalmcp::arg<std::optional<gdalmcp::choice>> holes{
    .name = "nodata_holes",
    .about =
        "What nodata enclosed by terrain is: 'outlet' = water leaves there (a lake, the sea, a sink to keep); "
        "'missing' = a gap in the data that water neither enters nor leaves. Nodata connected to the edge is always "
        "outside. Required when the DEM has enclosed nodata, unless hydro_condition has stored the choice in it.",
    .values = {"outlet", "missing"}};

inline const gdalmcp::arg<gdalmcp::output_raster> output{
    .name = "output",
    .about =
        "File to write, by extension (.tif = tiled GeoTIFF), in a writable workspace whose folder exists. Without it "
        "the result is kept as query://result/{id}, which every tool accepts as input."};

inline const gdalmcp::arg<bool> overwrite{
    .name = "overwrite",
    .about = "Whether an existing file at 'output' may be replaced. Default false.",
    .fallback = false};

// Metadata of the rasters this bundle writes.
inline constexpr const char* encoding_tag = "GDALMCP_FLOW_ENCODING";
inline constexpr const char* method_tag = "GDALMCP_FLOW_METHOD";
inline constexpr const char* holes_tag = "GDALMCP_NODATA_HOLES";

struct terrain_fields {
    gdalmcp::gdal::crs_record crs{"crs", "CRS of input and output; positions in this result are in it, x before y"};
    gdalmcp::field<std::int64_t> width{"width", "Width of the grid", "cells"};
    gdalmcp::field<std::int64_t> height{"height", "Height of the grid", "cells"};
    gdalmcp::field<std::int64_t> terrain_cells{"terrain_cells", "Cells with a value", "cells"};
    gdalmcp::field<std::string> nodata_holes{
        "nodata_holes", "How enclosed nodata was taken: outlet or missing; 'none' where there is none"};

    void put(gdalmcp::call& call, const gdal_raster& raster, std::size_t cells) const {
        crs.put(call, raster.crs());
        call.put(width, static_cast<std::int64_t>(raster.extent().width));
        call.put(height, static_cast<std::int64_t>(raster.extent().height));
        call.put(terrain_cells, static_cast<std::int64_t>(cells));
    }
};

inline std::size_t count_terrain(const grid<footprint>& land) {
    std::size_t cells = 0;
    for (std::size_t i = 0; i < land.size(); ++i) cells += land[i] == footprint::terrain;
    return cells;
}

// The part [from, to] of a call's progress, for an algorithm; throws when the call was cancelled.
inline progress part_of(gdalmcp::call& call, double from, double to, std::string what) {
    return [&call, from, to, what = std::move(what)](double f) { call.progress(from + f * (to - from), what); };
}

// Cells with a finite value that the file does not mask.
template <class T>
grid<std::uint8_t> read_valid(const gdal_raster& raster, const grid<T>& values) {
    auto valid = raster.read_valid();
    const auto finite = valid_cells(values);
    for (std::size_t i = 0; i < valid.size(); ++i) valid[i] = valid[i] && finite[i];
    return valid;
}

struct land_use {
    grid<footprint> land;
    std::string holes;  // outlet, missing, or none where there is no enclosed nodata
    std::size_t cells = 0;
};

// The terrain of a DEM, with its holes as the call, else the DEM's own tag, says; fails the call when neither does.
land_use survey(gdalmcp::call& call, const gdal_raster& dem, const grid<std::uint8_t>& valid);

// The CRS, size, bands and type that the host will check the output against.
void expect_grid(gdalmcp::call& call, const gdal_raster& like, GDALDataType type, int bands);

}  // namespace gdalmcp_hydrology
