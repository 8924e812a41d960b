// gdal_flow_tags.hpp — the metadata by which a raster declares that its numbers are flow directions. They point to
// neighbouring cells, of the raster they were computed on, and mean nothing on other cells.
#pragma once
#include <gdal_priv.h>

#include <optional>
#include <string>

#include "gdal_grid.hpp"

namespace gdalmcp_datasets {

// Of the dataset: which program's codes the directions are.
inline constexpr const char* flow_encoding_tag = "GDALMCP_FLOW_ENCODING";
// The geotransform they were computed on, in GDAL's order: programs that move cells copy what a file says of itself.
inline constexpr const char* flow_grid_tag = "GDALMCP_FLOW_GRID";
std::string flow_grid_text(const grid& on);
// `on` with that geotransform; nothing: the tag is none.
std::optional<grid> tagged_flow_grid(const std::string& tag, grid on);
// In place of an encoding: directions whose cells are no longer those they were computed on.
inline constexpr const char* moved_directions = "moved";

bool declares_directions(GDALDataset& dataset);
// Fails the call on directions where heights are wanted.
void refuse_directions(const std::string& path, GDALDataset& dataset);

// Tags a result on other cells than those of `source`, a path to directions, as moved; says so in a warning.
void disown_directions(const std::string& source, GDALDataset& result);

}  // namespace gdalmcp_datasets
