// gdalmcp/gdal_transformation.hpp — the transformations most tools make: to longitude and latitude on the CRS's own
// datum, and on WGS 84. Header-only; link GDAL.
#pragma once
#include <ogr_spatialref.h>
#include <gdalmcp/gdal_crs.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace gdalmcp::gdal {

// GDAL caches returned transformations for the next use of the same two CRSs, which saves milliseconds of PROJ's time.
struct hand_back {
    void operator()(OGRCoordinateTransformation* t) const { OGRCoordinateTransformation::DestroyCT(t); }
};
using transformation = std::unique_ptr<OGRCoordinateTransformation, hand_back>;

// From x, y of `srs` to longitude, latitude of WGS 84 in degrees; nullptr without a CRS or if PROJ has no
// transformation.
inline transformation to_wgs84(const OGRSpatialReference& srs) {
    const auto wgs84 = parse_crs("EPSG:4326");  // x first inside; transforming to OGC:CRS84 costs PROJ 5 ms more
    if (undefined(srs) || !wgs84) return nullptr;
    const quiet silence;
    OGRSpatialReference from{srs};
    from.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    return transformation{OGRCreateCoordinateTransformation(&from, &*wgs84)};
}

// Longitude and latitude on the datum of a CRS itself, so that no datum shift takes part, nor its heights.
struct own_geographic {
    std::unique_ptr<OGRSpatialReference> crs;  // x first; nullptr where there is no datum
    transformation way;                        // from x, y to longitude, latitude in the unit of `crs`

    explicit operator bool() const { return crs && way; }
};
inline own_geographic own_geographic_of(const OGRSpatialReference& srs) {
    OGRSpatialReference from{srs};
    from.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    from.StripVertical();
    own_geographic own{std::unique_ptr<OGRSpatialReference>{from.CloneGeogCS()}, nullptr};
    if (!own.crs) return own;
    own.crs->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    const quiet silence;
    own.way.reset(OGRCreateCoordinateTransformation(&from, own.crs.get()));
    return own;
}

#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 10, 0)
using point_count = std::size_t;  // as OGRCoordinateTransformation::Transform takes it
#else
using point_count = int;
#endif

namespace detail {

// What lies on the outline of a map of the world, as ±180° and the poles in Mollweide, is often a rounding beyond it,
// where PROJ has no place: drawn in by a billionth, it has one.
class drawn_in {
public:
    explicit drawn_in(const OGRSpatialReference* map) : is_map_{map && map->IsProjected()} {
        if (!is_map_) return;
        x_ = map->GetProjParm(SRS_PP_FALSE_EASTING, 0.0);
        y_ = map->GetProjParm(SRS_PP_FALSE_NORTHING, 0.0);
    }
    explicit operator bool() const { return is_map_; }
    double x(double from) const { return x_ + (from - x_) * share; }
    double y(double from) const { return y_ + (from - y_) * share; }

private:
    static constexpr double share = 1 - 1e-9;
    bool is_map_;
    double x_ = 0, y_ = 0;
};

inline std::vector<bool> transform_plainly(OGRCoordinateTransformation& t, std::vector<double>& x,
                                           std::vector<double>& y) {
    std::vector<int> done(x.size(), 0);
    t.Transform(static_cast<point_count>(x.size()), x.data(), y.data(), nullptr, done.data());
    std::vector<bool> placed(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) placed[i] = done[i] && std::isfinite(x[i]) && std::isfinite(y[i]);
    return placed;
}

}  // namespace detail

// Transforms x and y in place, for each point whether it has a place; coordinates of the others mean nothing.
inline std::vector<bool> transform_each(OGRCoordinateTransformation& t, std::vector<double>& x,
                                        std::vector<double>& y) {
    const detail::drawn_in inwards{t.GetSourceCS()};
    const auto given_x = inwards ? x : std::vector<double>{}, given_y = inwards ? y : std::vector<double>{};
    auto placed = detail::transform_plainly(t, x, y);
    if (!inwards) return placed;
    std::vector<std::size_t> without;
    std::vector<double> again_x, again_y;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!placed[i]) {
            without.push_back(i);
            again_x.push_back(inwards.x(given_x[i]));
            again_y.push_back(inwards.y(given_y[i]));
        }
    if (without.empty()) return placed;
    const auto now = detail::transform_plainly(t, again_x, again_y);
    for (std::size_t k = 0; k < without.size(); ++k) {
        placed[without[k]] = now[k];
        x[without[k]] = again_x[k];
        y[without[k]] = again_y[k];
    }
    return placed;
}

// The same where every point must have a place: false when one has none.
inline bool transform_all(OGRCoordinateTransformation& t, std::vector<double>& x, std::vector<double>& y) {
    const auto placed = transform_each(t, x, y);
    return std::all_of(placed.begin(), placed.end(), [](bool p) { return p; });
}

}  // namespace gdalmcp::gdal
