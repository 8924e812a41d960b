// gdal_distortion_subject.hpp — the data for which crs_distortion measures a CRS: their extent and polygons.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "datasets/gdal_grid.hpp"

namespace gdalmcp_raster {

using namespace gdalmcp_datasets;

struct subject {
    gdalmcp::gdal::dataset_ptr file;
    OGRLayer* layer = nullptr;  // of polygons, or nothing
    OGRSpatialReference crs;    // the coordinates are read in
    OGREnvelope extent;
    std::optional<OGRSpatialReference> replaced;  // the data's own CRS, where `given` is another one
    std::string heights;  // "heights in NAVD88 height (ft) are taken for EGM2008 height"; empty: they are not
};

// Layer of a vector dataset, or raster in a file of several.
struct part_of_data {
    std::optional<std::string> layer, subdataset;
};

// Of a file with several layers in one CRS, and none named, all of them. given: the CRS to read the data in. DEFAULT:
// their own. Fails the call on data without a position on the Earth.
subject read_subject(const gdalmcp::dataset& data, const part_of_data& part,
                     const std::optional<OGRSpatialReference>& given);

// Keeps of the extent what lies within a box in another CRS, all of it where that is nothing or unknown.
void limit_to(subject& s, const std::array<double, 4>& box, const OGRSpatialReference& box_crs);

// Fails the call, as vector_reproject would, on a layer of which no part of the extent has a place in `to`; `name`: of
// it, for the message.
void require_a_place(const subject& s, const OGRSpatialReference& to, const std::string& name);

// Greatest distance on the ground, in m, between the same coordinates read in two CRSs, at the corners and the centre
// of an extent; of the points that both can place. nullopt where there is none.
std::optional<double> ground_shift(const OGREnvelope& extent, const OGRSpatialReference& a,
                                   const OGRSpatialReference& b);

// side x side points of the extent from edge to edge, in degrees, with the true area each stands for: 5 x 5, and 65 x
// 65 of more than 10 degrees, where scales are no cubic functions.
struct lattice {
    std::size_t side;
    std::vector<std::optional<std::array<double, 2>>> points;  // longitude, latitude; nothing where PROJ fails
    std::vector<double> weights;
    std::optional<std::array<double, 2>> centre() const { return points[points.size() / 2]; }
};

lattice spread(const subject& s);

// Sums over polygons, m²: in the proposed CRS, and true.
struct areas {
    double planar = 0, ellipsoidal = 0;
    std::int64_t measured = 0, read = 0, all = 0;
    bool only_points = false;  // for certain
};

// Every n-th polygon, so that at most 2000 are measured, of the first 200 000 features.
areas measure(gdalmcp::call& call, const subject& s, const OGRSpatialReference& proposed_crs);

}  // namespace gdalmcp_raster
