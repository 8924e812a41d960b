// gdal_map_frame.hpp — the plane a map is drawn in, its extent and its pixels.
#pragma once
#include <gdalmcp/gdal_extent.hpp>
#include <gdalmcp/standard.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace gdalmcp_maps {

// Where the data of a layer lie. crs: x first, empty for none; extent: not IsInit() where there is nothing.
struct layer_place {
    std::string name;
    OGRSpatialReference crs;
    OGREnvelope extent;
    OGREnvelope across_180{};  // the same where that is the narrower one: MaxX lies beyond 180 degrees
};

struct map_plane {
    OGRSpatialReference crs;  // empty: the coordinates of the layers, which state no CRS
    std::string why;
};

// `asked`; else the projected CRS of a layer that covers at least half of what the map shows (`shown`, or all layers);
// else a projection for that: Lambert's azimuthal equal-area around its middle (Snyder 1987, chapter 24), Equal Earth
// (Šavrič, Patterson and Jenny 2018) for more than a third of the way around. Throws where only some layers have a CRS.
map_plane plane_for(const std::vector<layer_place>& layers, const std::optional<layer_place>& shown,
                    const std::optional<gdalmcp::crs>& asked);

// Of a layer that reaches more than 5 degrees of longitude, or any of latitude, out of the area of use of the plane's
// registered CRS: west, south, east and north of what lies in it. nullopt for others.
std::optional<std::array<double, 4>> cut_to_use(const map_plane& plane, const layer_place& layer);

// The parts of a box in degrees on either side of the meridian half a turn from the map's centre, or all of it: there a
// map of the world ends, and what crosses it lies on both of its sides.
std::vector<OGREnvelope> halves_at_edge(const OGREnvelope& box, const OGRSpatialReference& degrees,
                                        const OGRSpatialReference& map);

// The extent of a layer in the plane, cut to its area of use; not IsInit() for one without data. Throws where it has no
// place there.
OGREnvelope extent_in(const map_plane& plane, const layer_place& layer);

// Pixels over the plane: square, the first row at the top.
struct map_frame {
    OGRSpatialReference crs;
    OGREnvelope box;
    int width = 0, height = 0;

    double pixel() const { return (box.MaxX - box.MinX) / width; }  // side, in units of crs
    double column(double x) const { return (x - box.MinX) / pixel(); }
    double row(double y) const { return (box.MaxY - y) / pixel(); }
};

// The frame around `box` with a margin, as large as fits; a box without size or eight times longer than wide is made
// wider.
map_frame frame_around(const map_plane& plane, OGREnvelope box, int most_columns, int most_rows);

}  // namespace gdalmcp_maps
