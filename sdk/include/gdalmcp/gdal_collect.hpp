// gdalmcp/gdal_collect.hpp — the features of a layer as one geometry, and GEOS' reason for an invalid one. Header-only;
// link GDAL.
#pragma once
#include <gdalmcp/gdal_arcs.hpp>
#include <gdalmcp/gdal_area.hpp>
#include <gdalmcp/gdal_geojson_losses.hpp>
#include <gdalmcp/gdal_unread.hpp>
#include <gdalmcp/gdal_wide_edges.hpp>

#include <cmath>

namespace gdalmcp::gdal {

namespace detail {

// The vertex of a line that has no other, as segments of recorded tracks do: GEOS takes no geometry with such a line.
inline std::optional<OGRPoint> lone_vertex(const OGRGeometry& shape) {
    struct visitor : OGRDefaultConstGeometryVisitor {
        using OGRDefaultConstGeometryVisitor::visit;
        std::optional<OGRPoint> found{};
        void visit(const OGRLinearRing*) override {}
        void visit(const OGRLineString* line) override {
            if (line->getNumPoints() == 1) line->getPoint(0, &found.emplace());
        }
    } each;
    shape.accept(&each);
    return each.found;
}

// Whether all vertices of polygons have finite coordinates.
inline bool has_places(const OGRGeometry& polygons) {
    struct visitor : OGRDefaultConstGeometryVisitor {
        using OGRDefaultConstGeometryVisitor::visit;
        bool finite = true;
        void visit(const OGRLinearRing* ring) override {
            for (int i = 0; i < ring->getNumPoints(); ++i)
                finite = finite && std::isfinite(ring->getX(i)) && std::isfinite(ring->getY(i));
        }
    } each;
    polygons.accept(&each);
    return each.finite;
}

// The shape without such lines.
inline void drop_lone_vertices(OGRGeometry& shape) {
    const bool line = wkbFlatten(shape.getGeometryType()) == wkbLineString;
    if (line && shape.toLineString()->getNumPoints() == 1) shape.empty();
    if (!OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbGeometryCollection)) return;
    auto& parts = *shape.toGeometryCollection();
    for (int i = parts.getNumGeometries() - 1; i >= 0; --i) {
        auto& part = *parts.getGeometryRef(i);
        if (part.IsEmpty()) continue;
        drop_lone_vertices(part);
        if (part.IsEmpty()) parts.removeGeometry(i);
    }
}

}  // namespace detail

// TINs, polyhedral surfaces and triangles as polygons, a face each, also those in a collection; nullptr: it has none.
inline geometry_ptr surfaces_as_polygons(const OGRGeometry& shape) {
    const auto type = wkbFlatten(shape.getGeometryType());
    if (type == wkbTriangle) return geometry_ptr{OGRGeometryFactory::forceToPolygon(shape.clone())};
    if (type == wkbTIN || type == wkbPolyhedralSurface)
        return geometry_ptr{OGRGeometryFactory::forceToMultiPolygon(shape.clone())};
    if (type != wkbGeometryCollection) return nullptr;
    auto all = std::make_unique<OGRGeometryCollection>();
    bool any = false;
    for (const auto* part : *shape.toGeometryCollection()) {
        auto polygons = surfaces_as_polygons(*part);
        any = any || polygons;
        all->addGeometryDirectly(polygons ? polygons.release() : part->clone());
    }
    return any ? std::move(all) : nullptr;
}

// Why GEOS finds a geometry invalid, with the place: "Self-intersection at or near point 1 1"; empty when it is valid.
// Faces of a surface are polygons of the plan here, where those of most surfaces meet or overlap.
inline std::string invalid_reason(const OGRGeometry& shape) {
    const quiet silence;
    if (wkbFlatten(shape.getGeometryType()) == wkbGeometryCollection) {  // GEOS passes over parts of several parts
        for (const auto* part : *shape.toGeometryCollection())
            if (auto why = invalid_reason(*part); !why.empty()) return why;
        return {};
    }
    if (const auto faces = surfaces_as_polygons(shape))
        return faces->IsValid() ? "" : "Faces of a surface that meet or overlap in the plan";
    std::string why;
    CPLPushErrorHandlerEx(
        [](CPLErr, CPLErrorNum, const char* message) {
            auto& first = *static_cast<std::string*>(CPLGetErrorHandlerUserData());
            if (first.empty()) first = message;
        },
        &why);
    const bool valid = shape.IsValid() != FALSE;
    CPLPopErrorHandler();
    if (valid) return {};
    if (const auto lone = detail::lone_vertex(shape))
        return "Line of one vertex at or near point " + number_text(lone->getX()) + " " + number_text(lone->getY());
    return why.empty() ? "GEOS gives no reason" : why;
}

struct collected {
    geometry_ptr shape;  // XY: polygons dissolved, lines and points collected; nullptr: no feature has a geometry
    GIntBig features = 0, without_geometry = 0;
    std::vector<GIntBig> repaired;  // ids of features whose outline was invalid
};

