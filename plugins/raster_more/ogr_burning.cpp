#include "ogr_burning.hpp"

#include <gdalmcp/gdal_arcs.hpp>

#include <algorithm>
#include <cmath>

namespace gdalmcp_raster_more {
namespace {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

constexpr std::size_t batch = 200'000;  // vertices burnt together; GDAL reads and writes the raster once for each batch

std::size_t vertices(const OGRGeometry& shape) {
    struct : OGRDefaultConstGeometryVisitor {
        using OGRDefaultConstGeometryVisitor::visit;
        std::size_t n = 0;
        void visit(const OGRPoint*) override { ++n; }
    } counting;
    shape.accept(&counting);
    return counting.n;
}

// What a feature has to be burnt.
struct placed_feature {
    std::unique_ptr<OGRGeometry> shape;
    std::optional<double> value;
    bool geometry = true, place = true;
};

placed_feature placed(const burnt_layer& of, OGRFeature& feature) {
    placed_feature p;
    const auto* own = feature.GetGeometryRef();
    p.geometry = own && !own->IsEmpty();
    if (of.field < 0)
        p.value = of.value;
    else if (feature.IsFieldSetAndNotNull(of.field))
        if (const double v = feature.GetFieldAsDouble(of.field); std::isfinite(v)) p.value = v;
    if (!p.geometry || !p.value) return p;
    std::unique_ptr<OGRGeometry> plain{gdalmcp::gdal::straightened(*own)};
    plain->flattenTo2D();
    plain->setMeasured(FALSE);
    p.shape = of.to_grid ? of.to_grid->apply_densified(*plain) : std::move(plain);
    p.place = p.shape != nullptr;
    return p;
}

// Of a shape in degrees that leaves the grid to the west or east, as -100 does a grid of 0 to 360, what comes to lie on
// it a turn further.
std::vector<std::unique_ptr<OGRGeometry>> copies_a_turn_away(const OGRGeometry& shape, const OGREnvelope& box,
                                                             const grid& on) {
    std::vector<std::unique_ptr<OGRGeometry>> copies;
    const auto extent = on.extent();
    if (!gdal::detail::geographic(on.crs) || (box.MinX >= extent.MinX && box.MaxX <= extent.MaxX) ||
        box.MaxY < extent.MinY || box.MinY > extent.MaxY)
        return copies;
    const double turn = 2 * 3.14159265358979323846 / on.crs.GetAngularUnits(), touch = turn * 1e-12;
    struct : OGRDefaultGeometryVisitor {
        using OGRDefaultGeometryVisitor::visit;
        double by = 0;
        void visit(OGRPoint* p) override { p->setX(p->getX() + by); }
    } shift;
    for (const double by : {-turn, turn}) {
        // Along an edge nothing lies on it, but a point on the western edge is in the first column.
        if (box.MaxX + by < extent.MinX + (box.MaxX > box.MinX ? touch : 0) || box.MinX + by > extent.MaxX - touch)
            continue;
        copies.emplace_back(shape.clone());
        shift.by = by;
        copies.back()->accept(&shift);
    }
    return copies;
}

template <class F>
void for_each(const burnt_layer& of, const progress& report, F&& each) {
    gdalmcp_vector::for_each_feature(of.layer, report, [&](OGRFeature& feature) {
        if (!of.where || of.where->accepts(feature)) each(feature);
        return true;
    });
}

}  // namespace

burn_survey survey(const burnt_layer& of, const progress& report) {
    burn_survey s;
    if (of.field >= 0) s.marks = {of.layer, {of.field}};
    s.wide = gdal::wide_edges{of.crs};
    for_each(of, report, [&](OGRFeature& feature) {
        ++s.read;
        const auto p = placed(of, feature);
        if (!p.geometry)
            ++s.without_geometry;
        else if (!p.value)
            ++s.without_value;
        else if (!p.place)
            ++s.without_place;
        else {
            ++s.features;
            s.wide.see(*feature.GetGeometryRef(), feature.GetFID());
            s.values.see(*p.value);
            s.marks.see(feature);
            s.vertices += vertices(*p.shape);
            s.narrow = s.narrow || p.shape->getDimension() < 2;
            OGREnvelope box;
            p.shape->getEnvelope(&box);
            s.box.Merge(box);
        }
    });
    return s;
}

burn_count burn(const burnt_layer& from, const burn_survey& surveyed, const burn_target& target, const burn_rule& rule,
                const progress& report) {
    const grid on = grid_of(target.values);
    const auto extent = on.extent();
    burn_count count;
    std::vector<std::unique_ptr<OGRGeometry>> shapes;
    std::vector<double> values;
    std::size_t waiting = 0, done = 0;
    const auto all_vertices = static_cast<double>(std::max<std::size_t>(1, surveyed.vertices));
    const auto flush = [&] {
        std::vector<OGRGeometry*> all;
        for (const auto& s : shapes) all.push_back(s.get());
        const auto heard = [&](double f) {
            report(std::min(1.0, (static_cast<double>(done) + f * static_cast<double>(waiting)) / all_vertices));
        };
        if (!all.empty()) burn_shapes(target.values, all, values, rule.all_touched, rule.add, heard);
        values.assign(values.size(), 1);
        if (!all.empty() && target.covered)
            burn_shapes(*target.covered, all, values, rule.all_touched, false, [&](double) { heard(1); });
        done += waiting;
        shapes.clear();
        values.clear();
        waiting = 0;
    };
    const auto take = [&](std::unique_ptr<OGRGeometry> shape, double value) {
        waiting += vertices(*shape);
        shapes.push_back(std::move(shape));
        values.push_back(value);
    };
    for_each(
        from, [](double) {},
        [&](OGRFeature& feature) {
            auto p = placed(from, feature);
            if (!p.shape) return;
            OGREnvelope box;
            p.shape->getEnvelope(&box);
            auto copies = copies_a_turn_away(*p.shape, box, on);
            if (!extent.Intersects(box) && copies.empty()) {
                ++count.outside;
                done += vertices(*p.shape);
                return;
            }
            count.small += p.shape->getDimension() == 2 && box.MaxX - box.MinX < on.cell_width() &&
                           box.MaxY - box.MinY < on.cell_height();
            for (auto& copy : copies) take(std::move(copy), *p.value);
            take(std::move(p.shape), *p.value);
            if (waiting >= batch) flush();
        });
    flush();
    return count;
}

}  // namespace gdalmcp_raster_more
