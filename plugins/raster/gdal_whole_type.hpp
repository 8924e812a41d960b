// gdal_whole_type.hpp — the data type in which whole numbers stay whole, with a nodata value that is none of them.
#pragma once
#include <gdal_priv.h>

#include <optional>
#include <vector>

namespace gdalmcp_raster {

struct stored_as {
    GDALDataType type;
    std::optional<double> nodata{};  // nothing: the type's
};

struct constants {
    double lowest = 1, highest = 0;  // lowest above highest: there is none
};

// For results that are values of the bands, or such constants: the smallest type that holds them and a nodata value,
// the one asked for or else one that no result can have. nullopt: there is none, or they are not all whole.
std::optional<stored_as> whole_type(const std::vector<GDALRasterBand*>& bands, const constants& others = {},
                                    std::optional<double> asked = {});

}  // namespace gdalmcp_raster
