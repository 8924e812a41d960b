#include "ogr_features.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "axis.hpp"
#include "vector/ogr_field_marks.hpp"
#include "vector/ogr_reading.hpp"
#include "vector/ogr_selection.hpp"
#include "vector/ogr_spatial_index.hpp"

namespace gdalmcp_maps {
namespace {

namespace gdal = gdalmcp::gdal;

constexpr std::size_t most_labels = 60;
constexpr color outline{70, 70, 70, 255};

bool is_number(const OGRFieldDefn& f) {
    if (f.GetSubType() == OFSTBoolean) return false;
    return f.GetType() == OFTInteger || f.GetType() == OFTInteger64 || f.GetType() == OFTReal;
}

// Puts geometries on a canvas as paths; vertices closer than a third of a pixel to the last one are left out.
class path_maker {
public:
    path_maker(canvas& c, const map_frame& f) : c_{c}, f_{f} {}

    void add(const OGRGeometry& g, double radius) {
        switch (wkbFlatten(g.getGeometryType())) {
            case wkbPoint: {
                const auto* p = g.toPoint();
                if (!p->IsEmpty()) c_.circle(f_.column(p->getX()), f_.row(p->getY()), radius);
                break;
            }
            case wkbLineString:
            case wkbLinearRing:
                line(*g.toSimpleCurve(), false);
                break;
            case wkbPolygon:
                for (const auto* ring : *g.toPolygon()) line(*ring, true);
                break;
            default:
                if (OGR_GT_IsSubClassOf(g.getGeometryType(), wkbGeometryCollection))
                    for (const auto* part : *g.toGeometryCollection()) add(*part, radius);
                else if (OGR_GT_IsSubClassOf(g.getGeometryType(), wkbPolyhedralSurface))
                    for (const auto* part : *g.toPolyhedralSurface()) add(*part, radius);
        }
    }

private:
    void line(const OGRSimpleCurve& curve, bool closed) {
        const int n = curve.getNumPoints();
        double last_x = 0, last_y = 0;
        for (int i = 0; i < n; ++i) {
            // Cairo's coordinates end at 2^23; what lies far outside is outside all the same.
            const double x = std::clamp(f_.column(curve.getX(i)), -1e5, 1e5),
                         y = std::clamp(f_.row(curve.getY(i)), -1e5, 1e5);
            if (i > 0 && i + 1 < n && std::abs(x - last_x) < 0.3 && std::abs(y - last_y) < 0.3) continue;
            if (i == 0)
                c_.move_to(x, y);
            else
                c_.line_to(x, y);
            last_x = x;
            last_y = y;
        }
        if (closed && n > 0) c_.close();
    }

    canvas& c_;
    const map_frame& f_;
};

// From the layer to the map: edges stay straight in the layer's CRS.
class way_to_map {
public:
    way_to_map(const OGRSpatialReference& from, const map_frame& f)
        : same_{f.crs.IsEmpty() || gdal::detail::coincide(from, f.crs)} {
        if (same_) {
            area_ = f.box;
            return;
        }
        OGRSpatialReference to{f.crs};
        map_ = f.crs;
        if (from.IsGeographic() && f.crs.IsProjected()) degrees_ = from;
        way_.reset(OGRCreateCoordinateTransformation(&from, &to));
        if (!way_) gdal::raise("cannot transform from " + gdal::crs_label(from) + " to " + gdal::crs_label(f.crs));
        const gdal::quiet silence;
        constexpr double most = 3.5e7;  // m: all around the Earth no part of a layer in degrees is outside
        if (degrees_ && (f.box.MaxX - f.box.MinX) * f.crs.GetLinearUnits() > most) {
            longest_ = 1 / gdal::detail::degrees_per_unit(from);
            return;
        }
        const gdal::transformation back{OGRCreateCoordinateTransformation(&to, &from)};
        OGREnvelope b;
        if (back &&
            back->TransformBounds(f.box.MinX, f.box.MinY, f.box.MaxX, f.box.MaxY, &b.MinX, &b.MinY, &b.MaxX, &b.MaxY,
                                  21) &&
            std::isfinite(b.MinX + b.MinY + b.MaxX + b.MaxY) && b.MinX < b.MaxX) {
            area_ = b;
            longest_ = std::max(b.MaxX - b.MinX, b.MaxY - b.MinY) / 200;
        } else if (from.IsGeographic()) {
            longest_ = 1 / gdal::detail::degrees_per_unit(from);
        }
    }

