// conditioning.hpp — depressions of a DEM removed as a call says: its arguments, and the work.
#pragma once
#include "breach.hpp"
#include "fill.hpp"
#include "terrain.hpp"

namespace gdalmcp_hydrology {

inline const gdalmcp::arg<gdalmcp::choice> conditioning{
    .name = "method",
    .about =
        "fill: raise depressions to their spill level; breach: cut the cheapest path out of each; hybrid: breach "
        "within the limits, fill the rest.",
    .values = {"fill", "breach", "hybrid"},
    .synonyms = {{"filling", "fill"}, {"breaching", "breach"}}};

inline const gdalmcp::arg<std::optional<double>> max_depth{
    .name = "max_depth",
    .about = "Height unit. fill: deeper depressions stay; else: no deeper cut. Default: none.",
    .above = 0};

inline const gdalmcp::arg<std::optional<double>> max_length{
    .name = "max_length", .about = "Longest cut of breach, hybrid. Default: 100 cells.", .unit = "m", .above = 0};

// Fails the call where the limits do not belong to the method.
void check_conditioning(const gdalmcp::call& call);

// max_depth in the DEM's stored values.
std::optional<double> greatest_depth(const gdalmcp::call& call, const gdal_raster& dem);

void warn_of_enclosed(gdalmcp::call& call, std::size_t cells);

struct conditioned {
    fill_report filled;                 // depressions: of the terrain as it was given
    std::optional<breach_report> cuts;  // of breach and hybrid
    std::optional<double> max_length;   // of cuts, m, as used
};

// Cuts and fills `surface`, cells of the DEM, as the call says; warns of what still drains nowhere. from, to: part of
// the call's progress.
template <class T>
conditioned condition_surface(gdalmcp::call& call, const gdal_raster& dem, grid<T>& surface, const land_use& use,
                              const cell_sizes& sizes, bool epsilon, double from, double to);

}  // namespace gdalmcp_hydrology
