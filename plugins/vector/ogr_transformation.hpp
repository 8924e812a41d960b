// From one CRS to another: PROJ's operation, its accuracy, and transforming geometries with it.
#pragma once
#include "ogr_bent_edges.hpp"
#include "ogr_census.hpp"
#include "ogr_seam.hpp"

#include <gdalmcp/gdal_operation.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gdalmcp_vector {

// PROJ returns infinities outside a projection.
bool finite(const OGRGeometry& geometry);

// Whether coordinates mean the same in both, x first as they are kept here: EPSG:4326 and OGC:CRS84 do.
bool same_coordinates(const OGRSpatialReference&, const OGRSpatialReference&);

// The CRS a layer's coordinates are in, x first: `given`, else its own; empty where neither is stated. A `given` one
// that contradicts the layer's own is reported to `say`. Throws when `given` is not a CRS.
OGRSpatialReference crs_of(OGRLayer&, const std::optional<gdalmcp::crs>& given, const notice& say);

class transformation {
public:
    // The area of the data is for choosing among operations; reports doubts to `say`.
    // Throws if only a ballpark operation is known and not allowed, or if there is none at all.
    transformation(const OGRSpatialReference& from, const OGRSpatialReference& to, const gdalmcp::gdal::degrees_area&,
                   bool allow_ballpark, const notice& say);
    // nullptr: a vertex has no place in the target CRS. Heights and m values are kept but where it is cut: at the seam
    // of a map, and where edges jump over ±180°. `wrap`: cut at the antimeridian in any case, as RFC 7946 requires;
    // only towards a geographic CRS.
    std::unique_ptr<OGRGeometry> apply(const OGRGeometry&, bool wrap);
    // apply() without `wrap` in two dimensions, with edges that were straight: vertices are added until the shape's
    // area or length changes by less than a millionth.
    std::unique_ptr<OGRGeometry> apply_densified(const OGRGeometry&);
    // The same for layers whose features share edges: the vertices added to an edge depend on that edge alone, so that
    // neighbours still meet. An edge strays from its true place by less than a millionth of its length. Between
    // degrees, longitudes stay in their turn, past 180 where a datum shift moves them there. nullptr also for a polygon
    // whose area is not kept, as of one around a pole in longitudes and latitudes.
    std::unique_ptr<OGRGeometry> apply_by_edges(const OGRGeometry&);
    // apply() for a feature that must not be lost: throws naming it.
    std::unique_ptr<OGRGeometry> apply_or_fail(const OGRGeometry&, GIntBig feature_id);

    const gdalmcp::gdal::operation& about() const { return about_; }
    bool none() const { return !operation_; }  // coordinates stay as they are
    // Reports what apply() has changed in a layer: edges that bend, and z or m values lost where geometries were cut.
    void tell_changes(const std::string& layer, const notice& say) const;

private:
    bool move_line(OGRSimpleCurve&);
    bool transform_in_turn(std::vector<double>& x, std::vector<double>& y);
    std::unique_ptr<OGRGeometry> cut_at_antimeridian(const OGRGeometry& before, const OGRGeometry& plain) const;
    bool keeps_area(const OGRGeometry& before, const OGRGeometry& after) const;
    bool keeps_circles(const OGRGeometry&) const;
    std::unique_ptr<OGRGeometry> whole_on_map(const OGRGeometry& before, std::unique_ptr<OGRGeometry> plain);
    OGRSpatialReference from_, to_;
    gdalmcp::gdal::operation about_;
    std::unique_ptr<OGRCoordinateTransformation> operation_;  // nullptr: the CRSs are the same
    std::optional<map_seam> seam_;                            // towards a map
    std::optional<bent_edges> bent_;
    GIntBig flattened_ = 0, straightened_ = 0;
};

}  // namespace gdalmcp_vector