// An invalid shape made valid by GEOS' structure method: what rings cover together is kept, holes are cut out of it,
// lines and points that a polygon collapses to are dropped. Rings that are not closed are closed first, and lines of
// one vertex dropped; m values of polygons as well: GEOS 3.13 makes 0 of some. Of a surface: what its faces cover
// together in the plan, without heights. Empty where nothing is left; nullptr where GEOS cannot repair it, and for a
// surface with a vertex that is no place.
inline geometry_ptr valid_form(const OGRGeometry& shape) {
    constexpr const char* options[] = {"METHOD=STRUCTURE", "KEEP_COLLAPSED=NO", nullptr};
    const quiet silence;
    geometry_ptr closed = surfaces_as_polygons(shape);
    if (wkbFlatten(shape.getGeometryType()) == wkbGeometryCollection) {
        auto parts = std::make_unique<OGRGeometryCollection>();
        for (const auto* part : *shape.toGeometryCollection()) {
            auto valid = valid_form(*part);
            if (!valid) return nullptr;
            if (closed) valid->flattenTo2D();
            if (!valid->IsEmpty()) parts->addGeometryDirectly(valid.release());
        }
        return parts;
    }
    if (closed) {
        closed->flattenTo2D();
        if (!detail::has_places(*closed)) return nullptr;  // GEOS would drop the face
    } else
        closed.reset(shape.clone());
    if (shape.getDimension() == 2) closed->setMeasured(FALSE);
    if (geometry_ptr valid{closed->MakeValid(options)}) return valid;
    closed->closeRings();
    if (detail::lone_vertex(*closed)) {
        detail::drop_lone_vertices(*closed);
        if (closed->IsEmpty() || closed->IsValid()) return closed;
    }
    return geometry_ptr{closed->MakeValid(options)};
}

namespace detail {

inline void add_parts(const OGRGeometry& g, int dimension, OGRGeometryCollection& into) {
    if (OGR_GT_IsSubClassOf(g.getGeometryType(), wkbGeometryCollection)) {
        for (const auto* part : *g.toGeometryCollection()) add_parts(*part, dimension, into);
    } else if (!g.IsEmpty() && g.getDimension() == dimension) {
        into.addGeometry(&g);
    }
}

// The shape made valid, of its own dimension. Empty where nothing of that dimension is left; nullptr where GEOS cannot
// repair it.
inline geometry_ptr repaired(const OGRGeometry& shape) {
    const auto valid = valid_form(shape);
    if (!valid) return nullptr;
    const int dimension = shape.getDimension();
    std::unique_ptr<OGRGeometryCollection> parts;
    if (dimension == 2) parts = std::make_unique<OGRMultiPolygon>();
    if (dimension == 1) parts = std::make_unique<OGRMultiLineString>();
    if (dimension == 0) parts = std::make_unique<OGRMultiPoint>();
    add_parts(*valid, dimension, *parts);
    if (parts->getNumGeometries() == 1) return geometry_ptr{parts->getGeometryRef(0)->clone()};
    return parts;
}

}  // namespace detail

// REQUIRES: the layer is not being read. `name`: of the dataset, for errors. `wide`: sees every geometry before they
// are united. Throws for more than `max_vertices`, for layers that mix points, lines and polygons, and for features
// that cannot be read.
inline collected collect_features(OGRLayer& layer, const std::string& name, std::size_t max_vertices,
                                  wide_edges& wide) {
    collected out;
    std::unique_ptr<OGRGeometryCollection> parts;
    std::size_t vertices = 0;
    int dimension = -1;
    CPLErrorReset();
    layer.ResetReading();
    while (const OGRFeatureUniquePtr f{layer.GetNextFeature()}) {
        if (CPLGetLastErrorType() >= CE_Failure) break;
        const auto* own = f->GetGeometryRef();
        if (!own || own->IsEmpty()) {
            ++out.without_geometry;
            continue;
        }
        geometry_ptr flat{straightened(*own)};
        flat->flattenTo2D();
        flat->setMeasured(FALSE);
        vertices += static_cast<std::size_t>(flat->WkbSize()) / (2 * sizeof(double));
        if (vertices > max_vertices)
            throw error{GDALMCP_EXHAUSTED, name + " has more than " + std::to_string(max_vertices) + " vertices",
                        "select fewer features with vector_query"};
        if (dimension < 0) {
            dimension = flat->getDimension();
            if (dimension == 2) parts = std::make_unique<OGRMultiPolygon>();
            if (dimension == 1) parts = std::make_unique<OGRMultiLineString>();
            if (dimension == 0) parts = std::make_unique<OGRMultiPoint>();
        }
        if (flat->getDimension() != dimension)
            throw error{GDALMCP_INVALID_ARGUMENT, name + " mixes points, lines or polygons",
                        "select those of one kind with vector_query and where \"OGR_GEOMETRY LIKE '%POLYGON'\" (or "
                        "LINESTRING, POINT)"};
        wide.see(*flat, f->GetFID());
        if (dimension == 2 && !invalid_reason(*flat).empty()) {
            flat = detail::repaired(*flat);
            if (!flat) raise("cannot repair feature " + std::to_string(f->GetFID()) + " of " + name);
            out.repaired.push_back(f->GetFID());
        }
        detail::add_parts(*flat, dimension, *parts);
        ++out.features;
    }
    if (CPLGetLastErrorType() >= CE_Failure) raise(name + " cannot be read whole", "get an intact copy of the file");
    if (const auto lost = lost_geometries{layer}.first(); !lost.empty())
        throw error{GDALMCP_IO, name + " cannot be read whole: " + lost, "get an intact copy of the file"};
    if (const auto read = out.features + out.without_geometry; const auto unread = unread_features(layer, read))
        CPLError(CE_Warning, CPLE_AppDefined, "%s", unread_text(layer, read, unread).c_str());
    if (!parts) return out;
    if (dimension == 2 && parts->getNumGeometries() > 1)
        out.shape.reset(parts->UnionCascaded());
    else if (parts->getNumGeometries() == 1)
        out.shape.reset(parts->getGeometryRef(0)->clone());
    else
        out.shape = std::move(parts);
    if (!out.shape) raise("GEOS cannot unite the features of " + name);
    return out;
}

}  // namespace gdalmcp::gdal
