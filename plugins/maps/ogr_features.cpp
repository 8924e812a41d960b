#include "ogr_features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vector/ogr_reading.hpp"
#include "vector/ogr_selection.hpp"

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
        way_.reset(OGRCreateCoordinateTransformation(&from, &to));
        if (!way_) gdal::raise("cannot transform from " + gdal::crs_label(from) + " to " + gdal::crs_label(f.crs));
        const gdal::quiet silence;
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
        if (longest_ > 0 && copy->getDimension() > 0) copy->segmentize(longest_);
        const gdal::quiet silence;
        return copy->transform(way_.get()) == OGRERR_NONE ? std::move(copy) : nullptr;
    }

private:
    bool same_;
    gdal::transformation way_;
    std::optional<OGREnvelope> area_;
    double longest_ = 0;  // of an edge, in units of the layer's CRS
};

int field_index(OGRLayer& layer, const std::optional<std::string>& name) {
    return name ? gdalmcp_vector::fields_named(layer, {*name}).front() : -1;
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

feature_layer::feature_layer(OGRLayer& layer, const OGRSpatialReference& crs, const map_frame& frame,
                             feature_style style, gdalmcp::call& call, double progress_from, double progress_to)
    : frame_{frame}, style_{std::move(style)} {
    const way_to_map way{crs, frame};
    const int field = field_index(layer, style_.field), label = field_index(layer, style_.label);
    const bool numbers = field >= 0 && is_number(*layer.GetLayerDefn()->GetFieldDefn(field));
    std::vector<double> values;
    std::vector<std::optional<std::string>> texts;
    std::array<GIntBig, 3> of_dimension{};
    if (way.area()) layer.SetSpatialFilterRect(way.area()->MinX, way.area()->MinY, way.area()->MaxX, way.area()->MaxY);
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
            if (field >= 0) {
                const bool known =
                    f.IsFieldSetAndNotNull(field) && (!numbers || std::isfinite(f.GetFieldAsDouble(field)));
                if (!known) ++about_.no_value;
                if (numbers)
                    values.push_back(known ? f.GetFieldAsDouble(field) : std::numeric_limits<double>::quiet_NaN());
                else
                    texts.push_back(known ? std::optional<std::string>{f.GetFieldAsString(field)} : std::nullopt);
            }
            std::optional<std::string> name;
            if (label >= 0 && f.IsFieldSetAndNotNull(label)) name = short_text(f.GetFieldAsString(label));
            shapes_.push_back({std::move(shape), std::move(name)});
            return true;
        });
    layer.SetSpatialFilter(nullptr);
    about_.count = static_cast<GIntBig>(shapes_.size());
    const auto commonest =
        static_cast<int>(std::max_element(of_dimension.rbegin(), of_dimension.rend()) - of_dimension.rbegin());
    about_.form = commonest == 0 ? swatch::area : commonest == 1 ? swatch::line : swatch::point;
    about_.geometry = commonest == 0 ? "polygons" : commonest == 1 ? "lines" : "points";
    if (field >= 0) about_.classes = numbers ? classes_of_numbers(values) : classes_of_texts(texts);
}

color feature_layer::color_of(std::size_t feature) const {
    if (!about_.classes) return style_.one;
    const auto index = about_.classes->class_of[feature];
    return index < 0 ? no_value_color : about_.classes->classes[static_cast<std::size_t>(index)].shown;
}

void feature_layer::draw(canvas& c) {
    const auto n = shapes_.size();
    const double radius = n > 50'000 ? 1.2 : n > 5'000 ? 2 : n > 500 ? 3 : 4;
    const double edge = n > 20'000 ? 0.2 : n > 2'000 ? 0.4 : 0.8;
    path_maker path{c, frame_};
    for (std::size_t i = 0; i < n; ++i) {
        const auto& g = *shapes_[i].geometry;
        auto shown = color_of(i);
        path.add(g, radius);
        if (g.getDimension() == 1) {
            c.stroke(shown, about_.classes ? 2 : 1.5);
        } else if (g.getDimension() == 2 && !about_.classes) {
            auto inside = shown;
            inside[3] = style_.over_others ? 30 : 110;
            c.fill(inside, true);
            c.stroke(shown, edge + 0.6);
        } else {
            if (g.getDimension() == 2) shown[3] = 230;
            c.fill(shown, true);
            c.stroke(outline, g.getDimension() == 2 ? edge : std::min(edge, 0.6));
        }
    }
}

void feature_layer::draw_labels(canvas& c, label_room& room) {
    for (const auto& s : shapes_) {
        if (!s.label || s.label->empty()) continue;
        const auto at = place_for_label(*s.geometry);
        const auto text = c.fitted(*s.label, 160);
        const double width = c.text_width(text);
        const bool beside = s.geometry->getDimension() == 0;
        const double x = frame_.column(at.getX()) + (beside ? 6 : -width / 2), y = frame_.row(at.getY()) + 4;
        const bool inside = x >= 0 && x + width <= frame_.width && y >= text_size && y <= frame_.height - 4;
        if (about_.labels >= most_labels || !inside || !room.take(x, y, width, text_size)) {
            ++about_.labels_left_out;
            continue;
        }
        c.text(x, y, text, black, true);
        ++about_.labels;
    }
}

legend_block legend_of(const drawn_features& f, const feature_style& style, const std::string& title) {
    legend_block block{title, f.form, {}, {}, "", ""};
    if (!f.classes) {
        block.entries.push_back({style.one, ""});
        return block;
    }
    for (const auto& c : f.classes->classes) block.entries.push_back({c.shown, c.label});
    if (f.no_value > 0) block.entries.push_back({no_value_color, "no value"});
    return block;
}

}  // namespace gdalmcp_maps
