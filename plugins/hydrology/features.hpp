// features.hpp — shared by the tools that write either cells or features.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_hydrology {

inline const gdalmcp::arg<gdalmcp::output_dataset> cells_or_features{
    .name = "output", .about = "File to write: .tif, or .gpkg, .shp, .geojson, .fgb. Default: a managed result."};

// The host names a managed result by it.
inline const gdalmcp::arg<bool> as_features{.name = "vector", .about = "Features, not cells.", .fallback = false};

// Whether the output holds features. Fails the call where 'vector' is true and 'output' is a .tif.
bool wants_features(const gdalmcp::call& call);

}  // namespace gdalmcp_hydrology
