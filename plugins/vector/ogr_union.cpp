#include "ogr_union.hpp"

#include <gdalmcp/crew.hpp>
#include <gdalmcp/gdal_collect.hpp>

#include <algorithm>
#include <cstdint>

namespace gdalmcp_vector {

namespace gdal = gdalmcp::gdal;

namespace {

using shape_ptr = std::unique_ptr<OGRGeometry>;

// The place along a Hilbert curve through 2^16 x 2^16 cells. Source: xy2d in Wikipedia's "Hilbert curve".
std::uint32_t hilbert(std::uint32_t x, std::uint32_t y) {
    std::uint32_t along = 0;
    for (std::uint32_t side = 1U << 15; side > 0; side /= 2) {
        const std::uint32_t right = (x & side) > 0, up = (y & side) > 0;
        along += side * side * ((3 * right) ^ up);
        if (up) continue;
        if (right) {
            x = ~x;
            y = ~y;
        }
        std::swap(x, y);
    }
    return along;
}

void sort_by_place(std::vector<shape_ptr>& shapes) {
    OGREnvelope all, box;
    std::vector<OGREnvelope> boxes;
    for (const auto& s : shapes) {
        s->getEnvelope(&box);
        boxes.push_back(box);
        all.Merge(box);
    }
    const double width = std::max(all.MaxX - all.MinX, 1e-300), height = std::max(all.MaxY - all.MinY, 1e-300);
    std::vector<std::pair<std::uint32_t, std::size_t>> order;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const auto cell = [](double share) { return static_cast<std::uint32_t>(std::clamp(share, 0.0, 1.0) * 65535); };
        order.emplace_back(hilbert(cell(((boxes[i].MinX + boxes[i].MaxX) / 2 - all.MinX) / width),
                                   cell(((boxes[i].MinY + boxes[i].MaxY) / 2 - all.MinY) / height)),
                           i);
    }
    std::sort(order.begin(), order.end());
    std::vector<shape_ptr> sorted;
    for (const auto& [place, i] : order) sorted.push_back(std::move(shapes[i]));
    shapes = std::move(sorted);
}

shape_ptr united(const std::vector<shape_ptr>& shapes, std::size_t from, std::size_t to) {
    OGRMultiPolygon parts;
    for (std::size_t i = from; i < to; ++i) gdal::detail::add_parts(*shapes[i], 2, parts);
    const gdal::quiet silence;
    shape_ptr all{parts.UnionCascaded()};
    if (!all) gdal::raise("GEOS cannot unite the polygons");
    return all;
}

using ring_ptr = std::unique_ptr<OGRLinearRing>;

OGREnvelope box_of(const OGRGeometry& shape) {
    OGREnvelope box;
    shape.getEnvelope(&box);
    return box;
}

std::vector<OGRPolygon*> polygons_of(OGRGeometry& shape) {
    std::vector<OGRPolygon*> all;
    if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbGeometryCollection))
        for (auto* part : *shape.toGeometryCollection()) all.push_back(part->toPolygon());
    else if (!shape.IsEmpty())
        all.push_back(shape.toPolygon());
    return all;
}

// Takes out the holes of `shapes[at]` that neither another shape nor another part of the same one can reach.
void take_holes(const std::vector<shape_ptr>& shapes, std::size_t at, const std::vector<OGREnvelope>& boxes,
                std::vector<ring_ptr>& into) {
    std::vector<OGREnvelope> near;
    for (std::size_t i = 0; i < shapes.size(); ++i)
        if (i != at && boxes[i].Intersects(boxes[at])) near.push_back(boxes[i]);
    const auto parts = polygons_of(*shapes[at]);
    std::vector<OGREnvelope> own;
    for (const auto* p : parts) own.push_back(box_of(*p));
    for (std::size_t k = 0; k < parts.size(); ++k) {
        if (parts[k]->getNumInteriorRings() == 0) continue;
        for (int i = parts[k]->getNumInteriorRings(); i-- > 0;) {
            const auto hole = box_of(*parts[k]->getInteriorRing(i));
            const auto meets = [&](const OGREnvelope& b) { return b.Intersects(hole) != FALSE; };
            if (std::any_of(near.begin(), near.end(), meets)) continue;
            bool island = false;
            for (std::size_t j = 0; j < own.size() && !island; ++j) island = j != k && meets(own[j]);
            if (island) continue;
            into.emplace_back(parts[k]->stealInteriorRing(i));
            parts[k]->removeRing(i + 1);
        }
    }
}

// Each hole into the polygon it lies in.
void put_holes_back(OGRGeometry& shape, std::vector<ring_ptr> holes) {
    const auto parts = polygons_of(shape);
    if (parts.size() == 1) {
        for (auto& hole : holes) parts.front()->addRingDirectly(hole.release());
        return;
    }
    std::vector<OGREnvelope> boxes;
    std::vector<OGRPreparedGeometryUniquePtr> prepared;
    for (auto* p : parts) {
        boxes.push_back(box_of(*p));
        prepared.emplace_back(OGRCreatePreparedGeometry(OGRGeometry::ToHandle(p)));
    }
    std::vector<std::vector<ring_ptr>> of(parts.size());
    for (auto& hole : holes) {
        const auto box = box_of(*hole);
        OGRPoint corner{hole->getX(0), hole->getY(0)};
        std::size_t home = parts.size();
        for (std::size_t i = 0; i < parts.size() && home == parts.size(); ++i)
            if (boxes[i].Contains(box) &&
                OGRPreparedGeometryContains(prepared[i].get(), OGRGeometry::ToHandle(&corner)))
                home = i;
        if (home == parts.size()) throw gdalmcp::error{GDALMCP_INTERNAL, "a hole of the union has no shell"};
        of[home].push_back(std::move(hole));
    }
    prepared.clear();
    for (std::size_t i = 0; i < parts.size(); ++i)
        for (auto& hole : of[i]) parts[i]->addRingDirectly(hole.release());
}

}  // namespace

std::unique_ptr<OGRGeometry> united(std::vector<shape_ptr> shapes, std::size_t workers, const progress& report) {
    if (shapes.empty()) return nullptr;
    sort_by_place(shapes);
    std::vector<shape_ptr> next;
    std::vector<ring_ptr> holes;
    gdalmcp::crew crew{workers > 1 ? workers : 0};  // ends before what it works on
    std::size_t together = 128;
    double left = 1;
    for (bool first = true; shapes.size() > 1 || first; first = false) {
        const std::size_t chunks = (shapes.size() + together - 1) / together;
        next.clear();
        next.resize(chunks);
        for (std::size_t c = 0; c < chunks; ++c) {
            crew.run([&, c](std::size_t) {
                next[c] = united(shapes, c * together, std::min((c + 1) * together, shapes.size()));
                for (std::size_t i = c * together; i < std::min((c + 1) * together, shapes.size()); ++i)
                    shapes[i].reset();
            });
            report(1 - left + left / 2 * static_cast<double>(c) / static_cast<double>(chunks));
        }
        crew.wait();
        shapes.swap(next);
        std::vector<OGREnvelope> boxes;
        for (const auto& s : shapes) boxes.push_back(box_of(*s));
        for (std::size_t i = 0; shapes.size() > 1 && i < shapes.size(); ++i) take_holes(shapes, i, boxes, holes);
        together = 4;
        left /= 2;
    }
    put_holes_back(*shapes.front(), std::move(holes));
    return std::move(shapes.front());
}

}  // namespace gdalmcp_vector
