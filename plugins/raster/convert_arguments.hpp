// convert_arguments.hpp — what raster_convert takes and returns.
#pragma once
#include "arguments.hpp"

namespace gdalmcp_raster::conversion {

using gdalmcp::arg;
using gdalmcp::field;

inline const arg<gdalmcp::output_raster> target{
    .name = "output",
    .about =
        "Path to write in a writable workspace. The extension is the format: .tif "
        "a Cloud Optimized GeoTIFF, .png, .jp2, "
        ".nc, .img and whatever GDAL writes here.",
    .examples = {"\"scene_cog.tif\""},
    .required_output = true};
inline const arg<std::optional<std::string>> driver_wanted{
    .name = "driver",
    .about =
        "GDAL driver, for example GTiff for a plain tiled GeoTIFF. Default: from the extension; COG for .tif, GTiff "
        "where 'tiled' or 'creation_options' ask for what a COG cannot be.",
    .examples = {"\"GTiff\""}};
inline const arg<std::optional<gdalmcp::choice>> compression{
    .name = "compression",
    .about =
        "GeoTIFF and COG only. ZSTD, DEFLATE, LZW, LZMA, PACKBITS, NONE return every value exactly; LERC exactly or "
        "within "
        "max_error; JPEG and WEBP change values and are for pictures. Default: ZSTD, or DEFLATE where missing.",
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
    .about =
        "JPEG, WEBP and JPEG 2000: 1 (small) to 100 (good; exact but for JPEG). Default: 75 in GeoTIFF and JPEG, "
        "100 in .webp and .jp2.",
    .min = 1,
    .max = 100};
inline const arg<std::optional<double>> max_error{.name = "max_error",
                                                  .about = "LERC: largest change of a stored value. Default: 0, exact.",
                                                  .unit = "units of the stored values",
                                                  .min = 0};
inline const arg<std::optional<bool>> tiled{.name = "tiled",
                                            .about = "GeoTIFF: store in tiles (true) or strips. Default: true."};
inline const arg<std::optional<std::int64_t>> block_size{
    .name = "block_size",
    .about = "Side of a tile, a multiple of 16. Default: 512 for COG, 256 for GTiff.",
    .unit = "cells",
    .min = 64,
    .max = 4096};
inline const arg<std::optional<gdalmcp::levels>> overviews{
    .name = "overviews",
    .about =
        "Build overviews (smaller copies for zooming out): true, false, or factors such as [2, 4, 8]. Default: "
        "true for COG, false else.",
    .examples = {"[2, 4, 8]"}};
inline const arg<std::optional<gdalmcp::choice>> overview_method{
    .name = "overview_resampling",
    .about =
        "How overviews are made. Default by kind: mode for classes (palette, category names, or codes by look), "
        "average for "
        "measurements.",
    .values = {"nearest", "average", "mode", "rms", "bilinear", "cubic", "cubic_spline", "lanczos"},
    .synonyms = {{"near", "nearest"},
                 {"nearest_neighbour", "nearest"},
                 {"nearest_neighbor", "nearest"},
                 {"mean", "average"},
                 {"majority", "mode"},
                 {"linear", "bilinear"},
                 {"bicubic", "cubic"}}};
inline const arg<std::optional<gdalmcp::choice>> dtype_wanted{
    .name = "dtype",
    .about =
        "Data type of the result. Values it cannot hold are refused with their number unless 'scale' maps them. "
        "Default: as "
        "it is.",
    .values = {"Byte", "UInt16", "Int16", "UInt32", "Int32", "Float32", "Float64"},
    .synonyms = {{"uint8", "Byte"},
                 {"ubyte", "Byte"},
                 {"u1", "Byte"},
                 {"u2", "UInt16"},
                 {"ushort", "UInt16"},
                 {"i2", "Int16"},
                 {"short", "Int16"},
                 {"u4", "UInt32"},
                 {"uint", "UInt32"},
                 {"i4", "Int32"},
                 {"int", "Int32"},
                 {"f4", "Float32"},
                 {"float", "Float32"},
                 {"single", "Float32"},
                 {"f8", "Float64"},
                 {"double", "Float64"}}};
inline const arg<std::optional<double>> nodata_wanted{
    .name = "nodata",
    .about =
        "Nodata value of the result; cells without data get it. Where the source marks nothing, it declares that "
        "cells of this value are missing. Default: the source's."};
inline const arg<std::optional<std::vector<double>>> scale_wanted{
    .name = "scale",
    .about = "[from, to, new_from, new_to]: maps values linearly and clamps to the ends. Default: none.",
    .examples = {"[0, 10000, 0, 255]"},
    .min_items = 4,
    .max_items = 4};
inline const arg<bool> unscale{
    .name = "unscale",
    .about =
        "Apply the bands' scale and offset: stored values become real ones, Float64 unless 'dtype' says "
        "otherwise. Default false.",
    .fallback = false};
inline const arg<std::optional<std::vector<std::string>>> options_given{
    .name = "creation_options",
    .about =
        "Further options of the GDAL driver, KEY=VALUE; unknown ones and ones that contradict an argument are "
        "refused. Default: none.",
    .examples = {"[\"NUM_THREADS=ALL_CPUS\"]"}};

inline const field<std::string> driver_used{"driver", "GDAL driver"};
inline const field<std::string> compression_used{"compression",
                                                 "Compression; 'driver default' for formats other than GeoTIFF"};
inline const field<bool> lossless_field{
    "lossless", "Every cell read back has exactly the value of the source, or none where the source has none"};
inline const field<std::int64_t> changed{
    "changed_cells",
    "Cells over all bands whose value, or lack of one, is not that of the source; not those 'nodata' declares missing",
    "cells"};
inline const field<std::int64_t> size_bytes{"size_bytes", "Size of the written file", "bytes"};
inline const field<std::int64_t> source_bytes{"source_size_bytes", "Size of the source file", "bytes"};
inline const field<std::vector<std::string>> overviews_built{"overviews_built", "Sizes of the overviews, columns×rows",
                                                             "cells"};
inline const auto overview_resampling_used =
    field<std::string>{"overview_resampling", "How overviews were made, where there are any"}.optional();
inline const field<std::string> kind_field{"kind", "classes or continuous; decides how overviews are made"};
inline const field<std::int64_t> band_count{"count", "Bands"};
inline const field<std::string> dtype{"dtype", "Data type of the bands"};
inline const auto nodata = field<double>{"nodata", "Nodata value; left out when there is none or it is NaN"}.optional();
inline const field<std::vector<std::string>> options_used{"creation_options", "Options given to the driver"};

}  // namespace gdalmcp_raster::conversion
