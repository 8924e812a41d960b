// evidence_dem.hpp — a DEM for the evidence tools: heights in metres where their unit is known, only the middle of a
// large one, and a default meaning for undeclared holes.
#pragma once
#include <gdalmcp/evidence.hpp>

#include "terrain.hpp"

namespace gdalmcp_hydrology {

inline const auto dem_uri = gdalmcp::standard::described(gdalmcp::standard::raster_uri,
                                                         "Digital elevation model: a raster with heights in one band.");

inline const gdalmcp::arg<std::optional<gdalmcp::choice>> dem_holes{
    .name = "nodata_holes",
    .about =
        "Meaning of nodata enclosed by terrain: 'outlet' = water leaves there; 'missing' = a gap that water neither "
        "enters "
        "nor leaves. Default: the DEM's tag, else outlet.",
    .values = {"outlet", "missing"}};

inline const gdalmcp::field<std::string> height_unit_used{"height_unit",
                                                          "Unit of the heights; 'unknown' if the DEM declares none"};
inline const gdalmcp::field<std::string> holes_used{
    "nodata_holes", "How enclosed nodata was treated: outlet, missing, or 'none' without any"};

// Of a larger DEM only the middle is measured.
inline constexpr std::size_t max_dem_cells = 4'000'000, middle_side = 2048;

struct evidence_dem {
    gdal_raster raster;
    grid<double> heights;  // in `unit`
    std::string unit;      // m where the DEM's unit is known, else its own; empty: none is declared
    grid<footprint> land;
    cell_sizes sizes;
    std::size_t cells = 0;  // with a height
    std::string part;       // what a summary begins with where only the middle was measured; else empty

    bool in_metres() const { return unit == "m"; }
    double land_area() const;  // m²
};

// Reads the DEM of a call and reports the assumptions about it: unit, holes, approximate, read.
evidence_dem read_evidence_dem(gdalmcp::call& call);

}  // namespace gdalmcp_hydrology
