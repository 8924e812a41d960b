// Two layers of shapes cut by each other.
//
//   overlay o{a, b, overlay_operation::identity, workers};
//   for (std::size_t i = 0; i < a.size(); ++i) for (auto& p : o.of_first(i)) …   // what becomes of a[i]
//
// Shapes of the first layer may be polygons, lines or points, those of the second are polygons. Where polygons of one
// layer overlap, a common part appears once for each pair. Pieces of a lower dimension than the first layer, where
// edges only touch, are left out. All functions may be called by several threads at once.
#pragma once
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "geos.hpp"

namespace gdalmcp_vector {

enum class overlay_operation { intersection, union_of_both, difference, symmetric_difference, identity };

struct overlay_piece {
    static constexpr std::size_t nobody = static_cast<std::size_t>(-1);
    geos::shape shape;
    std::size_t a, b;  // which shapes it belongs to
    bool kept = true;  // part of the result; others are for the balance of areas
};

// Shapes with many vertices, prepared once for each worker: others would walk through all of them.
class large_shapes {
public:
    // They outlive it.
    large_shapes(std::vector<const GEOSGeometry*> all, std::size_t workers) : all_{std::move(all)}, ready_(workers) {}
    // nullptr: it is not large.
    const GEOSPreparedGeometry* ready(std::size_t i, std::size_t worker);

private:
    std::vector<const GEOSGeometry*> all_;
    std::vector<std::unordered_map<std::size_t, geos::prepared>> ready_;
};

class overlay {
public:
    // REQUIRES: all valid and of one dimension; nullptr counts as empty. They outlive it.
    // workers: how many threads call of_first(), each with a number of its own below that.
    overlay(std::vector<const GEOSGeometry*> a, std::vector<const GEOSGeometry*> b, overlay_operation,
            std::size_t workers = 1);

    // Parts in common with shapes of b, and the part outside all of them. For intersection the second is left out; for
    // differences the first are not `kept`. Throws geos::failure.
    std::vector<overlay_piece> of_first(std::size_t i, std::size_t worker = 0);
    // For unions and symmetric differences: the part of a shape of b outside all shapes of a; nullptr: none, or not
    // asked for.
    geos::shape rest_of_second(std::size_t j) const;
    bool wants_second() const {
        return operation_ == overlay_operation::union_of_both || operation_ == overlay_operation::symmetric_difference;
    }
    bool wants_outside() const { return operation_ != overlay_operation::intersection; }
    bool only_outside() const { return operation_ == overlay_operation::difference; }

private:
    std::vector<const GEOSGeometry*> a_, b_;
    overlay_operation operation_;
    large_shapes large_b_;
    geos::box_index near_a_, near_b_;
};

// Whether the polygons are proven not to overlap: the boundaries that no two of them share enclose an area as large as
// that of all together. Overlaps would be missing from it. False: not proven.
bool proven_disjoint(const std::vector<const GEOSGeometry*>& polygons);

// The same with the union, which then is exact; nullptr: not proven.
geos::shape disjoint_union(const std::vector<const GEOSGeometry*>& polygons);

// Pairs of polygons that share more area than rounded vertices give them.
struct overlapping_pairs {
    std::size_t count = 0;
    double area = 0;                                         // of their common parts together
    std::vector<std::pair<std::size_t, std::size_t>> first;  // at most `most_named`
};
inline constexpr std::size_t most_named = 10;
// The area of a polygonal shape, by a worker.
using area_of_worker = std::function<double(const GEOSGeometry&, std::size_t worker)>;
overlapping_pairs find_overlaps(const std::vector<const GEOSGeometry*>& polygons, std::size_t workers,
                                const area_of_worker& area);

struct outline {
    double area = 0, perimeter = 0;
    // 4π area / perimeter², 1 for a circle, about 0.01 for a strip 300 times as long as wide.
    double compactness() const;
    // That of a strip of this area and outline.
    double width() const { return perimeter > 0 ? 2 * area / perimeter : 0; }
};
// In units of y. `x_scale`: metres per unit of x to those of y, cos(latitude) for degrees. 0 for what is no polygon.
outline outline_of(const GEOSGeometry& polygon, double x_scale);

}  // namespace gdalmcp_vector
