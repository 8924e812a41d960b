#include "overlay.hpp"

#include <gdalmcp/crew.hpp>

#include <algorithm>
#include <cmath>

namespace gdalmcp_vector {

using geos::handle;
using geos::owned;
using geos::yes;

namespace {

// What is left of a shape outside others.
geos::shape outside(const GEOSGeometry& one, const std::vector<const GEOSGeometry*>& others) {
    const int dimension = geos::dimension(one);
    if (others.empty()) return owned(GEOSGeom_clone_r(handle(), &one));
    if (others.size() == 1)
        return geos::only_dimension(owned(GEOSDifference_r(handle(), &one, others.front())), dimension);
    // United first: one after another would leave splinters along the edges they share.
    const auto all = owned(GEOSUnaryUnion_r(handle(), geos::collected(others).get()));
    return geos::only_dimension(owned(GEOSDifference_r(handle(), &one, all.get())), dimension);
}

bool holds(const geos::box& outer, const geos::box& inner) {
    return outer.minx <= inner.minx && outer.miny <= inner.miny && outer.maxx >= inner.maxx && outer.maxy >= inner.maxy;
}

}  // namespace

overlay::overlay(std::vector<const GEOSGeometry*> a, std::vector<const GEOSGeometry*> b, overlay_operation operation,
                 std::size_t workers)
    : a_{std::move(a)},
      b_{std::move(b)},
      operation_{operation},
      large_b_{b_, workers},
      near_a_{wants_second() ? a_ : std::vector<const GEOSGeometry*>{}},
      near_b_{b_} {}

const GEOSPreparedGeometry* large_shapes::ready(std::size_t i, std::size_t worker) {
    constexpr int many = 500;  // vertices
    const auto found = ready_[worker].find(i);
    if (found != ready_[worker].end()) return found->second.get();
    if (GEOSGetNumCoordinates_r(handle(), all_[i]) < many) return nullptr;
    return ready_[worker].emplace(i, geos::prepare(*all_[i])).first->second.get();
}

std::vector<overlay_piece> overlay::of_first(std::size_t i, std::size_t worker) {
    std::vector<overlay_piece> pieces;
    if (!a_[i]) return pieces;
    const auto& one = *a_[i];
    const int dimension = geos::dimension(one);
    const bool keeps_common =
        operation_ != overlay_operation::difference && operation_ != overlay_operation::symmetric_difference;
    thread_local std::vector<std::size_t> found;
    near_b_.near(one, found);
    std::sort(found.begin(), found.end());
    std::vector<const GEOSGeometry*> others;
    bool covered = false, any_large = false;
    if (!found.empty()) {
        const auto ready = geos::prepare(one);
        const auto box = geos::box_of(one);
        for (const auto j : found) {
            const auto* const large = large_b_.ready(j, worker);
            if (!yes(large ? GEOSPreparedIntersects_r(handle(), large, &one)
                           : GEOSPreparedIntersects_r(handle(), ready.get(), b_[j])))
                continue;
            geos::shape common;
            const bool within =
                large && holds(geos::box_of(*b_[j]), box) && yes(GEOSPreparedCovers_r(handle(), large, &one));
            if (within)
                common = owned(GEOSGeom_clone_r(handle(), &one));
            else if (dimension == 2 && holds(box, geos::box_of(*b_[j])) &&
                     yes(GEOSPreparedContains_r(handle(), ready.get(), b_[j])))
                common = owned(GEOSGeom_clone_r(handle(), b_[j]));
            else
                common = geos::only_dimension(owned(GEOSIntersection_r(handle(), &one, b_[j])), dimension);
            if (!common) continue;
            pieces.push_back({std::move(common), i, j, keeps_common});
            others.push_back(b_[j]);
            covered = covered || within;
            any_large = any_large || large;
        }
        covered = covered || (!any_large && others.size() == 1 && holds(geos::box_of(*others.front()), box) &&
                              yes(GEOSCovers_r(handle(), others.front(), &one)));
    }
    if (wants_outside() && !covered)
        if (auto rest = outside(one, others)) pieces.push_back({std::move(rest), i, overlay_piece::nobody});
    return pieces;
}

geos::shape overlay::rest_of_second(std::size_t j) const {
    if (!wants_second() || !b_[j]) return nullptr;
    const auto& one = *b_[j];
    thread_local std::vector<std::size_t> found;
    near_a_.near(one, found);
    std::sort(found.begin(), found.end());
    std::vector<const GEOSGeometry*> others;
    if (!found.empty()) {
        const auto ready = geos::prepare(one);
        for (const auto i : found)
            if (yes(GEOSPreparedIntersects_r(handle(), ready.get(), a_[i]))) others.push_back(a_[i]);
    }
    return outside(one, others);
}

geos::shape disjoint_union(const std::vector<const GEOSGeometry*>& polygons) {
    std::vector<const GEOSGeometry*> all;
    double sum = 0;
    for (const auto* p : polygons)
        if (p) {
            all.push_back(p);
            sum += geos::area(*p);
        }
    if (all.empty()) return nullptr;
    geos::shape outline{GEOSCoverageUnion_r(handle(), geos::collected(all).get())};
    if (!outline || GEOSisValid_r(handle(), outline.get()) != 1) return nullptr;
    return std::abs(geos::area(*outline) - sum) <= 1e-9 * sum ? std::move(outline) : nullptr;
}

bool proven_disjoint(const std::vector<const GEOSGeometry*>& polygons) { return disjoint_union(polygons) != nullptr; }

namespace {

// Whether what two polygons share is what rounded vertices make of a common edge: no area to speak of, or a strip no
// wider than the last digits of its coordinates.
bool of_rounding(const GEOSGeometry& common, const GEOSGeometry& one, const GEOSGeometry& other) {
    constexpr double no_area = 1e-9, last_digits = 1e-14;
    const double shared = geos::area(common);
    if (shared <= no_area * std::min(geos::area(one), geos::area(other))) return true;
    const auto box = geos::box_of(common);
    const double reach = std::max({std::abs(box.minx), std::abs(box.maxx), std::abs(box.miny), std::abs(box.maxy)});
    return 2 * shared <= last_digits * reach * geos::length(common);
}

}  // namespace

overlapping_pairs find_overlaps(const std::vector<const GEOSGeometry*>& polygons, std::size_t workers,
                                const area_of_worker& area) {
    const geos::box_index near{polygons};
    constexpr std::size_t portion = 500;
    std::vector<overlapping_pairs> parts((polygons.size() + portion - 1) / portion);
    large_shapes large{polygons, workers};
    const auto within = [](const GEOSPreparedGeometry* outer, const GEOSGeometry* inner) {
        return outer && yes(GEOSPreparedCovers_r(handle(), outer, inner));
    };
    // ready: of polygon i, made where it is needed.
    const auto common_part = [&](std::size_t i, std::size_t j, std::size_t worker, geos::prepared& ready) {
        const auto *one = polygons[i], *other = polygons[j];
        const auto *large_one = large.ready(i, worker), *large_other = large.ready(j, worker);
        if (!large_other && !large_one && !ready) ready = geos::prepare(*one);
        const bool meet = large_other
                              ? yes(GEOSPreparedIntersects_r(handle(), large_other, one))
                              : yes(GEOSPreparedIntersects_r(handle(), large_one ? large_one : ready.get(), other));
        if (!meet) return geos::shape{};
        if (within(large_other, one)) return owned(GEOSGeom_clone_r(handle(), one));
        if (within(large_one, other)) return owned(GEOSGeom_clone_r(handle(), other));
        // Most neighbours only touch, which takes less to tell than their common part, but not where one is large.
        if (!large_one && !large_other && !yes(GEOSRelatePattern_r(handle(), one, other, "T********")))
            return geos::shape{};
        return geos::only_dimension(owned(GEOSIntersection_r(handle(), one, other)), 2);
    };
    const auto look = [&](std::size_t part, std::size_t worker) {
        auto& all = parts[part];
        std::vector<std::size_t> found;
        for (auto i = part * portion; i < std::min((part + 1) * portion, polygons.size()); ++i) {
            if (!polygons[i]) continue;
            near.near(*polygons[i], found);
            std::sort(found.begin(), found.end());
            geos::prepared ready;
            for (const auto j : found) {
                if (j <= i) continue;
                const auto common = common_part(i, j, worker, ready);
                if (!common || of_rounding(*common, *polygons[i], *polygons[j])) continue;
                ++all.count;
                all.area += area(*common, worker);
                if (all.first.size() < most_named) all.first.emplace_back(i, j);
            }
        }
    };
    gdalmcp::crew crew{workers};
    for (std::size_t part = 0; part < parts.size(); ++part)
        crew.run([&, part](std::size_t worker) { look(part, worker); });
    crew.wait();
    overlapping_pairs all;
    for (const auto& part : parts) {
        all.count += part.count;
        all.area += part.area;
        for (const auto& pair : part.first)
            if (all.first.size() < most_named) all.first.push_back(pair);
    }
    return all;
}

double outline::compactness() const {
    return perimeter > 0 ? 4 * 3.14159265358979323846 * area / (perimeter * perimeter) : 0;
}

outline outline_of(const GEOSGeometry& polygon, double x_scale) {
    outline all;
    std::vector<double> xy;
    const auto add = [&](const GEOSGeometry& ring, double sign) {
        const auto* s = GEOSGeom_getCoordSeq_r(handle(), &ring);
        unsigned n = 0;
        if (!s || GEOSCoordSeq_getSize_r(handle(), s, &n) != 1) geos::fail();
        xy.resize(2 * static_cast<std::size_t>(n));
        if (GEOSCoordSeq_copyToBuffer_r(handle(), s, xy.data(), 0, 0) != 1) geos::fail();
        double twice = 0;
        for (std::size_t i = 0; i + 3 < xy.size(); i += 2) {
            const double dx = (xy[i + 2] - xy[i]) * x_scale, dy = xy[i + 3] - xy[i + 1];
            all.perimeter += std::hypot(dx, dy);
            twice += (xy[i] - xy[0]) * x_scale * dy - (xy[i + 1] - xy[1]) * dx;
        }
        all.area += sign * std::abs(twice) / 2;
    };
    geos::for_each_part(polygon, [&](const GEOSGeometry& part) {
        if (GEOSGeomTypeId_r(handle(), &part) != GEOS_POLYGON || geos::empty(part)) return;
        add(*GEOSGetExteriorRing_r(handle(), &part), 1);
        const int holes = GEOSGetNumInteriorRings_r(handle(), &part);
        for (int i = 0; i < holes; ++i) add(*GEOSGetInteriorRingN_r(handle(), &part, i), -1);
    });
    return all;
}

}  // namespace gdalmcp_vector
