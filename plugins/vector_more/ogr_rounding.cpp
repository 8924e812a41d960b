#include "ogr_rounding.hpp"

#include <cmath>

#include "vector/ogr_shapes.hpp"

namespace gdalmcp_vector_more {

using namespace gdalmcp_vector;

namespace {

pieces one(std::unique_ptr<OGRGeometry> shape) {
    pieces all;
    all.push_back({std::move(shape)});
    return all;
}

}  // namespace

pieces rounded(const OGRGeometry& g, int decimals) {
    try {
        const auto shape = to_shape(g);
        const auto done =
            geos::owned(GEOSGeom_setPrecision_r(geos::handle(), shape.get(), std::pow(10.0, -decimals), 0));
        return geos::empty(*done) ? pieces{} : one(to_ogr(*done));
    } catch (const geos::failure& e) {
        throw unusable{e.what()};
    }
}

pieces flattened(const OGRGeometry& g) {
    std::unique_ptr<OGRGeometry> copy{g.clone()};
    copy->flattenTo2D();
    copy->setMeasured(FALSE);
    return one(std::move(copy));
}

}  // namespace gdalmcp_vector_more
