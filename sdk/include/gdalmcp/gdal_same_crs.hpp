// gdalmcp/gdal_same_crs.hpp — whether a stored CRS means the same as the requested one. Formats rewrite names,
// dialects, axis orders and datum aliases; some drop the datum shift. Header-only; link GDAL and PROJ.
#pragma once
#include <ogr_core.h>
#include <gdalmcp/gdal_transformation.hpp>

#include <cmath>

namespace gdalmcp::gdal {

enum class crs_likeness {
    same,         // the same place for the same coordinates
    other_datum,  // the same projection and ellipsoid to a millimetre, but another datum or datum shift is named
    different
};

namespace detail {

struct ellipsoid_of {
    double semi_major, inverse_flattening, prime_meridian;
    explicit ellipsoid_of(const OGRSpatialReference& s)
        : semi_major{s.GetSemiMajor()},
          inverse_flattening{s.GetInvFlattening()},
          prime_meridian{s.GetPrimeMeridian()} {}
    // WKT 1 keeps about 1e-9 of these.
    bool like(const ellipsoid_of& o) const {
        return std::abs(semi_major - o.semi_major) < 1e-3 &&
               std::abs(inverse_flattening - o.inverse_flattening) < 1e-6 &&
               std::abs(prime_meridian - o.prime_meridian) < 1e-9;
    }
};

// Longitudes and latitudes on the CRS's own datum, so that no datum shift is applied; empty if PROJ fails.
inline std::vector<std::array<double, 2>> on_own_datum(const OGRSpatialReference& srs,
                                                       const std::vector<std::array<double, 2>>& points) {
    if (srs.IsGeographic()) {
        auto degrees = points;
        const double unit = srs.GetAngularUnits(nullptr) * 180 / 3.14159265358979323846;
        for (auto& p : degrees) p = {p[0] * unit, p[1] * unit};
        return degrees;
    }
    const auto own = own_geographic_of(srs);
    if (!own) return {};
    auto out = points;
    for (auto& [x, y] : out)
        if (!own.way->Transform(1, &x, &y) || !std::isfinite(x) || !std::isfinite(y)) return {};
    const double unit = own.crs->GetAngularUnits(nullptr) * 180 / 3.14159265358979323846;
    for (auto& [x, y] : out) x *= unit, y *= unit;
    return out;
}

inline bool within_a_millimetre(const std::vector<std::array<double, 2>>& a,
                                const std::vector<std::array<double, 2>>& b) {
    if (a.empty() || a.size() != b.size()) return false;
    constexpr double metres_per_degree = 111320;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double east = (a[i][0] - b[i][0]) * std::cos(a[i][1] * 3.14159265358979323846 / 180);
        if (std::hypot(east, a[i][1] - b[i][1]) * metres_per_degree >= 1e-3) return false;
    }
    return true;
}

// Five by five over the extent, or around the false origin where there is none.
inline std::vector<std::array<double, 2>> sample_points(OGREnvelope box, const OGRSpatialReference& srs) {
    if (!box.IsInit()) {
        const double reach = srs.IsGeographic() ? 1 : 10000;
        const double x = srs.GetNormProjParm(SRS_PP_FALSE_EASTING, 0),
                     y = srs.GetNormProjParm(SRS_PP_FALSE_NORTHING, 0);
        box.Merge(x - reach, y - reach);
        box.Merge(x + reach, y + reach);
    }
    std::vector<std::array<double, 2>> all;
    for (int i = 0; i < 5; ++i)
        for (int k = 0; k < 5; ++k)
            all.push_back({box.MinX + (box.MaxX - box.MinX) * i / 4, box.MinY + (box.MaxY - box.MinY) * k / 4});
    return all;
}

inline bool shifted(const OGRSpatialReference& srs) {
    double seven[7];
    if (srs.GetTOWGS84(seven) != OGRERR_NONE) return false;
    return std::any_of(seven, seven + 7, [](double v) { return v != 0; });
}

// Whether both name the datum by one code of the registry, whatever they call it.
inline bool same_datum_code(const OGRSpatialReference& a, const OGRSpatialReference& b) {
    const auto code = [](const OGRSpatialReference& srs) -> std::string {
        const char *authority = srs.GetAuthorityName("DATUM"), *number = srs.GetAuthorityCode("DATUM");
        return authority && number ? std::string{authority} + ":" + number : std::string{};
    };
    return !code(a).empty() && code(a) == code(b);
}

}  // namespace detail

// The likeness of `stored` to `asked`: PROJ's equivalence first, then the registry's codes, then the places of points
// of the extent (in the coordinates both share; not IsInit() = unknown).
inline crs_likeness likeness(const OGRSpatialReference& asked, const OGRSpatialReference& stored,
                             const OGREnvelope& extent) {
    const quiet silence;
    constexpr const char* loose[] = {"CRITERION=EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS",
                                     "IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES", "IGNORE_COORDINATE_EPOCH=YES",
                                     nullptr};
    if (asked.IsSame(&stored, loose)) return crs_likeness::same;
    const auto code = crs_code(asked);
    if (!code.empty() && code == crs_code(stored)) return crs_likeness::same;
    if (asked.IsLocal() || stored.IsLocal() || asked.IsGeographic() != stored.IsGeographic())
        return crs_likeness::different;
    const auto points = detail::sample_points(extent, asked);
    if (!detail::ellipsoid_of{asked}.like(detail::ellipsoid_of{stored}) ||
        !detail::within_a_millimetre(detail::on_own_datum(asked, points), detail::on_own_datum(stored, points)))
        return crs_likeness::different;
    double a[7] = {}, b[7] = {};
    const bool shift_kept =
        detail::shifted(asked) == detail::shifted(stored) &&
        (!detail::shifted(asked) ||
         (asked.GetTOWGS84(a) == OGRERR_NONE && stored.GetTOWGS84(b) == OGRERR_NONE && std::equal(a, a + 7, b)));
    const std::unique_ptr<OGRSpatialReference> base{asked.CloneGeogCS()}, stored_base{stored.CloneGeogCS()};
    // GDAL reads features with z in the datum's three-dimensional CRS.
    if (base && stored_base && base->GetAxesCount() == 2 && stored_base->GetAxesCount() == 3)
        stored_base->DemoteTo2D(nullptr);
    const bool one_datum = !detail::names_datum(asked) && !detail::names_datum(stored);
    const bool alias =
        base && stored_base && (base->IsSame(stored_base.get(), loose) || detail::same_datum_code(*base, *stored_base));
    return shift_kept && (one_datum || alias) ? crs_likeness::same : crs_likeness::other_datum;
}

// For messages that must distinguish two CRSs: code or name, with the datum, and the shift to WGS 84 where one is
// stated.
inline std::string crs_with_datum(const OGRSpatialReference& srs) {
    if (undefined(srs)) return "none";
    std::string text = crs_label(srs);
    if (!crs_code(srs).empty()) return text;
    const char* datum = srs.GetAttrValue("DATUM");
    text += std::string{" (datum "} + (datum && *datum ? datum : "unknown");
    if (detail::shifted(srs)) {
        double seven[7] = {};
        static_cast<void>(srs.GetTOWGS84(seven));
        text += ", shift to WGS 84";
        for (const double v : seven) text += " " + number_text(v);
    }
    return text + ")";
}

}  // namespace gdalmcp::gdal
