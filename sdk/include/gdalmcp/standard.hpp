// gdalmcp/standard.hpp — arguments that most tools share, with one wording, so that an agent recognises them in every
// tool. The server's instructions state the rules for all tools (how datasets are named, where results go).
//
//   namespace standard = gdalmcp::standard;
//   static const gdalmcp::tool slope{{…}, run, {standard::raster_uri, standard::raster_output, standard::overwrite},
//   {}};
#pragma once
#include <gdalmcp/argument.hpp>

namespace gdalmcp::standard {

// The same argument with a description of the tool's own; name, kind and limits are unchanged.
//   const auto uri = standard::described(standard::raster_uri, "Elevation model, heights in one band.");
template <class T>
arg<T> described(arg<T> a, const char* about) {
    a.about = about;
    return a;
}

inline const arg<raster> raster_uri{.name = "uri", .about = "Raster: path, file:// or query://result/{id}."};
inline const arg<vector> vector_uri{.name = "uri",
                                    .about = "Vector data: path, file://, query://result/{id} or inline GeoJSON."};
inline const arg<std::optional<std::string>> subdataset{.name = "subdataset",
                                                        .about = "Raster within the file, as raster_info lists it."};
inline const arg<std::optional<std::vector<std::int64_t>>> bands{
    .name = "bands", .about = "Bands in the order wanted. Default: all.", .min = 1, .min_items = 1, .or_single = true};
inline const arg<std::int64_t> band{.name = "band", .about = "Band, from 1.", .fallback = 1, .min = 1};
inline const arg<std::optional<std::string>> layer{.name = "layer", .about = "Layer to read. Default: the only one."};
inline const arg<output_raster> raster_output{.name = "output",
                                              .about = "File to write (.tif). Default: a managed result."};
inline const arg<output_vector> vector_output{
    .name = "output", .about = "File to write (.gpkg, .shp, .geojson, .fgb). Default: a managed result."};
inline const arg<output_table> table_output{
    .name = "output", .about = "Table to write: .csv, or .gpkg with outlines. Default: a managed result."};
inline const arg<bool> overwrite{.name = "overwrite", .about = "Replace 'output' if it exists.", .fallback = false};

inline const arg<std::optional<choice>> dtype{
    .name = "dtype",
    .about = "Data type of the output.",
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

inline const arg<bool> allow_ballpark{
    .name = "allow_ballpark", .about = "Accept an unknown datum shift, up to hundreds of metres.", .fallback = false};

// An area of interest and its CRS; gdal_geometry.hpp places them on a dataset.
inline const arg<std::optional<gdalmcp::geometry>> geometry{
    .name = "geometry", .about = "Area: GeoJSON, [minx, miny, maxx, maxy] or a vector dataset."};
inline const arg<std::optional<crs>> geometry_crs{
    .name = "geometry_crs", .about = "Default: CRS84 for GeoJSON, the dataset's own CRS for a box."};

}  // namespace gdalmcp::standard
