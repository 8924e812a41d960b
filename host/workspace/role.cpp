#include "workspace/role.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace gdalmcp::workspace {
namespace {

constexpr std::pair<std::string_view, role> names[] = {
    {"input-raster", role::input_raster},   {"input-vector", role::input_vector},
    {"input-any", role::input_any},         {"output-raster", role::output_raster},
    {"output-vector", role::output_vector}, {"output-table", role::output_table},
    {"output-any", role::output_any},       {"crs", role::crs},
    {"output-crs", role::output_crs},       {"geometry", role::geometry}};

// Formats GDAL drivers write as one file with sidecars. The tool checks whether the driver is available.
struct format {
    std::string_view extension;
    bool raster, vector, table;
    bool rare = false;  // few tools write it: messages leave it out
};
constexpr format formats[] = {
    {".tif", true, false, false},         {".tiff", true, false, false},         {".png", true, false, false},
    {".jpg", true, false, false},         {".jpeg", true, false, false},         {".webp", true, false, false},
    {".jp2", true, false, false},         {".img", true, false, false},          {".nc", true, false, false},
    {".asc", true, false, false},         {".vrt", true, false, false, true},    {".gpkg", true, true, true},
    {".geojson", false, true, false},     {".json", false, true, false},         {".geojsonl", false, true, false},
    {".fgb", false, true, false},         {".shp", false, true, false},          {".gml", false, true, false},
    {".kml", false, true, false},         {".gpx", false, true, false, true},    {".dxf", false, true, false, true},
    {".sqlite", false, true, true, true}, {".parquet", false, true, true, true}, {".csv", false, true, true},
    {".xlsx", false, false, true, true},  {".ods", false, false, true, true}};

constexpr std::pair<std::string_view, std::string_view> drivers[] = {
    {"png", ".png"}, {"jpeg", ".jpg"},  {"webp", ".webp"},   {"jp2openjpeg", ".jp2"},
    {"hfa", ".img"}, {"netcdf", ".nc"}, {"aaigrid", ".asc"}, {"gpkg", ".gpkg"}};

bool fits(role r, const format& e) {
    switch (r) {
        case role::output_raster:
            return e.raster;
        case role::output_vector:
            return e.vector;
        case role::output_table:
            return e.table;
        default:
            return r == role::output_any;
    }
}

}  // namespace

std::optional<role> role_named(std::string_view name) {
    const auto* found =
        std::find_if(std::begin(names), std::end(names), [&](const auto& n) { return n.first == name; });
    return found == std::end(names) ? std::nullopt : std::optional{found->second};
}

std::string_view name_of(role r) {
    return std::find_if(std::begin(names), std::end(names), [&](const auto& n) { return n.second == r; })->first;
}

bool is_input(role r) { return r == role::input_raster || r == role::input_vector || r == role::input_any; }

bool is_output(role r) {
    return r == role::output_raster || r == role::output_vector || r == role::output_table || r == role::output_any;
}

bool extension_fits(role r, std::string_view extension) {
    return std::any_of(std::begin(formats), std::end(formats),
                       [&](const format& e) { return e.extension == extension && fits(r, e); });
}

std::string_view raster_extension(std::string_view driver) {
    const auto name = base::lower_ascii(driver);
    const auto* found =
        std::find_if(std::begin(drivers), std::end(drivers), [&](const auto& d) { return d.first == name; });
    return found == std::end(drivers) ? ".tif" : found->second;
}

std::string extensions_of(role r) {
    std::string list;
    for (const auto& e : formats)
        if (fits(r, e) && !e.rare) list += (list.empty() ? "" : ", ") + std::string{e.extension};
    return list;
}

}  // namespace gdalmcp::workspace
