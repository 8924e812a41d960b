#include "ogr_cell_layer.hpp"

#include <limits>

namespace gdalmcp_aggregation_more {
namespace {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

constexpr double most_cells = 1e6, undefined = std::numeric_limits<double>::quiet_NaN();
constexpr double rounding = 1e-9;  // of a cell

std::unique_ptr<OGRGeometry> outline_of(const cell_lattice& lattice, const cell_index& cell) {
    auto ring = std::make_unique<OGRLinearRing>();
    for (const auto& [x, y] : lattice.corners(cell)) ring->addPoint(x, y);
    ring->closeRings();
    auto outline = std::make_unique<OGRPolygon>();
    outline->addRingDirectly(ring.release());
    outline->flattenTo2D();
    return outline;
}

// The share of a cell that lies in an area. Only cells that its outline cuts are intersected with it.
class share_inside {
public:
    explicit share_inside(const OGRGeometry& area)
        : area_{area}, prepared_{OGRCreatePreparedGeometry(OGRGeometry::ToHandle(const_cast<OGRGeometry*>(&area)))} {}

    double of(OGRGeometry& cell, double cell_area) const {
        if (prepared_ && OGRPreparedGeometryContains(prepared_.get(), OGRGeometry::ToHandle(&cell))) return 1;
        const std::unique_ptr<OGRGeometry> part{cell.Intersection(&area_)};
        if (!part) gdal::raise("cannot cut a cell with 'geometry'");
        if (part->getDimension() < 2) return 0;  // they only touch
        const double share = OGR_G_Area(OGRGeometry::ToHandle(part.get())) / cell_area;
        return share > 1 - rounding ? 1 : share < rounding ? 0 : share;
    }

private:
    const OGRGeometry& area_;
    OGRPreparedGeometryUniquePtr prepared_;
};

double value_of(const point_summary& s, const std::string& statistic) {
    return statistic == "sum"    ? s.sum()
           : statistic == "mean" ? s.mean()
           : statistic == "min"  ? s.min()
           : statistic == "max"  ? s.max()
                                 : s.median();
}

}  // namespace

void add_empty_cells(cell_summaries& cells, const cell_lattice& lattice, const OGRGeometry* area,
                     const OGREnvelope& box) {
    OGREnvelope reach = box;
    if (area) area->getEnvelope(&reach);
    const auto block = lattice.around({reach.MinX, reach.MinY}, {reach.MaxX, reach.MaxY});
    if (block.cells() > most_cells)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "with empty ones there are " + gdal::number_text(block.cells()) + " cells, more than 1e6",
                    "give a larger 'size', or leave out 'empty_cells'"};
    const auto whole = gdal::detail::rectangle(reach.MinX, reach.MinY, reach.MaxX, reach.MaxY);
    // A lone point, or points in one line, span no area: their own cells are all there are.
    if (!area && !(reach.MaxX > reach.MinX && reach.MaxY > reach.MinY)) return;
    const gdalmcp_vector::spatial_filter meets{area ? *area : *whole, gdalmcp_vector::predicate::intersects};
    for (auto row = block.first.row; row <= block.last.row; ++row)
        for (auto column = block.first.column; column <= block.last.column; ++column) {
            const cell_index cell{row, column};
            const auto outline = outline_of(lattice, cell);
            OGREnvelope around;
            outline->getEnvelope(&around);
            if (meets.may_accept(around) && meets.accepts(*outline)) cells.try_emplace(cell);
        }
}

written_cells write_cells(gdalmcp_vector::result_file& file, const cell_summaries& cells, const cell_lattice& lattice,
                          const OGRGeometry* area, const cell_columns& columns,
                          const gdalmcp_vector::progress& report) {
    std::vector<gdalmcp_vector::result_field> fields{
        {"row", OFTInteger64}, {"column", OFTInteger64}, {"count", OFTInteger64}, {"per_km2", OFTReal}};
    if (area) fields.push_back({"inside_share", OFTReal});
    if (columns.values) fields.push_back({"values", OFTInteger64});
    for (const auto& name : columns.statistics) fields.push_back({name.c_str(), OFTReal});
    gdalmcp_vector::result_layer layer{file, "cells", wkbPolygon, fields};
    std::optional<share_inside> inside;
    if (area) inside.emplace(*area);
    written_cells done;
    for (const auto& [cell, points] : cells) {
        if (done.all++ % 1024 == 0) report(static_cast<double>(done.all) / static_cast<double>(cells.size()));
        auto outline = outline_of(lattice, cell);
        const double share = inside ? inside->of(*outline, lattice.area()) : 1, km2 = share * lattice.area() / 1e6;
        done.cut += share < 1;
        std::vector<double> values{static_cast<double>(cell.row), static_cast<double>(cell.column),
                                   static_cast<double>(points.count()),
                                   km2 > 0 ? static_cast<double>(points.count()) / km2 : undefined};
        if (area) values.push_back(share);
        if (columns.values) values.push_back(static_cast<double>(points.values()));
        for (const auto& name : columns.statistics) values.push_back(value_of(points, name));
        layer.add(std::move(outline), values);
    }
    layer.finish();
    return done;
}

}  // namespace gdalmcp_aggregation_more
