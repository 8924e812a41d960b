// gdal_flow_tags.hpp — the metadata by which a raster declares that its numbers are flow directions. They point to
// neighbouring cells, of the raster they were computed on, and mean nothing on other cells.
#pragma once
#include <gdal_priv.h>

#include <string>

namespace gdalmcp_datasets {

// Of the dataset: which program's codes the directions are.
inline constexpr const char* flow_encoding_tag = "GDALMCP_FLOW_ENCODING";
// In place of an encoding: directions whose cells are no longer those they were computed on.
inline constexpr const char* moved_directions = "moved";

bool declares_directions(GDALDataset& dataset);
// Fails the call on directions where heights are wanted.
void refuse_directions(const std::string& path, GDALDataset& dataset);

// Tags a result on other cells than those of `source`, a path to directions, as moved; says so in a warning.
void disown_directions(const std::string& source, GDALDataset& result);

}  // namespace gdalmcp_datasets
