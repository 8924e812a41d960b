#include "ogr_tracing.hpp"

#include <gdalmcp/gdal_extent.hpp>

#include <algorithm>
#include <cmath>

#include "ogr_reading.hpp"

namespace gdalmcp_vector {

namespace gdal = gdalmcp::gdal;
using geos::handle;

namespace {

void coordinates(const GEOSGeometry& g, std::vector<double>& x, std::vector<double>& y) {
    const auto* s = GEOSGeom_getCoordSeq_r(handle(), &g);
    unsigned n = 0;
    if (!s || GEOSCoordSeq_getSize_r(handle(), s, &n) != 1) geos::fail();
    x.resize(n);
    y.resize(n);
    if (n && GEOSCoordSeq_copyToArrays_r(handle(), s, x.data(), y.data(), nullptr, nullptr) != 1) geos::fail();
}

}  // namespace

tracer::tracer(const OGRSpatialReference& crs) : earth_{crs.GetSemiMajor(), crs.GetInvFlattening()} {
    geographic_ = crs.IsGeographic() != FALSE;
    if (geographic_) {
        unit_ = gdal::detail::degrees_per_unit(crs);
        return;
    }
    own_ = gdal::own_geographic_of(crs);
    if (!own_)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "the CRS '" + gdal::crs_label(crs) + "' has no place on Earth, so there are no metres",
                             "state the CRS of the coordinates with vector_convert and its 'crs'"};
    unit_ = gdal::detail::degrees_per_unit(*own_.crs);
}

void tracer::place(std::vector<double>& x, std::vector<double>& y) {
    bool placed = true;
    if (own_) {
        const gdal::quiet silence;
        placed = gdal::transform_all(*own_.way, x, y);
    }
    for (std::size_t i = 0; placed && i < x.size(); ++i) {
        x[i] *= unit_;
        y[i] *= unit_;
        placed = std::abs(y[i]) <= 90 + 1e-9 && std::abs(x[i]) <= 540;
    }
    if (!placed) throw unusable{"some of its vertices have no longitude and latitude"};
}

traced tracer::trace(const GEOSGeometry& shape) {
    traced t;
    geos::for_each_part(shape, [&](const GEOSGeometry& part) {
        if (geos::empty(part)) return;
        const int type = GEOSGeomTypeId_r(handle(), &part);
        if (type == GEOS_POLYGON) {
            trace_line(*GEOSGetExteriorRing_r(handle(), &part), t);
            const int holes = GEOSGetNumInteriorRings_r(handle(), &part);
            for (int i = 0; i < holes; ++i) trace_line(*GEOSGetInteriorRingN_r(handle(), &part, i), t);
        } else if (type == GEOS_POINT) {
            std::vector<double> x, y;
            coordinates(part, x, y);
            place(x, y);
            const auto at = static_cast<std::uint32_t>(t.longitude.size());
            t.longitude.push_back(x[0]);
            t.latitude.push_back(y[0]);
            t.pieces.push_back({at, at});
        } else {
            trace_line(part, t);
        }
    });
    return t;
}

void tracer::trace_line(const GEOSGeometry& line, traced& t) {
    std::vector<double> x, y;
    coordinates(line, x, y);
    const std::size_t edges = x.size() - 1;
    for (std::size_t i = 0; geographic_ && i < edges; ++i)
        if (const double span = std::abs(x[i + 1] - x[i]) * unit_; span > 180 && std::abs(span - 360) > 1e-9)
            throw unusable{"an edge spans more than half a turn: cut it at ±180"};
    // Every vertex, and the middle of every edge.
    std::vector<double> lon, lat;
    for (std::size_t i = 0; i < edges; ++i) {
        lon.insert(lon.end(), {x[i], (x[i] + x[i + 1]) / 2});
        lat.insert(lat.end(), {y[i], (y[i] + y[i + 1]) / 2});
    }
    lon.push_back(x.back());
    lat.push_back(y.back());
    place(lon, lat);
    const auto point = [&](std::size_t i) {
        return earth_.point(lon[i] * radian_per_degree, lat[i] * radian_per_degree);
    };
    std::vector<std::size_t> cuts(edges);
    std::vector<double> more_x, more_y;
    for (std::size_t i = 0; i < edges; ++i) {
        const auto a = point(2 * i), middle = point(2 * i + 1), b = point(2 * i + 2);
        double square = 0;
        for (std::size_t k = 0; k < 3; ++k) square += std::pow(middle[k] - (a[k] + b[k]) / 2, 2);
        // The distance from the chord falls with the square of the number of pieces.
        constexpr double most = 1e5;
        cuts[i] = static_cast<std::size_t>(std::clamp(std::ceil(std::sqrt(std::sqrt(square) / bulge)), 1.0, most));
        for (std::size_t k = 1; k < cuts[i]; ++k) {
            const double f = static_cast<double>(k) / static_cast<double>(cuts[i]);
            more_x.push_back(x[i] + f * (x[i + 1] - x[i]));
            more_y.push_back(y[i] + f * (y[i + 1] - y[i]));
        }
    }
    place(more_x, more_y);
    const auto add = [&](double longitude, double latitude) {
        t.longitude.push_back(longitude);
        t.latitude.push_back(latitude);
    };
    const auto begin = static_cast<std::uint32_t>(t.longitude.size());
    std::size_t used = 0;
    for (std::size_t i = 0; i < edges; ++i) {
        add(lon[2 * i], lat[2 * i]);
        for (std::size_t k = 1; k < cuts[i]; ++k, ++used) add(more_x[used], more_y[used]);
    }
    add(lon.back(), lat.back());
    for (auto i = begin; i + 1 < t.longitude.size(); ++i) t.pieces.push_back({i, i + 1});
}

}  // namespace gdalmcp_vector
