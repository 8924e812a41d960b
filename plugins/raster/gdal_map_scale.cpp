#include "gdal_map_scale.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_raster {

namespace {

constexpr double degree = 3.14159265358979323846 / 180;

// The same projection with metres and Greenwich. PROJ's factors of a CRS in feet, grads or with another prime meridian
// are wrong by the size of the Earth, without an error (9.1.1: EPSG:2264, EPSG:27572).
OGRSpatialReference in_plain_units(const OGRSpatialReference& crs) {
    OGRSpatialReference plain{crs};
    plain.StripVertical();
    plain.SetLinearUnitsAndUpdateParameters(SRS_UL_METER, 1.0);
    plain.SetGeogCS("unknown", "unknown", "unknown", crs.GetSemiMajor(), crs.GetInvFlattening());
    return plain;
}

// Of "+proj=pipeline +step +proj=unitconvert … +step +proj=utm +zone=25 …" the step that projects.
std::string projection_step(const std::string& steps) {
    for (std::size_t from = 0; from < steps.size();) {
        const auto end = std::min(steps.find("+step", from + 1), steps.size());
        const auto step = steps.substr(from, end - from);
        const auto name = step.find("+proj=");
        from = end;
        if (name == std::string::npos) continue;
        const auto word = step.substr(name + 6, step.find(' ', name) - name - 6);
        if (word != "pipeline" && word != "unitconvert" && word != "axisswap") return step.substr(name);
    }
    return {};
}

// Length of the arc that two arcs of longitude share; lists of (from, to) with from <= to.
using arcs = std::vector<std::array<double, 2>>;

arcs arcs_of(double west, double east) {
    if (east - west >= 360) return {{-180, 180}};
    const auto wrapped = [](double longitude) { return longitude - 360 * std::floor((longitude + 180) / 360); };
    const double from = wrapped(west), width = east >= west ? east - west : east - west + 360;
    if (from + width <= 180) return {{from, from + width}};
    return {{from, 180}, {-180, from + width - 360}};
}

}  // namespace

std::optional<map_scale> map_scale::of(const OGRSpatialReference& crs) {
    if (!crs.IsProjected()) return std::nullopt;
    const gdalmcp::gdal::quiet silence;
    map_scale scale;
    scale.radius_ = crs.GetSemiMajor();
    // The ground is an ellipsoid also where a CRS calls the Earth a sphere.
    const gdalmcp::ellipsoid wgs84{6378137, 298.257223563};
    const bool earth = std::abs(scale.radius_ / wgs84.a - 1) < 0.01;
    scale.earth_ =
        earth && crs.GetInvFlattening() == 0 ? wgs84 : gdalmcp::ellipsoid{scale.radius_, crs.GetInvFlattening()};
    scale.meridian_ = crs.GetPrimeMeridian() * crs.GetAngularUnits() / degree;
    scale.context_.reset(proj_context_create());
    auto* c = scale.context_.get();
    proj_log_level(c, PJ_LOG_NONE);
    constexpr const char* options[] = {"FORMAT=WKT2_2019", nullptr};
    char* wkt = nullptr;
    const auto plain = in_plain_units(crs);
    if (plain.exportToWkt(&wkt, options) != OGRERR_NONE) wkt = nullptr;
    std::unique_ptr<PJ, projection_closer> read{wkt ? proj_create(c, wkt) : nullptr};
    CPLFree(wkt);
    if (read && proj_get_type(read.get()) == PJ_TYPE_BOUND_CRS) read.reset(proj_get_source_crs(c, read.get()));
    // The bare projection, in radians: for a CRS, PROJ first searches operations to it, a tenth of a second each; and
    // those of north-first CRSs (EPSG:3006, EPSG:2180) give factors of -4e13.
    if (read) read.reset(proj_crs_get_coordoperation(c, read.get()));
    const char* steps = read ? proj_as_proj_string(c, read.get(), PJ_PROJ_5, nullptr) : nullptr;
    if (const auto step = projection_step(steps ? steps : ""); !step.empty())
        scale.projection_.reset(proj_create(c, step.c_str()));
    if (!scale.projection_) return std::nullopt;
    return scale;
}

