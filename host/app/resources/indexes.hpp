// index://dataset/{file} and vrt://workspace/{pattern}: what makes a dataset quick to read, or joins several, and the
// calls that make it.
#pragma once
#include <optional>
#include <string>

#include "app/resources/reader.hpp"

namespace gdalmcp::app {

// Of a raster its overviews and layout, of a vector dataset the spatial index of each layer; `next`, where one is
// missing: the call that makes it. Errors: those of raster_info and vector_info.
contents read_index(const reading& q);

// The rasters whose names match, {uri, crs, pixel_size, bands} each; `differs`: why the first that does not fit the
// first one cannot be joined with it as it is; `next`: the call that joins them in a VRT. Errors: nothing matches, more
// than 100 files do, one is no raster.
contents read_vrt(const reading& q);

// The `file` of index://dataset/{file}; nothing for other URIs.
std::optional<std::string> file_of_index(std::string_view uri);

}  // namespace gdalmcp::app
