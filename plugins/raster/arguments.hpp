// Arguments and result fields that several raster tools share.
#pragma once
#include "grid.hpp"

namespace gdalmcp_raster {

inline const gdalmcp::arg<gdalmcp::raster> uri{
    .name = "uri",
    .about =
        "The raster: a path relative to the first workspace, an absolute path, file://, or a result's "
        "query://result/{id}.",
    .examples = {"\"scene.tif\""}};
inline const gdalmcp::arg<std::optional<std::string>> subdataset{
    .name = "subdataset",
    .about =
        "Which raster of a file that holds several (netCDF variables, HDF5 arrays), by the name raster_info lists. "
        "Default: the only one; several and none named is refused with the list."};
inline const gdalmcp::arg<gdalmcp::output_raster> output{
    .name = "output",
    .about =
        "Path to write in a writable workspace; the extension is the format (.tif GeoTIFF). Default: a managed tiled "
        "GeoTIFF, query://result/{id}, that every tool accepts as input."};
inline const gdalmcp::arg<bool> overwrite{
    .name = "overwrite",
    .about =
        "Replace 'output' if it exists. Default false: an existing file is refused. An input is never overwritten.",
    .fallback = false};
inline const gdalmcp::arg<std::optional<std::vector<std::int64_t>>> bands{
    .name = "bands",
    .about = "Band numbers, counted from 1, in the order wanted. Default: all.",
    .min = 1,
    .examples = {"[3,2,1]"},
    .min_items = 1,
    .or_single = true};

inline const gdalmcp::field<std::vector<double>> transform{"transform",
                                                           "Affine coefficients [a, b, c, d, e, f] from cell to CRS: x "
                                                           "= a·column + b·row + c, y = d·column + e·row + f, for the "
                                                           "upper-left corner of a cell",
                                                           "units of the CRS"};
inline const gdalmcp::field<std::int64_t> width{"width", "Columns", "cells"};
inline const gdalmcp::field<std::int64_t> height{"height", "Rows", "cells"};
inline const gdalmcp::gdal::crs_record crs{"crs", "Coordinate reference system of the raster"};
inline const gdalmcp::gdal::bounds_record bounds{"bounds", "Smallest box around all cells"};

}  // namespace gdalmcp_raster
