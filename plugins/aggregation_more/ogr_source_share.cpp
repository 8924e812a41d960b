#include "ogr_source_share.hpp"

#include <algorithm>
#include <memory>

namespace gdalmcp_aggregation_more {

using namespace gdalmcp_datasets;
namespace gdal = gdalmcp::gdal;

namespace {

// Closed, through the points in order.
OGRPolygon polygon_through(const std::array<double, 4>& x, const std::array<double, 4>& y) {
    OGRLinearRing ring;
    for (std::size_t i = 0; i < 4; ++i) ring.addPoint(x[i], y[i]);
    ring.closeRings();
    OGRPolygon polygon;
    polygon.addRing(&ring);
    return polygon;
}

}  // namespace

source_share::source_share(const grid& source, const grid& target, OGRCoordinateTransformation* way)
    : source_{source},
      box_{target.extent()},
      rectangle_{
          polygon_through({box_.MinX, box_.MaxX, box_.MaxX, box_.MinX}, {box_.MinY, box_.MinY, box_.MaxY, box_.MaxY})},
      way_{way} {}

std::vector<double> source_share::of(int row, int column, int count) const {
    const auto& t = source_.geotransform;
    const auto corners = static_cast<std::size_t>(count) + 1;
    std::vector<double> x, y;
    for (int edge = row; edge <= row + 1; ++edge)
        for (std::size_t i = 0; i < corners; ++i) {
            const double at = column + static_cast<double>(i);
            x.push_back(t[0] + at * t[1] + edge * t[2]);
            y.push_back(t[3] + at * t[4] + edge * t[5]);
        }
    std::vector<bool> placed(x.size(), true);
    if (way_) {
        const gdal::quiet silence;
        placed = gdal::transform_each(*way_, x, y);
    }
    std::vector<double> shares(static_cast<std::size_t>(count), 0);
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const std::array<std::size_t, 4> around{i, i + 1, i + 1 + corners, i + corners};
        std::array<double, 4> px{}, py{};
        bool whole = true;
        for (std::size_t k = 0; k < 4; ++k) {
            px[k] = x[around[k]], py[k] = y[around[k]];
            whole = whole && placed[around[k]];
        }
        if (whole) shares[i] = cut(px, py);
    }
    return shares;
}

double source_share::cut(const std::array<double, 4>& x, const std::array<double, 4>& y) const {
    const auto [left, right] = std::minmax_element(x.begin(), x.end());
    const auto [bottom, top] = std::minmax_element(y.begin(), y.end());
    if (*left >= box_.MaxX || *right <= box_.MinX || *bottom >= box_.MaxY || *top <= box_.MinY) return 0;
    if (*left >= box_.MinX && *right <= box_.MaxX && *bottom >= box_.MinY && *top <= box_.MaxY) return 1;
    const OGRPolygon cell = polygon_through(x, y);
    const std::unique_ptr<OGRGeometry> inside{cell.Intersection(&rectangle_)};
    const double all = cell.get_Area();
    if (!inside || !(all > 0)) return 0;
    const auto* surface = inside->toSurface();
    if (wkbFlatten(inside->getGeometryType()) != wkbPolygon) return 0;
    return std::clamp(surface->get_Area() / all, 0.0, 1.0);
}

}  // namespace gdalmcp_aggregation_more
