#include "features.hpp"

#include <filesystem>

namespace gdalmcp_hydrology {

bool wants_features(const gdalmcp::call& call) {
    const auto extension = std::filesystem::path{call[cells_or_features].path}.extension().string();
    const bool features = extension != ".tif" && extension != ".tiff" && extension != ".img";
    if (call[as_features] && !features)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "'vector' is true, but the extension of 'output' is " + extension,
                             "give an output .gpkg, .shp, .geojson or .fgb, or leave 'vector' out"};
    return features;
}

}  // namespace gdalmcp_hydrology
