// Measures of geometries on the ellipsoid of their CRS, and planes in metres around them. Edges are straight in the
// CRS.
#pragma once
#include <geodesic.h>
#include <gdalmcp/gdal_area.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ogr_azimuthal_plane.hpp"
#include "ogr_reading.hpp"

namespace gdalmcp_vector {

// Area and perimeter of the polygons of a geometry, length of its lines; absent without any of that kind.
struct measures {
    std::optional<double> area, length, perimeter;
    void add(const measures&);
};

// Points along a line, in degrees.
struct lonlat_path {
    std::vector<double> longitude, latitude;
    std::size_t size() const { return longitude.size(); }
};

// A copy in two dimensions, arcs as chords.
std::unique_ptr<OGRGeometry> linear(const OGRGeometry&);

// In the units of the coordinates.
measures planar_measures(const OGRGeometry&);
std::optional<OGRPoint> planar_centroid(const OGRGeometry&);  // nullopt: it has none

inline constexpr const char* plan_alone = "heights (z) are ignored: lengths and areas are those of the plan";
inline constexpr double noticeable_error = 0.01;  // of a map's scale, from which a caller is told
// "17 %": two digits.
std::string percent(double share);

// Longitude and latitude in degrees on the datum of a CRS, and back. Throws gdalmcp::error for a CRS without any.
class ground {
public:
    explicit ground(const OGRSpatialReference& crs);

    // Metres and m². Where polygons were cut at a meridian, as at ±180, the cut is no part of their perimeter: in a
    // layer in degrees, what lies on both ends of a whole turn. Throws unusable for an edge that spans more than half a
    // turn, where it is not known which way round it goes, and for vertices without a place.
    measures measure(const OGRGeometry&) const;

    // The area of its polygons alone, m²; 0 without any. Throws unusable.
    double area(const OGRGeometry&) const;

    // The centroid in a plane around the middle of a geometry, in the CRS of the ground. Throws unusable. REQUIRES:
    // valid, not empty.
    OGRPoint centroid(const OGRGeometry&) const;

    // Throws unusable, on a geographic CRS, for coordinates that are no degrees and for an edge that spans more than
    // half a turn.
    void check_turns(const OGRGeometry&) const;

    // Longitudes and latitudes of coordinates. Throws unusable.
    lonlat_path degrees(std::vector<double> x, std::vector<double> y) const;
    // The same along a line: its vertices, and as many between them as keep a geodesic from one to the
    // next within `off` metres of the edge, which is straight in the CRS. Throws unusable. REQUIRES: check_turns() of
    // it.
    lonlat_path path(const OGRSimpleCurve&, double off) const;
    // The length at which a geodesic is `off` metres off an edge of the map. Edges bend like parallels or less.
    double longest_edge(double off, double latitude) const;
    // Degrees to coordinates of the CRS, in place; whether all have a place.
    bool place(lonlat_path&) const;
    // A copy of a geometry with longitudes and latitudes, in two dimensions, arcs as chords; and the same the other
    // way, in place. Throw unusable.
    std::unique_ptr<OGRGeometry> to_degrees(const OGRGeometry&) const;
    void from_degrees(OGRGeometry&) const;
    // A plane around the mean on the sphere of the vertices of a geometry in degrees.
    azimuthal_plane plane_around(OGRGeometry& degrees) const;
    // The largest deviation from 1 of the map's scale over a box, in any direction; nothing for a CRS in degrees and
    // where the box has no place.
    std::optional<double> scale_error(const OGREnvelope&) const;

    const geod_geodesic& ellipsoid() const { return ellipsoid_; }
    bool geographic() const { return geographic_; }
    double degrees_per_unit() const { return unit_; }

private:
    double line_length(const OGRSimpleCurve&) const;
    // m, of both sides of the cut.
    double cut_length(const OGRGeometry& linear) const;
    double area_of(const OGRPolygon&) const;
    void check_degrees(const OGRGeometry& linear) const;

    geod_geodesic ellipsoid_{};
    gdalmcp::gdal::ellipsoidal_areas areas_;
    bool geographic_ = false;
    double unit_ = 1;    // degrees per unit of a geographic CRS
    double metres_ = 1;  // per unit of another
    gdalmcp::gdal::own_geographic own_;
    std::unique_ptr<OGRCoordinateTransformation> back_;
};

}  // namespace gdalmcp_vector
