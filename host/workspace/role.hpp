// The role of an argument, from the keyword x-gdalmcp of its schema.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace gdalmcp::workspace {

enum class role {
    input_raster,
    input_vector,
    input_any,
    output_raster,
    output_vector,
    output_table,
    output_any,
    crs,
    output_crs,
    geometry
};

std::optional<role> role_named(std::string_view name);  // "input-raster" -> role::input_raster
std::string_view name_of(role r);
bool is_input(role r);
bool is_output(role r);  // a dataset to write; not output_crs

// The file extensions a dataset of this output role may be written with, each with its dot, lower case.
bool extension_fits(role r, std::string_view extension);
std::string extensions_of(role r);  // ".tif, .tiff, …" for messages

// The extension of a raster format by the name of its GDAL driver, in any case; ".tif" if it has none of these.
std::string_view raster_extension(std::string_view driver);

}  // namespace gdalmcp::workspace
