#include "overlap.hpp"

namespace gdalmcp_vector {

largest_overlap find_largest_overlap(const GEOSGeometry& polygon, const std::vector<std::size_t>& candidates,
                                     const std::vector<const GEOSGeometry*>& shapes,
                                     const std::function<double(const GEOSGeometry&)>& area) {
    constexpr double same = 1e-9;
    largest_overlap best;
    for (const auto i : candidates) {
        const auto common =
            geos::only_dimension(geos::owned(GEOSIntersection_r(geos::handle(), &polygon, shapes[i])), 2);
        const double shared = common ? area(*common) : 0;
        if (shared <= 0 || shared < best.area * (1 - same)) continue;
        if (shared > best.area * (1 + same)) {
            best.items.clear();
            best.area = shared;
        }
        best.items.push_back(i);
    }
    return best;
}

}  // namespace gdalmcp_vector
