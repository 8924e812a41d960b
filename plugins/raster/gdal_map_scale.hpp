// gdal_map_scale.hpp — the scale of a projected CRS at a point, by PROJ; how far grid north is off; and whether an
// extent lies in a CRS's area of use.
#pragma once
#include <gdalmcp/gdal_crs.hpp>

#include "distortion.hpp"

namespace gdalmcp_raster {

class map_scale {
public:
    // Of the horizontal part of a CRS. Empty: it is not projected, or PROJ has no factors for it.
    static std::optional<map_scale> of(const OGRSpatialReference& crs);

    // Against the ellipsoid, WGS 84's for a CRS on a sphere of the Earth's size. Degrees east of Greenwich, degrees
    // north. Nothing where the projection is not defined or has no finite scale.
    // Within 0.1 degrees of a pole the scale is that at 0.1 degrees.
    std::optional<indicatrix> at(double longitude, double latitude) const;

    // Degrees between the meridian and the vertical of the map. Nothing where the projection is not defined.
    std::optional<double> convergence(double longitude, double latitude) const;

private:
    std::optional<indicatrix> measured_at(double longitude, double latitude) const;

    struct context_closer {
        void operator()(PJ_CONTEXT* c) const { proj_context_destroy(c); }
    };
    struct projection_closer {
        void operator()(PJ* p) const { proj_destroy(p); }
    };
    std::unique_ptr<PJ_CONTEXT, context_closer> context_;
    std::unique_ptr<PJ, projection_closer> projection_;
    double meridian_ = 0;             // the CRS's prime meridian, degrees east of Greenwich
    double radius_ = 0;               // m, of the CRS's equator
    gdalmcp::ellipsoid earth_{1, 0};  // that scales are measured against
};

// The largest of nine places of a box, without sign. Nothing for a CRS that is not projected, and where PROJ has none.
std::optional<double> meridian_convergence(const OGREnvelope& box, const OGRSpatialReference& crs);

enum class coverage { inside, partly, outside, unknown };
inline constexpr std::array<const char*, 4> coverage_names{"inside", "partly", "outside", "unknown"};

// Both boxes west, south, east, north in degrees; west > east crosses the antimeridian. Areas of use are rounded to a
// hundredth of a degree, so an extent may reach that far beyond.
coverage covers(const std::array<double, 4>& area_of_use, const std::array<double, 4>& extent);

struct area_of_use {
    std::array<double, 4> box{};
    std::string name;
};
std::optional<area_of_use> area_of_use_of(const OGRSpatialReference& crs);

}  // namespace gdalmcp_raster