std::optional<indicatrix> map_scale::measured_at(double longitude, double latitude) const {
    proj_errno_reset(projection_.get());
    const double phi = latitude * degree;
    const auto f = proj_factors(projection_.get(), proj_coord((longitude - meridian_) * degree, phi, 0, 0));
    if (proj_errno(projection_.get()) != 0) return std::nullopt;
    // PROJ's own scales are those against the sphere of a projection that knows no ellipsoid, up to 0.7 % off.
    const double along = radius_ / earth_.parallel_radius(phi), up = radius_ / earth_.meridian_radius(phi);
    const double k = std::hypot(f.dx_dlam, f.dy_dlam) * along, h = std::hypot(f.dx_dphi, f.dy_dphi) * up;
    if (!std::isfinite(h) || !std::isfinite(k) || h <= 0 || k <= 0) return std::nullopt;
    const double area = std::abs(f.dy_dphi * f.dx_dlam - f.dx_dphi * f.dy_dlam) * along * up;
    const double sum = std::sqrt(h * h + k * k + 2 * area), rest = std::sqrt(std::max(0.0, h * h + k * k - 2 * area));
    return indicatrix_of((sum + rest) / 2, (sum - rest) / 2);  // Snyder 1987, eq. 4-12 and 4-13
}

// PROJ's numeric derivatives end at a pole: of Mollweide, an equal-area projection, they give an areal scale of 0.756.
// Across a cut between the lobes of an interrupted map they take its gap for scale: there they are those of a place
// beside it, which no two places have so different elsewhere.
std::optional<indicatrix> map_scale::at(double longitude, double latitude) const {
    constexpr double beside_pole = 89.9, aside = 0.002;  // degrees; the derivatives take in 0.0006
    if (std::abs(latitude) > beside_pole) {
        const auto pole =
            proj_factors(projection_.get(), proj_coord((longitude - meridian_) * degree, latitude * degree, 0, 0));
        if (!indicatrix_of(pole.tissot_semimajor, pole.tissot_semiminor)) return std::nullopt;
        latitude = std::copysign(beside_pole, latitude);
    }
    const auto there = measured_at(longitude, latitude);
    const double inwards = latitude > 0 ? -aside : aside;
    for (const double side : {-aside, aside}) {
        const auto beside = measured_at(longitude + side, latitude + inwards);
        if (beside && (!there || there->areal() > 2 * beside->areal())) return beside;
    }
    return there;
}

std::optional<double> map_scale::convergence(double longitude, double latitude) const {
    proj_errno_reset(projection_.get());
    const auto f =
        proj_factors(projection_.get(), proj_coord((longitude - meridian_) * degree, latitude * degree, 0, 0));
    if (proj_errno(projection_.get()) != 0 || !std::isfinite(f.meridian_convergence)) return std::nullopt;
    return f.meridian_convergence / degree;
}

std::optional<double> meridian_convergence(const OGREnvelope& box, const OGRSpatialReference& crs) {
    const auto scale = box.IsInit() ? map_scale::of(crs) : std::nullopt;
    const auto way = scale ? gdalmcp::gdal::to_wgs84(crs) : nullptr;
    if (!way) return std::nullopt;
    const gdalmcp::gdal::quiet silence;
    std::optional<double> largest;
    for (const double u : {0.0, 0.5, 1.0})
        for (const double v : {0.0, 0.5, 1.0}) {
            double x = box.MinX + u * (box.MaxX - box.MinX), y = box.MinY + v * (box.MaxY - box.MinY);
            if (!way->Transform(1, &x, &y)) continue;
            if (const auto angle = scale->convergence(x, y)) largest = std::max(largest.value_or(0), std::abs(*angle));
        }
    return largest;
}

coverage covers(const std::array<double, 4>& area, const std::array<double, 4>& extent) {
    constexpr double written = 0.01;
    const double south = std::max(area[1] - written, extent[1]), north = std::min(area[3] + written, extent[3]);
    if (north < south) return coverage::outside;
    double shared = 0, width = 0;
    bool touches = false;
    for (const auto& e : arcs_of(extent[0], extent[2])) {
        width += e[1] - e[0];
        for (const auto& a : arcs_of(area[0] - written, area[2] + written)) {
            const double overlap = std::min(a[1], e[1]) - std::max(a[0], e[0]);
            touches = touches || overlap >= 0;
            shared += std::max(0.0, overlap);
        }
    }
    if (!touches) return coverage::outside;
    const bool whole = south <= extent[1] && north >= extent[3] && shared >= width - 1e-9;
    return whole ? coverage::inside : coverage::partly;
}

std::optional<area_of_use> area_of_use_of(const OGRSpatialReference& crs) {
    area_of_use area;
    const char* name = nullptr;
    auto& b = area.box;
    if (!crs.GetAreaOfUse(&b[0], &b[1], &b[2], &b[3], &name) || b[0] < -360) return std::nullopt;
    area.name = name ? name : "";
    return area;
}

}  // namespace gdalmcp_raster
