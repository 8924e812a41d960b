// Which of many shapes another one intersects, lies within or contains.
//
//   matcher m{shapes, predicate::within, workers};
//   m.of(point, worker)  // indexes of the polygons it lies within
#pragma once
#include <vector>

#include "geos.hpp"
#include "predicate.hpp"

namespace gdalmcp_vector {

class matcher {
public:
    // Each worker keeps prepared shapes of its own: GEOS completes them while it answers. nullptr and empty shapes
    // match nothing. REQUIRES: the shapes are valid and outlive it.
    matcher(std::vector<const GEOSGeometry*> shapes, predicate, std::size_t workers);

    // Ascending. REQUIRES: valid; one thread at a time for a worker.
    std::vector<std::size_t> of(const GEOSGeometry&, std::size_t worker);

private:
    bool answer(const GEOSGeometry& one, std::size_t other, std::size_t worker, const GEOSPreparedGeometry* ready);
    const GEOSPreparedGeometry& prepared_one(std::size_t other, std::size_t worker);

    std::vector<const GEOSGeometry*> shapes_;
    std::vector<bool> points_;
    predicate predicate_;
    geos::box_index near_;
    std::vector<std::vector<geos::prepared>> prepared_;
    std::vector<std::vector<std::size_t>> found_;  // of each worker, reused
};

}  // namespace gdalmcp_vector
