#include "reflection/geometry.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

using vertex = std::pair<double, double>;
using ring = std::vector<vertex>;
using polygon = std::vector<ring>;  // exterior first

// Half-even on the exact binary value, as printf and Python's round() do it; -0 becomes 0.
double rounded(double v, int decimals) {
    char text[400];
    std::snprintf(text, sizeof text, "%.*f", decimals, v);
    const double r = std::strtod(text, nullptr);
    return r == 0 ? 0 : r;
}

std::optional<double> number_of(const json::value& v) {
    if (const auto* i = v.if_int64()) return static_cast<double>(*i);
    if (const auto* u = v.if_uint64()) return static_cast<double>(*u);
    if (const auto* d = v.if_double()) return *d;
    return std::nullopt;
}

result<vertex> read_vertex(const json::value& v, int decimals) {
    const auto* a = v.if_array();
    const auto x = a && a->size() >= 2 ? number_of((*a)[0]) : std::nullopt;
    const auto y = a && a->size() >= 2 ? number_of((*a)[1]) : std::nullopt;
    if (!x || !y)
        return fail(code::invalid_argument, "a position must be [x, y], not " + base::write_json(v).substr(0, 60));
    return vertex{rounded(*x, decimals), rounded(*y, decimals)};
}

result<ring> read_vertices(const json::value& v, int decimals) {
    const auto* a = v.if_array();
    if (!a) return fail(code::invalid_argument, "coordinates must be an array of positions");
    ring out;
    out.reserve(a->size());
    for (const auto& e : *a) {
        const auto position = read_vertex(e, decimals);
        if (!position) return tl::unexpected{position.error()};
        out.push_back(*position);
    }
    return out;
}

// Twice the signed area, measured from the first vertex: positive is counter-clockwise.
double signed_area(const ring& open) {
    double sum = 0;
    for (std::size_t i = 1; i + 1 < open.size(); ++i)
        sum += (open[i].first - open[0].first) * (open[i + 1].second - open[0].second) -
               (open[i + 1].first - open[0].first) * (open[i].second - open[0].second);
    return sum;
}

// The smallest rotation, which begins at the smallest vertex (several where a ring touches itself there). Linear: of
// two candidate starts the one that loses after k equal vertices takes the k starts behind it along.
ring rotated(ring open) {
    const auto n = open.size();
    std::size_t i = 0, j = 1;
    for (std::size_t k = 0; i < n && j < n && k < n;) {
        const auto &a = open[(i + k) % n], &b = open[(j + k) % n];
        if (a == b) {
            ++k;
            continue;
        }
        (b < a ? i : j) += k + 1;
        if (i == j) ++j;
        k = 0;
    }
    std::rotate(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)), open.end());
    return open;
}

result<ring> read_ring(const json::value& v, int decimals, bool exterior) {
    auto open = read_vertices(v, decimals);
    if (!open) return open;
    if (open->size() > 1 && open->front() == open->back()) open->pop_back();
    auto distinct = *open;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (distinct.size() < 3)
        return fail(code::invalid_argument, "a ring needs three different vertices; this one has " +
                                                std::to_string(distinct.size()) + " after rounding to " +
                                                std::to_string(decimals) + " decimals");
    const auto forward = rotated(*open);
    const auto backward = rotated({open->rbegin(), open->rend()});
    const double area = signed_area(forward);
    auto chosen = area == 0 ? std::min(forward, backward) : (area > 0) == exterior ? forward : backward;
    chosen.push_back(chosen.front());
    return chosen;
}

result<polygon> read_polygon(const json::value& v, int decimals) {
    const auto* a = v.if_array();
    if (!a || a->empty()) return fail(code::invalid_argument, "a Polygon needs an array of at least one ring");
    polygon out;
    for (const auto& e : *a) {
        auto r = read_ring(e, decimals, out.empty());
        if (!r) return tl::unexpected{r.error()};
        out.push_back(std::move(*r));
    }
    std::sort(out.begin() + 1, out.end());
    return out;
}

template <class Part, class Read>
result<std::vector<Part>> read_parts(const json::value& v, Read read) {
    const auto* a = v.if_array();
    if (!a || a->empty()) return fail(code::invalid_argument, "a Multi geometry needs an array of at least one part");
    std::vector<Part> out;
    for (const auto& e : *a) {
        auto part = read(e);
        if (!part) return tl::unexpected{part.error()};
        out.push_back(std::move(*part));
    }
    std::sort(out.begin(), out.end());
    return out;
}

json::value written(const vertex& p) { return json::array{p.first, p.second}; }
template <class Part>
json::value written(const std::vector<Part>& parts) {
    json::array a;
    a.reserve(parts.size());
    for (const auto& p : parts) a.push_back(written(p));
    return a;
}

template <class Shape>
json::value geojson(const char* type, const Shape& shape) {
    return json::object{{"type", type}, {"coordinates", written(shape)}};
}

