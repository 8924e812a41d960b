#include "matches.hpp"

#include <algorithm>

namespace gdalmcp_vector {

using geos::handle;
using geos::yes;

matcher::matcher(std::vector<const GEOSGeometry*> shapes, predicate p, std::size_t workers)
    : shapes_{std::move(shapes)}, predicate_{p}, near_{shapes_}, prepared_(workers), found_(workers) {
    for (auto& of_worker : prepared_) of_worker.resize(shapes_.size());
    for (const auto* s : shapes_) points_.push_back(s && geos::dimension(*s) == 0);
}

const GEOSPreparedGeometry& matcher::prepared_one(std::size_t other, std::size_t worker) {
    auto& p = prepared_[worker][other];
    if (!p) p = geos::prepare(*shapes_[other]);
    return *p;
}

// `ready`: of `one`, where preparing it pays.
bool matcher::answer(const GEOSGeometry& one, std::size_t other, std::size_t worker,
                     const GEOSPreparedGeometry* ready) {
    switch (predicate_) {
        case predicate::intersects:
            return ready ? yes(GEOSPreparedIntersects_r(handle(), ready, shapes_[other]))
                         : yes(GEOSPreparedIntersects_r(handle(), &prepared_one(other, worker), &one));
        case predicate::within:
            return yes(GEOSPreparedContains_r(handle(), &prepared_one(other, worker), &one));
        case predicate::contains:
            return ready ? yes(GEOSPreparedContains_r(handle(), ready, shapes_[other]))
                         : yes(GEOSContains_r(handle(), &one, shapes_[other]));
    }
    return false;
}

std::vector<std::size_t> matcher::of(const GEOSGeometry& one, std::size_t worker) {
    std::vector<std::size_t> matched;
    if (geos::empty(one)) return matched;
    auto& found = found_[worker];
    near_.near(one, found);
    geos::prepared ready;
    constexpr std::size_t many = 8;
    const bool pays = geos::dimension(one) > 0 && predicate_ != predicate::within && !found.empty() &&
                      (found.size() >= many || points_[found.front()]);
    if (pays) ready = geos::prepare(one);
    for (const auto i : found)
        if (answer(one, i, worker, ready.get())) matched.push_back(i);
    std::sort(matched.begin(), matched.end());
    return matched;
}

}  // namespace gdalmcp_vector
