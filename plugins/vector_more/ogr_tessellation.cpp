#include "ogr_tessellation.hpp"

#include <map>

#include "vector/ogr_shapes.hpp"

namespace gdalmcp_vector_more {

using namespace gdalmcp_vector;
using geos::handle;
namespace gdal = gdalmcp::gdal;

namespace {

struct site {
    OGRRawPoint place;   // in the plane
    std::size_t member;  // of the collection
};

// The different places of the points, in the order of the collection.
std::vector<site> sites_of(const OGRGeometryCollection& all, const OGRGeometry& flat, GIntBig& duplicates) {
    std::vector<std::size_t> members;
    for (int i = 0; i < all.getNumGeometries(); ++i) {
        const auto& own = *all.getGeometryRef(i);
        if (own.getDimension() > 0) throw unusable{"it is no point: derive centroid or vertices first"};
        const std::unique_ptr<OGRGeometry> copy{own.clone()};
        gdal::for_each_vertex(*copy, [&](const OGRPoint&) { members.push_back(static_cast<std::size_t>(i)); });
    }
    std::vector<site> sites;
    std::map<std::pair<double, double>, std::size_t> known;
    std::size_t vertex = 0;
    const std::unique_ptr<OGRGeometry> copy{flat.clone()};
    gdal::for_each_vertex(*copy, [&](const OGRPoint& p) {
        const auto member = members[vertex++];
        if (known.try_emplace({p.getX(), p.getY()}, member).second)
            sites.push_back({{p.getX(), p.getY()}, member});
        else
            ++duplicates;
    });
    return sites;
}

// Which cell each site lies in. Cells of two sites never are the same.
std::vector<const GEOSGeometry*> cells_of(const std::vector<site>& sites, const GEOSGeometry& diagram) {
    std::vector<const GEOSGeometry*> cells;
    const int n = GEOSGetNumGeometries_r(handle(), &diagram);
    for (int i = 0; i < n; ++i) cells.push_back(GEOSGetGeometryN_r(handle(), &diagram, i));
    const geos::box_index index{cells};
    std::vector<const GEOSGeometry*> of;
    std::vector<std::size_t> near;
    for (const auto& s : sites) {
        const auto point = geos::owned(GEOSGeom_createPointFromXY_r(handle(), s.place.x, s.place.y));
        index.near(*point, near);
        const GEOSGeometry* found = nullptr;
        for (const auto i : near)
            if (geos::yes(GEOSContains_r(handle(), cells[i], point.get()))) found = cells[i];
        of.push_back(found);
    }
    if (cells.size() != sites.size() || std::find(of.begin(), of.end(), nullptr) != of.end())
        throw unusable{"GEOS makes " + std::to_string(cells.size()) + " cells of " + std::to_string(sites.size()) +
                       " places: some lie too close together, round them first"};
    return of;
}

}  // namespace

tessellation voronoi(const OGRGeometryCollection& points, metric_frame& frame) {
    return by_geos([&] {
        tessellation done;
        const auto flat = frame.flat(points, false);
        const auto sites = sites_of(points, *flat.shape, done.duplicates);
        if (sites.size() < 2) return done;
        const auto diagram = geos::owned(GEOSVoronoiDiagram_r(handle(), to_shape(*flat.shape).get(), nullptr, 0, 0));
        const auto cells = cells_of(sites, *diagram);
        for (std::size_t i = 0; i < sites.size(); ++i)
            done.made.push_back({frame.back(*to_ogr(*cells[i]), flat), {}, sites[i].member});
        return done;
    });
}

tessellation delaunay(const OGRGeometryCollection& shapes, metric_frame& frame) {
    return by_geos([&] {
        tessellation done;
        const auto flat = frame.flat(shapes, false);
        const auto triangles = geos::owned(GEOSDelaunayTriangulation_r(handle(), to_shape(*flat.shape).get(), 0, 0));
        const int n = GEOSGetNumGeometries_r(handle(), triangles.get());
        OGRGeometryCollection all;
        for (int i = 0; i < n; ++i)
            all.addGeometryDirectly(to_ogr(*GEOSGetGeometryN_r(handle(), triangles.get(), i)).release());
        const auto placed = frame.back_by_vertices(all, shapes, flat);
        for (const auto* triangle : *placed->toGeometryCollection())
            done.made.push_back({std::unique_ptr<OGRGeometry>{triangle->clone()}});
        return done;
    });
}

}  // namespace gdalmcp_vector_more