    // What of the layer can reach into the map; nothing: unknown.
    const std::optional<OGREnvelope>& area() const { return area_; }

    // Empty: a vertex has no place in the map.
    std::unique_ptr<OGRGeometry> carried(const OGRGeometry& g) const {
        std::unique_ptr<OGRGeometry> copy{g.hasCurveGeometry() ? g.getLinearGeometry() : g.clone()};
        copy->flattenTo2D();
        if (same_) return copy;
        if (degrees_ && copy->getDimension() > 0) copy = cut(std::move(copy));
        if (longest_ > 0 && copy->getDimension() > 0) copy->segmentize(longest_);
        const gdal::quiet silence;
        return copy->transform(way_.get()) == OGRERR_NONE ? std::move(copy) : nullptr;
    }

private:
    // What crosses the edge of a map of the world is on both of its sides.
    std::unique_ptr<OGRGeometry> cut(std::unique_ptr<OGRGeometry> g) const {
        OGREnvelope box;
        g->getEnvelope(&box);
        const auto sides = halves_at_edge(box, *degrees_, map_);
        if (sides.size() == 1) return g;
        const gdal::quiet silence;
        // A map around a point or a pole goes on there.
        constexpr double torn = 1000;  // m
        double x[] = {sides[0].MaxX, sides[1].MinX}, y[] = {(box.MinY + box.MaxY) / 2, (box.MinY + box.MaxY) / 2};
        if (way_->Transform(2, x, y) && std::hypot(x[0] - x[1], y[0] - y[1]) * map_.GetLinearUnits() < torn) return g;
        auto pieces = std::make_unique<OGRGeometryCollection>();
        for (const auto& side : sides) {
            OGRLinearRing ring;
            for (const auto& [x, y] :
                 {std::pair{side.MinX, side.MinY}, std::pair{side.MinX, side.MaxY}, std::pair{side.MaxX, side.MaxY},
                  std::pair{side.MaxX, side.MinY}, std::pair{side.MinX, side.MinY}})
                ring.addPoint(x, y);
            OGRPolygon half;
            half.addRing(&ring);
            const std::unique_ptr<OGRGeometry> piece{g->Intersection(&half)};
            if (!piece) return g;  // invalid: drawn as it is
            pieces->addGeometry(piece.get());
        }
        return pieces;
    }

