// resampling.hpp — resampling methods as GDAL's programs name them.
#pragma once
#include <gdalmcp/argument.hpp>

#include <string>
#include <vector>

namespace gdalmcp_gdal {

// Of gdalwarp, and those that gdal_translate and gdalbuildvrt have of them.
const std::vector<const char*>& warp_methods();
const std::vector<const char*>& translate_methods();

// -r of these programs. Callers may also use the names of the raster tools.
gdalmcp::arg<std::optional<gdalmcp::choice>> method_argument(const char* name, const char* about,
                                                             const std::vector<const char*>& methods);

// gdal_translate and gdalbuildvrt know near by its longer name only.
std::string translate_resampling(const std::string& method);

// The raster tools' name of a method of gdalwarp.
std::string raster_tool_method(const std::string& method);

}  // namespace gdalmcp_gdal
