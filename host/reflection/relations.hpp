// Facts derived from inputs and call: the chosen CRS relative to the data, the output's cells relative to the input's.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "reflection/crs.hpp"
#include "reflection/key_source.hpp"

namespace gdalmcp::reflection {

// Where a spec finds the output's grid in a call; `crs` empty: that of the input.
struct output_grid {
    std::vector<key_source> resolution, crs;  // a number or [x, y] in units of the CRS
    std::vector<key_source> width, height;    // cells, instead of a resolution
    std::vector<key_source> bounds;           // with width or height they leave the cell size unknown
    std::vector<key_source> bounds_crs;       // of the bounds; empty: `crs`
    std::vector<key_source> src_crs;          // the input is read in; empty: its own
    std::vector<key_source> like;             // the path of another input, whose grid the output takes
    std::vector<key_source> joined;           // if present every raster input goes to the grid, not the first alone
    // The list whose members say what becomes of each of `joined`, and the word for one that is only copied, so that no
    // method is applied to its values; empty: all of them are computed with.
    std::string copied_at, copied_word;
    bool known() const { return !resolution.empty(); }
};
// The members by the names they have in a spec.
inline constexpr std::pair<const char*, std::vector<key_source> output_grid::*> members_of_grid[] = {
    {"resolution", &output_grid::resolution}, {"crs", &output_grid::crs},
    {"width", &output_grid::width},           {"height", &output_grid::height},
    {"bounds", &output_grid::bounds},         {"bounds_crs", &output_grid::bounds_crs},
    {"src_crs", &output_grid::src_crs},       {"like", &output_grid::like},
    {"joined", &output_grid::joined}};
base::result<output_grid> parse_output_grid(const json::value& text);

// `facts` with two members more:
//   /choice {normal, geographic, coverage: inside|partly|outside}   of `choice`, a CRS's spelling; "" = no CRS is
//   chosen.
//     coverage: of the data's WGS 84 bounds by the CRS's area of use; absent where one of them is unknown.
//   /grid {coincides, ratio, direction: up|same|down, ratio_class: 1|4|16|64+, inputs_ratio, inputs_coincide}
//     coincides: every output cell has the place and size of an input cell; ratio: side of an output cell over that of
//     an input cell, on the ground, of joined inputs the one it changes most; ratio_class: input cells per output cell,
//     to the nearest power of four; inputs_ratio: coarsest over finest cell among several raster inputs;
//     inputs_coincide: cells of several raster inputs lie on one lattice in one CRS.
// Unknown members are left out.
json::value with_relations(json::value facts, const json::value& arguments, const output_grid& grid,
                           const std::string& choice, const crs_lookup& crs);

// Whether a geometry in its normal form, a box or a rectangle, covers the whole first input but for a cell at most, and
// no more than a hundredth of a side. False also where that cannot be told.
bool covers_input(const json::value& geometry, std::string_view geometry_crs, const json::value& facts);

}  // namespace gdalmcp::reflection