    bool same_;
    std::optional<OGRSpatialReference> degrees_;  // of the layer, if it is in degrees and the map is not
    OGRSpatialReference map_;
    gdal::transformation way_;
    std::optional<OGREnvelope> area_;
    double longest_ = 0;  // of an edge, in units of the layer's CRS
};

int field_index(OGRLayer& layer, const std::optional<std::string>& name) {
    return name ? gdalmcp_vector::fields_named(layer, {*name}).front() : -1;
}

int number_index(OGRLayer& layer, const std::optional<std::string>& name, const char* argument) {
    const int i = field_index(layer, name);
    if (i < 0) return i;
    const auto& f = *layer.GetLayerDefn()->GetFieldDefn(i);
    if (!is_number(f))
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             std::string{"'"} + argument + "' needs numbers, but '" + f.GetNameRef() + "' is " +
                                 OGRFieldDefn::GetFieldTypeName(f.GetType()),
                             "name a field of numbers: " + gdalmcp_vector::field_list(*layer.GetLayerDefn())};
    return i;
}

// NaN: it has none.
double number_in(const OGRFeature& f, int field) {
    const double v = f.IsFieldSetAndNotNull(field) ? f.GetFieldAsDouble(field) : std::nan("");
    return std::isfinite(v) ? v : std::nan("");
}

std::string named_with_unit(const std::string& name, const std::string& unit) {
    return unit.empty() ? name : name + " (" + unit + ")";
}

// Measured numbers by four digits, if they have more.
std::string label_of(const OGRFeature& f, int field) {
    constexpr std::size_t short_enough = 6;
    const std::string text = f.GetFieldAsString(field);
    if (f.GetFieldDefnRef(field)->GetType() != OFTReal || text.size() <= short_enough) return short_text(text);
    return short_number(f.GetFieldAsDouble(field));
}

// For a point of it that a label can stand at.
OGRPoint place_for_label(const OGRGeometry& g) {
    OGRPoint p;
    if (g.getDimension() == 2 && g.Centroid(&p) == OGRERR_NONE && !p.IsEmpty()) {
        if (g.Contains(&p)) return p;
        if (const gdal::geometry_ptr on{
                OGRGeometry::FromHandle(OGR_G_PointOnSurface(OGRGeometry::ToHandle(const_cast<OGRGeometry*>(&g))))};
            on && !on->IsEmpty() && wkbFlatten(on->getGeometryType()) == wkbPoint)
            return *on->toPoint();
        return p;
    }
    if (wkbFlatten(g.getGeometryType()) == wkbLineString) {
        g.toLineString()->Value(g.toLineString()->get_Length() / 2, &p);
        return p;
    }
    OGREnvelope box;
    g.getEnvelope(&box);
    return {(box.MinX + box.MaxX) / 2, (box.MinY + box.MaxY) / 2};
}

}  // namespace

struct feature_layer::columns {
    bool any = false, numbers = false, two = false;
    std::vector<double> first, second, sizes;
    std::vector<std::optional<std::string>> texts;
};

feature_layer::feature_layer(OGRLayer& layer, const OGRSpatialReference& crs, const map_frame& frame,
                             feature_style style, gdalmcp::call& call, double progress_from, double progress_to)
    : frame_{frame}, style_{std::move(style)} {
    const way_to_map way{crs, frame};
    const bool classed = style_.classes.method != class_method::automatic || style_.classes.count ||
                         style_.classes.midpoint || style_.second_field;
    const int field = classed ? number_index(layer, style_.field, style_.second_field ? "second_field" : "classes")
                              : field_index(layer, style_.field),
              second = number_index(layer, style_.second_field, "second_field"),
              sized = number_index(layer, style_.size_field, "size_field"), label = field_index(layer, style_.label);
    columns values;
    values.any = field >= 0;
    values.numbers = field >= 0 && is_number(*layer.GetLayerDefn()->GetFieldDefn(field));
    values.two = second >= 0;
    std::vector<int> measured;
    for (const int i : {field, second, sized})
        if (i >= 0) measured.push_back(i);
    gdalmcp_vector::marked_fields marks{layer, measured};
    std::array<GIntBig, 3> of_dimension{};
    if (way.area() && gdalmcp_vector::lacking_in_index(layer) == 0)
        layer.SetSpatialFilterRect(way.area()->MinX, way.area()->MinY, way.area()->MaxX, way.area()->MaxY);
    gdalmcp_vector::for_each_feature(
        layer,
        [&](double done) { call.progress(progress_from + done * (progress_to - progress_from), "drawing features"); },
        [&](OGRFeature& f) {
            const auto* g = f.GetGeometryRef();
            if (!g || g->IsEmpty()) {
                ++about_.without_geometry;
                return true;
            }
            auto shape = way.carried(*g);
            if (!shape) {
                ++about_.no_place;
                return true;
            }
            OGREnvelope box;
            shape->getEnvelope(&box);
            if (!box.Intersects(frame_.box)) return true;
            ++of_dimension[static_cast<std::size_t>(std::clamp(shape->getDimension(), 0, 2))];
            marks.see(f);
            const double size = sized >= 0 ? number_in(f, sized) : 0;
            if (sized >= 0 && !(size > 0)) {
                ++about_.no_size;
                return true;
            }
            if (values.numbers) values.first.push_back(number_in(f, field));
            if (values.any && !values.numbers)
                values.texts.push_back(f.IsFieldSetAndNotNull(field)
                                           ? std::optional<std::string>{f.GetFieldAsString(field)}
                                           : std::nullopt);
            if (second >= 0) values.second.push_back(number_in(f, second));
            if (sized >= 0) values.sizes.push_back(size);
            std::optional<std::string> name;
            if (label >= 0 && f.IsFieldSetAndNotNull(label)) name = label_of(f, label);
            shapes_.push_back({std::move(shape), std::move(name)});
            return true;
        });
    layer.SetSpatialFilter(nullptr);
    about_.marks = marks.said(gdalmcp_vector::marks_left_out::before);
    about_.count = static_cast<GIntBig>(shapes_.size());
    const auto commonest =
        static_cast<int>(std::max_element(of_dimension.rbegin(), of_dimension.rend()) - of_dimension.rbegin());
    about_.form = commonest == 0 ? swatch::area : commonest == 1 ? swatch::line : swatch::point;
    about_.geometry = commonest == 0 ? "polygons" : commonest == 1 ? "lines" : "points";
    if (sized >= 0 && of_dimension[1] + of_dimension[2] > 0)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "'size_field' is given, but '" + std::string{layer.GetName()} + "' has " +
                                 (of_dimension[2] > 0 ? "polygons" : "lines") + ": only points have a size",
                             "colour them by 'field'"};
    classify(values);
    if (sized >= 0) scale_points(std::move(values.sizes));
}

