#include "app/datasets/area.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace gdalmcp::app {

using base::result;
namespace json = base::json;

namespace {

constexpr double furthest_longitude = 540;

tl::unexpected<base::problem> wrong_geometry(std::string why) {
    return base::fail(base::code::invalid_argument, "'geometry' " + std::move(why),
                      "give GeoJSON or [minx, miny, maxx, maxy] in degrees of OGC:CRS84, longitude first", "/geometry");
}

}  // namespace

result<area> area::of(const json::value& geometry) {
    area made;
    if (const auto* a = geometry.if_array()) {
        const bool numbers = std::all_of(a->begin(), a->end(), [](const json::value& v) { return v.is_number(); });
        if (a->size() != 4 || !numbers) return wrong_geometry("is an array, but not of four numbers");
        const auto at = [&](std::size_t i) { return (*a)[i].to_number<double>(); };
        const double west = at(0), east = at(2) < west ? at(2) + 360 : at(2);
        if (at(1) > at(3)) return wrong_geometry("has miny > maxy");
        const json::array ring{{west, at(1)}, {east, at(1)}, {east, at(3)}, {west, at(3)}, {west, at(1)}};
        if (auto ok = made.add_coordinates("Polygon", json::array{json::value(ring)}); !ok)
            return tl::unexpected{ok.error()};
        return made;
    }
    if (auto ok = made.add(geometry); !ok) return tl::unexpected{ok.error()};
    if (made.lines_.empty() && made.polygons_.empty()) return wrong_geometry("has no coordinates");
    return made;
}

result<void> area::add(const json::value& geometry) {
    const std::string type{base::string_member(geometry, "type")};
    for (const auto& [collection, member] :
         {std::pair{"FeatureCollection", "features"}, std::pair{"GeometryCollection", "geometries"}}) {
        if (type != collection) continue;
        const auto* all = base::find_member(geometry, member);
        if (!all || !all->is_array()) return wrong_geometry("is a " + type + " without '" + member + "'");
        for (const auto& one : all->get_array())
            if (auto ok = add(one); !ok) return ok;
        return {};
    }
    if (type == "Feature") {
        const auto* inner = base::find_member(geometry, "geometry");
        return inner && inner->is_object() ? add(*inner) : result<void>{};
    }
    const auto* coordinates = base::find_member(geometry, "coordinates");
    if (!coordinates || !coordinates->is_array()) return wrong_geometry("is no GeoJSON geometry");
    return add_coordinates(type, *coordinates);
}

result<void> area::add_coordinates(const std::string& type, const json::value& coordinates) {
    const auto& all = coordinates.get_array();
    if (type.starts_with("Multi")) {
        for (const auto& one : all) {
            if (!one.is_array()) return wrong_geometry("has coordinates that are no array");
            if (auto ok = add_coordinates(type.substr(5), one); !ok) return ok;
        }
        return {};
    }
    if (type == "Point") {
        auto p = point_of(coordinates);
        if (!p) return tl::unexpected{p.error()};
        lines_.push_back({*p});
        return {};
    }
    if (type == "LineString") {
        auto l = line_of(coordinates);
        if (!l) return tl::unexpected{l.error()};
        lines_.push_back(std::move(*l));
        return {};
    }
    if (type != "Polygon") return wrong_geometry("is of the unknown type '" + type + "'");
    std::vector<line> rings;
    for (const auto& ring : all) {
        auto l = line_of(ring);
        if (!l) return tl::unexpected{l.error()};
        rings.push_back(std::move(*l));
    }
    if (!rings.empty()) polygons_.push_back(std::move(rings));
    return {};
}

result<area::point> area::point_of(const json::value& v) {
    const auto* a = v.if_array();
    if (!a || a->size() < 2 || !(*a)[0].is_number() || !(*a)[1].is_number())
        return wrong_geometry("has a position that is not [longitude, latitude]");
    const point p{(*a)[0].to_number<double>(), (*a)[1].to_number<double>()};
    if (std::abs(p.y) > 90 || std::abs(p.x) > furthest_longitude)
        return wrong_geometry("has the position " + base::write_json(v) + ", which cannot be degrees");
    return p;
}

result<area::line> area::line_of(const json::value& v) {
    const auto* a = v.if_array();
    if (!a || a->empty()) return wrong_geometry("has a line or ring without positions");
    line l;
    for (const auto& position : *a) {
        auto p = point_of(position);
        if (!p) return tl::unexpected{p.error()};
        l.push_back(*p);
    }
    return l;
}

bool area::meets(const extent& e) const {
    const double east = e[2] < e[0] ? e[2] + 360 : e[2];
    for (const double turn : {-720.0, -360.0, 0.0, 360.0, 720.0})
        if (overlaps(box{e[0] + turn, e[1], east + turn, e[3]})) return true;
    return false;
}

bool area::overlaps(const box& b) const {
    for (const auto& l : lines_)
        if (crosses(l, b)) return true;
    for (const auto& rings : polygons_) {
        bool inside = false;  // of a corner, by the even-odd rule
        for (const auto& ring : rings) {
            if (crosses(ring, b)) return true;
            if (contains(ring, {b.west, b.south})) inside = !inside;
        }
        if (inside) return true;
    }
    return false;
}

bool area::contains(const line& ring, const point& p) const {
    bool inside = false;
    for (std::size_t i = 0, j = ring.size() - 1; i < ring.size(); j = i++) {
        const auto &a = ring[i], &b = ring[j];
        if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) inside = !inside;
    }
    return inside;
}

// Liang and Barsky: what is left of a segment between the lines of each pair of sides.
bool area::crosses(const line& l, const box& b) {
    for (std::size_t i = 0; i < l.size(); ++i) {
        const auto &from = l[i], &to = l[std::min(i + 1, l.size() - 1)];
        double first = 0, last = 1;
        const auto clip = [&](double start, double along, double low, double high) {
            if (along == 0) return start >= low && start <= high;
            const double a = (low - start) / along, c = (high - start) / along;
            first = std::max(first, std::min(a, c));
            last = std::min(last, std::max(a, c));
            return first <= last;
        };
        if (clip(from.x, to.x - from.x, b.west, b.east) && clip(from.y, to.y - from.y, b.south, b.north)) return true;
    }
    return false;
}

}  // namespace gdalmcp::app
