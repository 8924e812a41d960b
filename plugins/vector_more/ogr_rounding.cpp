#include "ogr_rounding.hpp"

#include <cmath>

#include "vector/ogr_shapes.hpp"

namespace gdalmcp_vector_more {

using namespace gdalmcp_vector;

pieces rounded(const OGRGeometry& g, int decimals) {
    return by_geos([&] {
        const auto shape = to_shape(g);
        const auto done =
            geos::owned(GEOSGeom_setPrecision_r(geos::handle(), shape.get(), std::pow(10.0, -decimals), 0));
        return geos::empty(*done) ? pieces{} : one_piece(to_ogr(*done));
    });
}

pieces flattened(const OGRGeometry& g) {
    std::unique_ptr<OGRGeometry> copy{g.clone()};
    copy->flattenTo2D();
    copy->setMeasured(FALSE);
    return one_piece(std::move(copy));
}

}  // namespace gdalmcp_vector_more
