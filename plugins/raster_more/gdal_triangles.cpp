#include "gdal_triangles.hpp"

#include <gdalmcp/gdal.hpp>

namespace gdalmcp_raster_more {

triangles::triangles(const std::vector<measured_point>& points, std::size_t without) {
    if (points.empty() || !GDALHasTriangulation()) return;
    x0_ = points.front().x;
    y0_ = points.front().y;
    std::vector<double> x, y;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (i == without) continue;
        x.push_back(points[i].x - x0_);
        y.push_back(points[i].y - y0_);
        values_.push_back(points[i].value);
    }
    if (x.size() < 3) return;
    const gdalmcp::gdal::quiet silence;
    made_.reset(GDALTriangulationCreateDelaunay(static_cast<int>(x.size()), x.data(), y.data()));
    if (made_ && !GDALTriangulationComputeBarycentricCoefficients(made_.get(), x.data(), y.data())) made_.reset();
    CPLErrorReset();
}

std::optional<double> triangles::at(double x, double y, int& facet) const {
    const double u = x - x0_, v = y - y0_;
    int found = 0;
    if (!GDALTriangulationFindFacetDirected(made_.get(), facet, u, v, &found)) {
        if (found >= 0) facet = found;
        return std::nullopt;
    }
    facet = found;
    double a = 0, b = 0, c = 0;
    if (!GDALTriangulationComputeBarycentricCoordinates(made_.get(), found, u, v, &a, &b, &c)) return std::nullopt;
    const auto& corners = made_->pasFacets[found].anVertexIdx;
    const auto value = [&](int i) { return values_[static_cast<std::size_t>(corners[i])]; };
    return a * value(0) + b * value(1) + c * value(2);
}

}  // namespace gdalmcp_raster_more