void feature_layer::classify(const columns& values) {
    if (!values.any) return;
    if (!values.numbers) {
        about_.classes = classes_of_texts(values.texts);
    } else if (!values.two) {
        about_.classes = classes_of_numbers(values.first, style_.classes);
    } else {
        auto both =
            classes_of_two(values.first, values.second, style_.classes.method, {*style_.field, *style_.second_field});
        if (!both)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "'" + *style_.field + "' or '" + *style_.second_field +
                                     "' has too few different values in the map for three classes",
                                 "colour by one of them, or give classes: equal_interval"};
        const auto& e = both->edges;
        about_.square = legend_square{{named_with_unit(*style_.field, style_.unit), *style_.second_field},
                                      {e[0].front(), e[1].front()},
                                      {e[0].back(), e[1].back()}};
        about_.classes = std::move(both->nine);
    }
    about_.no_value = std::count(about_.classes->class_of.begin(), about_.classes->class_of.end(), -1);
}

void feature_layer::scale_points(std::vector<double> sizes) {
    double most = 0;
    for (const double v : sizes) most = std::fmax(most, v);
    // A circle's area is proportional to the value.
    for (const double v : sizes) radii_.push_back(largest_radius * std::sqrt(v / most));
    if (!(most > 0)) return;
    const auto shown = about_.classes ? no_value_color : style_.one;
    for (const double share : {1.0, 4.0, 20.0}) {
        const double v = round_below(most / share);
        about_.sizes.push_back({shown, short_number(v), largest_radius * std::sqrt(v / most)});
    }
}

color feature_layer::color_of(std::size_t feature) const {
    if (!about_.classes) return style_.one;
    const auto index = about_.classes->class_of[feature];
    return index < 0 ? no_value_color : about_.classes->classes[static_cast<std::size_t>(index)].shown;
}

void feature_layer::stroke_outline(canvas& c, std::size_t polygon, double width) const {
    if (about_.classes)
        c.stroke(outline, width);
    else
        c.stroke(color_of(polygon), width + 0.6);
}

