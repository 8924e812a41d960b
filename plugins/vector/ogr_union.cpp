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

}  // namespace

std::unique_ptr<OGRGeometry> united(std::vector<shape_ptr> shapes, std::size_t workers, const progress& report) {
    if (shapes.empty()) return nullptr;
    sort_by_place(shapes);
    gdalmcp::crew crew{workers > 1 ? workers : 0};
    std::size_t together = 256;
    double left = 1;
    for (bool first = true; shapes.size() > 1 || first; first = false) {
        const std::size_t chunks = (shapes.size() + together - 1) / together;
        std::vector<shape_ptr> next(chunks);
        for (std::size_t c = 0; c < chunks; ++c) {
            crew.run([&, c](std::size_t) {
                next[c] = united(shapes, c * together, std::min((c + 1) * together, shapes.size()));
                for (std::size_t i = c * together; i < std::min((c + 1) * together, shapes.size()); ++i)
                    shapes[i].reset();
            });
            report(1 - left + left / 2 * static_cast<double>(c) / static_cast<double>(chunks));
        }
        crew.wait();
        shapes = std::move(next);
        together = 4;
        left /= 2;
    }
    return std::move(shapes.front());
}

}  // namespace gdalmcp_vector
