// The normal form of an area of interest: one spelling for every way to write the same GeoJSON geometry or box.
#pragma once
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

// [minx, miny, maxx, maxy] stays an array of four; a GeoJSON Feature is unwrapped; x and y only, rounded half-even to
// `decimals`; rings closed, exterior counter-clockwise, holes clockwise, each starting at its lexicographically
// smallest vertex; holes and parts sorted; a Multi of one part becomes the single type.
// Errors: invalid_argument for collections, unknown types, broken coordinates, rings of fewer than three vertices.
base::result<json::value> normal_geometry(const json::value& given, int decimals);

// "dataset-sha256:<hex>", of a large file "dataset-partial_sha256:<hex>": the normal form of an area given as a
// dataset, by the content of its file. `digest`: sha256 or partial_sha256.
std::string dataset_form(std::string_view digest, std::string_view hex);
bool is_dataset_form(std::string_view);

// The CRS a GeoJSON value declares: its legacy `crs` member, else OGC:CRS84. Empty for a box and for a dataset.
std::string_view geometry_crs_of(const json::value& given);

}  // namespace gdalmcp::reflection