void feature_layer::draw(canvas& c) {
    const auto n = shapes_.size();
    const double same = n > 50'000 ? 1.2 : n > 5'000 ? 2 : n > 500 ? 3 : 4;
    const double edge = n > 20'000 ? 0.2 : n > 2'000 ? 0.4 : 0.8;
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    // Small circles lie on large ones.
    if (!radii_.empty())
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return radii_[a] > radii_[b]; });
    path_maker path{c, frame_};
    const bool faded = style_.opacity < 1;
    if (faded) c.begin_group();
    for (const auto i : order) {
        const auto& g = *shapes_[i].geometry;
        auto shown = color_of(i);
        const double radius = radii_.empty() ? same : radii_[i];
        path.add(g, radius);
        if (g.getDimension() == 1) {
            c.stroke(shown, about_.classes ? 2 : 1.5);
        } else if (g.getDimension() == 2) {
            shown[3] = static_cast<std::uint8_t>(std::lround(255 * style_.area_fill));
            c.fill(shown, !faded);
            if (!faded) stroke_outline(c, i, edge);
        } else {
            c.fill(shown, true);
            c.stroke(outline, std::min(edge, 0.6));
        }
    }
    if (!faded) return;
    c.end_group(style_.opacity);
    // Opacity is that of areas: their outlines, drawn on all of them, stay what the eye finds.
    for (const auto i : order) {
        if (shapes_[i].geometry->getDimension() != 2) continue;
        path.add(*shapes_[i].geometry, same);
        stroke_outline(c, i, edge);
    }
}

// In the middle of an area or a line; beside a point on the right, else the left, above or below.
bool feature_layer::write(canvas& c, label_room& room, const shape& s) {
    const auto at = place_for_label(*s.geometry);
    const auto text = c.fitted(*s.label, 160);
    const double width = c.text_width(text), column = frame_.column(at.getX()), row = frame_.row(at.getY()) + 4;
    const double away = radii_.empty() ? 6 : 2 + std::max(4.0, radii_[static_cast<std::size_t>(&s - shapes_.data())]);
    const std::array<std::array<double, 2>, 4> beside{{{column + away, row},
                                                       {column - away - width, row},
                                                       {column - width / 2, row - away - 6},
                                                       {column - width / 2, row + away + 6}}};
    const std::array<double, 2> middle{column - width / 2, row};
    const auto fits = [&](const std::array<double, 2>& p) {
        const bool inside = p[0] >= 0 && p[0] + width <= frame_.width && p[1] >= text_size && p[1] <= frame_.height - 4;
        if (!inside || !room.take(p[0], p[1], width, text_size)) return false;
        c.text(p[0], p[1], text, black, true);
        return true;
    };
    return s.geometry->getDimension() == 0 ? std::any_of(beside.begin(), beside.end(), fits) : fits(middle);
}

void feature_layer::draw_labels(canvas& c, label_room& room) {
    for (const auto& s : shapes_) {
        if (!s.label || s.label->empty()) continue;
        const bool written = about_.labels < most_labels && write(c, room, s);
        ++(written ? about_.labels : about_.labels_left_out);
    }
}

legend_block legend_of(const drawn_features& f, const feature_style& style, const std::string& title) {
    // Of two fields, the unit stands with the first, on its side of the square.
    const auto unit = style.field && !style.second_field ? style.unit : "";
    legend_block block{named_with_unit(title, unit), f.form, {}, {}, "", ""};
    if (style.field)
        block.short_title =
            named_with_unit(*style.field + (style.second_field ? ", " + *style.second_field : ""), unit);
    block.opacity = style.opacity * (f.form == swatch::area ? style.area_fill : 1);
    block.square = f.square;
    block.sizes = f.sizes;
    if (style.size_field)
        block.sizes_title = named_with_unit("area: " + *style.size_field, style.field ? "" : style.unit);
    if (!f.classes) {
        block.entries.push_back({style.one, ""});
        block.outlined = f.form == swatch::area;
        return block;
    }
    for (const auto& c : f.classes->classes) block.entries.push_back({c.shown, c.label});
    if (f.no_value > 0) block.entries.push_back({no_value_color, "no value"});
    return block;
}

}  // namespace gdalmcp_maps