template <class Part>
json::value single_or_multi(const std::vector<Part>& parts, const char* single, const char* multi) {
    return parts.size() == 1 ? geojson(single, parts.front()) : geojson(multi, parts);
}

result<json::value> read_box(const json::array& a, int decimals) {
    json::array out;
    for (const auto& e : a) {
        const auto v = number_of(e);
        if (!v || a.size() != 4)
            return fail(code::invalid_argument, "a bounding box must be four numbers [minx, miny, maxx, maxy]");
        out.push_back(rounded(*v, decimals));
    }
    if (out.empty()) return fail(code::invalid_argument, "the bounding box is empty");
    return json::value(std::move(out));
}

template <class T, class Write>
result<json::value> written_if(const result<T>& read, Write write) {
    if (!read) return tl::unexpected{read.error()};
    return write(*read);
}

result<json::value> read_shape(std::string_view type, const json::value& coordinates, int decimals) {
    const auto one_vertex = [&](const json::value& v) { return read_vertex(v, decimals); };
    const auto one_line = [&](const json::value& v) -> result<ring> {
        auto line = read_vertices(v, decimals);
        if (line && line->size() < 2) return fail(code::invalid_argument, "a LineString needs at least two positions");
        return line;
    };
    const auto one_polygon = [&](const json::value& v) { return read_polygon(v, decimals); };
    if (type == "Point") return written_if(one_vertex(coordinates), [](const auto& s) { return geojson("Point", s); });
    if (type == "LineString")
        return written_if(one_line(coordinates), [](const auto& s) { return geojson("LineString", s); });
    if (type == "Polygon")
        return written_if(one_polygon(coordinates), [](const auto& s) { return geojson("Polygon", s); });
    if (type == "MultiPoint")
        return written_if(read_parts<vertex>(coordinates, one_vertex),
                          [](const auto& s) { return single_or_multi(s, "Point", "MultiPoint"); });
    if (type == "MultiLineString")
        return written_if(read_parts<ring>(coordinates, one_line),
                          [](const auto& s) { return single_or_multi(s, "LineString", "MultiLineString"); });
    if (type == "MultiPolygon")
        return written_if(read_parts<polygon>(coordinates, one_polygon),
                          [](const auto& s) { return single_or_multi(s, "Polygon", "MultiPolygon"); });
    return fail(
        code::invalid_argument, "'" + std::string{type} + "' is not a geometry type for an area of interest",
        "give a Polygon, MultiPolygon, another single GeoJSON geometry, a Feature, or [minx, miny, maxx, maxy]");
}

}  // namespace

result<json::value> normal_geometry(const json::value& given, int decimals) {
    if (const auto* a = given.if_array()) return read_box(*a, decimals);
    if (!given.is_object())
        return fail(code::invalid_argument, "a geometry must be GeoJSON or [minx, miny, maxx, maxy], not " +
                                                base::write_json(given).substr(0, 60));
    const json::value* geometry = &given;
    if (base::string_member(given, "type") == "Feature") {
        geometry = base::find_member(given, "geometry");
        if (!geometry || !geometry->is_object())
            return fail(code::invalid_argument, "the Feature has no geometry", "give a Feature with a geometry");
    }
    const auto* coordinates = base::find_member(*geometry, "coordinates");
    const auto type = base::string_member(*geometry, "type");
    if (!coordinates && (type == "Point" || type == "LineString" || type == "Polygon" || type.substr(0, 5) == "Multi"))
        return fail(code::invalid_argument, "the " + std::string{type} + " has no coordinates");
    return read_shape(type, coordinates ? *coordinates : json::value{}, decimals);
}

std::string dataset_form(std::string_view digest, std::string_view hex) {
    return "dataset-" + std::string{digest} + ":" + std::string{hex};
}

bool is_dataset_form(std::string_view s) {
    for (const auto* digest : {"sha256", "partial_sha256"})
        if (const auto prefix = dataset_form(digest, ""); s.starts_with(prefix))
            return s.size() == prefix.size() + 64 &&
                   s.find_first_not_of("0123456789abcdef", prefix.size()) == std::string_view::npos;
    return false;
}

std::string_view geometry_crs_of(const json::value& given) {
    if (!given.is_object()) return {};
    const auto named = [](const json::value& v) -> std::string_view {
        const auto* crs = base::find_member(v, "crs");
        const auto* properties = crs ? base::find_member(*crs, "properties") : nullptr;
        return properties ? base::string_member(*properties, "name") : std::string_view{};
    };
    if (const auto own = named(given); !own.empty()) return own;
    if (const auto* inner = base::find_member(given, "geometry"))
        if (const auto own = named(*inner); !own.empty()) return own;
    return "OGC:CRS84";
}

}  // namespace gdalmcp::reflection
