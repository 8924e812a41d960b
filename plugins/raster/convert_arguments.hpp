// convert_arguments.hpp — arguments and result fields of raster_convert.
#pragma once
#include "arguments.hpp"

namespace gdalmcp_raster::conversion {

using gdalmcp::arg;
using gdalmcp::field;

inline const arg<gdalmcp::output_raster> target{
    .name = "output",
    .about = "File to write: .tif (Cloud Optimized GeoTIFF), .png, .jp2, .nc, .img, …",
    .required_output = true};
inline const arg<std::optional<std::string>> driver_wanted{
    .name = "driver", .about = "GDAL driver; GTiff: plain tiled GeoTIFF. Default: by extension."};
inline const arg<std::optional<gdalmcp::choice>> compression{
    .name = "compression",
    .about =
        "GeoTIFF and COG. LERC: exact or within max_error; JPEG and WEBP change values; others are exact. Default: "
        "ZSTD, else DEFLATE.",
    .values = {"ZSTD", "DEFLATE", "LZW", "LZMA", "PACKBITS", "LERC", "LERC_DEFLATE", "LERC_ZSTD", "JPEG", "WEBP",
               "NONE"},
    .synonyms = {{"zstandard", "ZSTD"},
                 {"zip", "DEFLATE"},
                 {"zlib", "DEFLATE"},
                 {"gzip", "DEFLATE"},
                 {"jpg", "JPEG"},
                 {"uncompressed", "NONE"},
                 {"raw", "NONE"}}};
inline const arg<std::optional<double>> quality{
    .name = "quality",
    .about = "JPEG, WEBP, JPEG 2000: 1 (small) to 100. Default: 75; 100 in .webp and .jp2.",
    .min = 1,
    .max = 100};
inline const arg<std::optional<double>> max_error{.name = "max_error",
                                                  .about = "LERC: greatest change of a value. Default: 0.",
                                                  .unit = "units of the stored values",
                                                  .min = 0};
inline const arg<std::optional<bool>> tiled{.name = "tiled",
                                            .about = "GeoTIFF: tiles (true) or strips. Default: true."};
inline const arg<std::optional<std::int64_t>> block_size{
    .name = "block_size",
    .about = "Side of a tile, a multiple of 16. Default: 512 in COG, 256 in GTiff.",
    .unit = "cells",
    .min = 64,
    .max = 4096};
inline const arg<std::optional<gdalmcp::levels>> overviews{.name = "overviews",
                                                           .about = "true, false or factors. Default: true for COG."};
inline const arg<std::optional<gdalmcp::choice>> overview_method{
    .name = "overview_resampling",
    .about = "Default: mode for classes, average for measurements.",
    .values = {"nearest", "average", "mode", "rms", "bilinear", "cubic", "cubic_spline", "lanczos"},
    .synonyms = {{"near", "nearest"},
                 {"nearest_neighbour", "nearest"},
                 {"nearest_neighbor", "nearest"},
                 {"avg", "average"},
                 {"mean", "average"},
                 {"majority", "mode"},
                 {"linear", "bilinear"},
                 {"bicubic", "cubic"}}};
inline const auto dtype_wanted = gdalmcp::standard::described(
    gdalmcp::standard::dtype,
    "Values it cannot hold are refused with their count unless 'scale' maps them. Default: the source's.");
inline const arg<std::optional<double>> nodata_wanted{
    .name = "nodata",
    .about = "Where the source marks none, cells of this value become missing. Default: the source's."};
inline const arg<std::optional<std::vector<double>>> scale_wanted{
    .name = "scale",
    .about = "[from, to, new_from, new_to]: linear, clamped to the ends.",
    .examples = {"[0, 10000, 0, 255]"},
    .min_items = 4,
    .max_items = 4};
inline const arg<bool> unscale{.name = "unscale",
                               .about = "Apply the bands' scale and offset; Float64 unless 'dtype' is given.",
                               .fallback = false};
inline const arg<std::optional<std::vector<std::string>>> options_given{
    .name = "creation_options", .about = "Further options of the driver, KEY=VALUE."};

inline const field<std::string> driver_used{"driver", "GDAL driver"};
inline const field<std::string> compression_used{"compression", "'driver default' for formats other than GeoTIFF"};
inline const field<bool> lossless_field{"lossless", "All values and gaps equal the source's"};
inline const field<std::int64_t> changed{"changed_cells", "Differing from the source, over all bands", "cells"};
inline const field<std::int64_t> size_bytes{"size_bytes", "Of the file", "bytes"};
inline const field<std::int64_t> source_bytes{"source_size_bytes", "Of the source", "bytes"};
inline const field<std::vector<std::string>> overviews_built{"overviews_built", "Columns×rows", "cells"};
inline const auto overview_resampling_used =
    field<std::string>{"overview_resampling", "Where there are overviews"}.optional();
inline const field<std::string> kind_field{"kind", "classes or continuous"};
inline const field<std::int64_t> band_count{"count", "Bands"};
inline const field<std::string> dtype{"dtype", "Data type of the bands"};
inline const auto nodata = field<double>{"nodata", "Absent when there is none or it is NaN"}.optional();
inline const field<std::vector<std::string>> options_used{"creation_options", "Given to the driver"};

}  // namespace gdalmcp_raster::conversion
