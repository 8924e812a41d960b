// Arguments and result fields that several raster tools share.
#pragma once
#include <gdalmcp/standard.hpp>

#include <gdalmcp/gdal_geometry.hpp>

#include "datasets/gdal_grid.hpp"
#include "datasets/gdal_raster_source.hpp"

namespace gdalmcp_raster {

using namespace gdalmcp_datasets;

inline const auto& uri = gdalmcp::standard::raster_uri;
inline const auto& subdataset = gdalmcp::standard::subdataset;
inline const auto& output = gdalmcp::standard::raster_output;
inline const auto& overwrite = gdalmcp::standard::overwrite;
inline const auto& bands = gdalmcp::standard::bands;

// 'resolution': a cell size, one number or [x, y], in a unit of its own.
inline gdalmcp::arg<std::optional<std::vector<double>>> resolution_argument(const char* about, const char* unit) {
    return {.name = "resolution",
            .about = about,
            .unit = unit,
            .above = 0.0,
            .min_items = 1,
            .max_items = 2,
            .or_single = true};
}

inline const gdalmcp::field<std::vector<double>> transform{
    "transform", "[a, b, c, d, e, f]: x = a·column + b·row + c, y = d·column + e·row + f, at cell corners",
    "units of the CRS"};
inline const gdalmcp::field<std::int64_t> width{"width", "Columns", "cells"};
inline const gdalmcp::field<std::int64_t> height{"height", "Rows", "cells"};
inline const gdalmcp::gdal::crs_record crs{"crs", "CRS of the raster"};
inline const gdalmcp::gdal::bounds_record bounds{"bounds", "Extent"};

// The band that 'band' names, of an open file. Refused: a band the file does not have.
struct opened_band {
    gdalmcp::gdal::dataset_ptr file;
    grid on;
    GDALRasterBand& band;
};
inline opened_band open_band(gdalmcp::call& call, const gdalmcp::raster& raster) {
    auto file = open_raster(raster, call[subdataset]);
    const auto number = call[gdalmcp::standard::band];
    require_band(raster.path, file->GetRasterCount(), number);
    const grid on = grid_of(*file);
    auto& band = *file->GetRasterBand(static_cast<int>(number));
    tell_ignored_scale(call, raster.path, band);
    return {std::move(file), on, band};
}

// `crs`, `width` and `height` of a result.
inline void put_grid(gdalmcp::call& call, const grid& on) {
    crs.put(call, on.crs);
    call.put(width, on.width);
    call.put(height, on.height);
}

}  // namespace gdalmcp_raster
