// line_of_sight.hpp — which cells of a surface an observer sees, over plain arrays.
//
// The straight line from the observer's eye to each target is compared with the surface wherever it crosses a line
// between the centres of two neighbouring cells, linearly interpolated: algorithm R3 of Franklin & Ray (1994), Higher
// isn't necessarily better: visibility algorithms and experiments. Exact for that surface; the work grows with the
// number of cells times their distance. gdal_viewshed is faster, but hides most of what lies below the observer before
// GDAL 3.10 (OSGeo/gdal issue 10205).
#pragma once
#include <optional>
#include <vector>

namespace gdalmcp_raster_more {

struct sighted_surface {
    std::vector<double> heights;  // m, row by row; NaN: unknown, hides nothing
    int columns = 0, rows = 0;
    double width = 1, height = 1;  // of a cell, m
};

struct sighting {
    int column = 0, row = 0;           // of the observer, at the centre of the cell
    double eye = 0, target = 0;        // m above the surface
    std::optional<double> reach = {};  // m, to the centres of cells; none: all
};

// Lowers each height by the curvature of a sphere, seen from the observer: share · distance² / (2 · radius).
void lower_by_curvature(sighted_surface& s, const sighting& from, double share, double radius);

enum class sight : unsigned char { hidden = 0, visible = 1, none = 255 };

// Of the cells of a row from `column` on. none: beyond reach, or of unknown height.
void see_row(const sighted_surface& s, const sighting& from, int row, int column, int count, unsigned char* out);

}  // namespace gdalmcp_raster_more
