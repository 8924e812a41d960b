// GEOS with owners: a context for each thread, geometries, prepared geometries, an index of boxes. Geometries may be
// used by any thread, but prepared ones and the first look at a geometry's box by one at a time.
#pragma once
#include <geos_c.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gdalmcp_vector::geos {

struct failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct context {
    GEOSContextHandle_t handle = GEOS_init_r();
    std::string last;  // what GEOS said
    context() {
        GEOSContext_setErrorMessageHandler_r(
            handle, [](const char* text, void* self) { static_cast<context*>(self)->last = text; }, this);
    }
    ~context() { GEOS_finish_r(handle); }
    context(const context&) = delete;
    context& operator=(const context&) = delete;
};

// Of the calling thread.
inline context& here() {
    thread_local context own;
    return own;
}
inline GEOSContextHandle_t handle() { return here().handle; }

[[noreturn]] inline void fail() {
    throw failure{here().last.empty() ? std::string{"GEOS gives no reason"} : here().last};
}

struct destroyer {
    void operator()(GEOSGeometry* g) const { GEOSGeom_destroy_r(handle(), g); }
    void operator()(const GEOSPreparedGeometry* g) const { GEOSPreparedGeom_destroy_r(handle(), g); }
    void operator()(GEOSSTRtree* t) const { GEOSSTRtree_destroy_r(handle(), t); }
};
using shape = std::unique_ptr<GEOSGeometry, destroyer>;
using prepared = std::unique_ptr<const GEOSPreparedGeometry, destroyer>;

// Of what a function of GEOS returned. Throws failure.
inline shape owned(GEOSGeometry* g) {
    if (!g) fail();
    return shape{g};
}
inline bool yes(char answer) {
    if (answer == 2) fail();
    return answer == 1;
}

inline prepared prepare(const GEOSGeometry& g) {
    prepared p{GEOSPrepare_r(handle(), &g)};
    if (!p) fail();
    return p;
}
inline bool empty(const GEOSGeometry& g) { return yes(GEOSisEmpty_r(handle(), &g)); }
// 0 points, 1 lines, 2 polygons; of a collection the highest.
inline int dimension(const GEOSGeometry& g) { return GEOSGeom_getDimensions_r(handle(), &g); }
inline double area(const GEOSGeometry& g) {
    double a = 0;
    if (GEOSArea_r(handle(), &g, &a) != 1) fail();
    return a;
}
inline double length(const GEOSGeometry& g) {
    double l = 0;
    if (GEOSLength_r(handle(), &g, &l) != 1) fail();
    return l;
}

struct box {
    double minx = 0, miny = 0, maxx = 0, maxy = 0;
};
// REQUIRES: not empty.
inline box box_of(const GEOSGeometry& g) {
    box b;
    if (GEOSGeom_getXMin_r(handle(), &g, &b.minx) != 1 || GEOSGeom_getYMin_r(handle(), &g, &b.miny) != 1 ||
        GEOSGeom_getXMax_r(handle(), &g, &b.maxx) != 1 || GEOSGeom_getYMax_r(handle(), &g, &b.maxy) != 1)
        fail();
    return b;
}

// Calls `each` for every part that is no collection itself.
template <class F>
void for_each_part(const GEOSGeometry& g, F&& each) {
    const int type = GEOSGeomTypeId_r(handle(), &g);
    if (type < GEOS_MULTIPOINT) return each(g);
    const int n = GEOSGetNumGeometries_r(handle(), &g);
    for (int i = 0; i < n; ++i) for_each_part(*GEOSGetGeometryN_r(handle(), &g, i), each);
}

// The parts of one dimension, as one geometry; nullptr: there is none.
inline shape only_dimension(shape g, int wanted) {
    if (empty(*g)) return nullptr;
    const int type = GEOSGeomTypeId_r(handle(), g.get());
    if (type != GEOS_GEOMETRYCOLLECTION) return dimension(*g) == wanted ? std::move(g) : nullptr;
    std::vector<GEOSGeometry*> parts;
    for_each_part(*g, [&](const GEOSGeometry& part) {
        if (!empty(part) && dimension(part) == wanted) parts.push_back(GEOSGeom_clone_r(handle(), &part));
    });
    if (parts.empty()) return nullptr;
    if (parts.size() == 1) return shape{parts.front()};
    constexpr int multi[] = {GEOS_MULTIPOINT, GEOS_MULTILINESTRING, GEOS_MULTIPOLYGON};
    return owned(
        GEOSGeom_createCollection_r(handle(), multi[wanted], parts.data(), static_cast<unsigned>(parts.size())));
}

// Copies of shapes as one collection, which GEOS' unions take.
inline shape collected(const std::vector<const GEOSGeometry*>& shapes) {
    std::vector<GEOSGeometry*> parts;
    for (const auto* s : shapes) parts.push_back(GEOSGeom_clone_r(handle(), s));
    return owned(GEOSGeom_createCollection_r(handle(), GEOS_GEOMETRYCOLLECTION, parts.data(),
                                             static_cast<unsigned>(parts.size())));
}

// Why a geometry is invalid, with the place; empty when it is valid.
inline std::string invalid_reason(const GEOSGeometry& g) {
    if (dimension(g) == 0 || yes(GEOSisValid_r(handle(), &g))) return {};
    char* reason = nullptr;
    GEOSGeometry* at = nullptr;
    GEOSisValidDetail_r(handle(), &g, 0, &reason, &at);
    std::string text = reason ? reason : "invalid";
    GEOSFree_r(handle(), reason);
    const shape place{at};
    double x = 0, y = 0;
    if (at && GEOSGeomGetX_r(handle(), at, &x) == 1 && GEOSGeomGetY_r(handle(), at, &y) == 1) {
        char b[80];
        std::snprintf(b, sizeof b, " at or near point %.15g %.15g", x, y);
        text += b;
    }
    return text;
}

// Which of many shapes have a box that meets that of another. It may be asked by all threads at once.
class box_index {
public:
    // Empty ones and nullptr are never found. REQUIRES: the shapes outlive it.
    explicit box_index(const std::vector<const GEOSGeometry*>& shapes) : tree_{GEOSSTRtree_create_r(handle(), 10)} {
        if (!tree_) fail();
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            if (!shapes[i] || empty(*shapes[i])) continue;
            first_ = first_ ? first_ : shapes[i];
            GEOSSTRtree_insert_r(handle(), tree_.get(), shapes[i], reinterpret_cast<void*>(i));
        }
        std::vector<std::size_t> built_by_the_first_question;
        if (first_) near(*first_, built_by_the_first_question);
    }
    // Replaces `found`, in no order.
    void near(const GEOSGeometry& g, std::vector<std::size_t>& found) const {
        found.clear();
        if (!first_) return;
        GEOSSTRtree_query_r(
            handle(), tree_.get(), &g,
            [](void* item, void* all) {
                static_cast<std::vector<std::size_t>*>(all)->push_back(reinterpret_cast<std::uintptr_t>(item));
            },
            &found);
    }

private:
    std::unique_ptr<GEOSSTRtree, destroyer> tree_;
    const GEOSGeometry* first_ = nullptr;
};

}  // namespace gdalmcp_vector::geos
