#include "reflection/relations.hpp"

#include <array>
#include <cmath>
#include <optional>

#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "reflection/condition.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

constexpr double metres_per_degree = 111195;  // of a meridian on a sphere of radius 6371 km: classes need no more

std::optional<std::array<double, 4>> box_at(const json::value& facts, const char* at) {
    const auto* v = base::at_pointer(facts, at);
    const auto* a = v ? v->if_array() : nullptr;
    if (!a || a->size() != 4) return std::nullopt;
    std::array<double, 4> box{};
    for (std::size_t i = 0; i < 4; ++i) {
        if (!(*a)[i].is_number()) return std::nullopt;
        box[i] = (*a)[i].to_number<double>();
    }
    return box;
}

// The side of a square cell as large as this one, in m; 0 where it is unknown.
double cell_side(const json::value& dataset) {
    const auto* v = base::find_member(dataset, "cell_m");
    const auto* a = v ? v->if_array() : nullptr;
    if (!a || a->size() != 2 || !(*a)[0].is_number() || !(*a)[1].is_number()) return 0;
    return std::sqrt((*a)[0].to_number<double>() * (*a)[1].to_number<double>());
}

// Longitudes of the area of use may cross the antimeridian (west > east).
const char* coverage(const std::array<double, 4>& use, const std::array<double, 4>& data) {
    const double tolerance = 0.05;  // degrees; areas of use are given to the degree, data reach a little over
    const auto covers = [&](double lon) {
        return use[0] <= use[2] ? lon >= use[0] - tolerance && lon <= use[2] + tolerance
                                : lon >= use[0] - tolerance || lon <= use[2] + tolerance;
    };
    const bool rows = data[1] >= use[1] - tolerance && data[3] <= use[3] + tolerance;
    if (rows && covers(data[0]) && covers(data[2])) return "inside";
    const bool meets_rows = data[1] < use[3] && data[3] > use[1];
    const bool meets_columns =
        covers(data[0]) || covers(data[2]) || (use[0] <= use[2] && data[0] < use[0] && data[2] > use[2]);
    return meets_rows && meets_columns ? "partly" : "outside";
}

json::object choice_of_crs(const json::value& facts, const std::string& spelling, const crs_lookup& crs) {
    const auto identity = crs(spelling);
    if (!identity) return {};
    json::object out{{"normal", identity->normal}, {"geographic", identity->geographic}};
    const auto data = box_at(facts, "/input/bounds_wgs84");
    if (identity->area_of_use && data) out["coverage"] = coverage(*identity->area_of_use, *data);
    return out;
}

json::value first_of(const std::vector<key_source>& sources, const json::value& arguments, const json::value& facts) {
    for (const auto& s : sources) {
        auto v = taken(s, arguments, [&]() -> result<json::value> { return facts; });
        if (v && !is_absent(&*v)) return std::move(*v);
    }
    return nullptr;
}

double number_of(const json::value& v) { return v.is_number() ? v.to_number<double>() : 0; }

// The side of a square as large as one of this size: a number, or [x, y]; 0 where it is neither.
double side_of(const json::value& size) {
    const auto* both = size.if_array();
    if (!both) return number_of(size);
    if (both->size() == 1) return number_of(both->front());
    return both->size() == 2 ? std::sqrt(number_of((*both)[0]) * number_of((*both)[1])) : 0;
}

// Metres per unit of the output's CRS in the middle of the data; 0 if unknown.
double output_unit(const output_grid& grid, const json::value& arguments, const json::value& facts,
                   const crs_lookup& crs) {
    const auto target = first_of(grid.crs, arguments, facts);
    double unit = 0;
    bool geographic = false;
    if (target.is_string()) {
        const auto identity = crs(std::string_view{target.get_string()});
        if (!identity) return 0;
        unit = identity->unit_m;
        geographic = identity->geographic;
    } else if (const auto* own = base::at_pointer(facts, "/input/crs")) {
        const auto* m = base::find_member(*own, "unit_m");
        unit = m ? number_of(*m) : 0;
        geographic = base::bool_member(*own, "geographic");
    }
    if (!geographic) return unit;
    const auto data = box_at(facts, "/input/bounds_wgs84");
    if (!data) return 0;
    const double latitude = ((*data)[1] + (*data)[3]) / 2 * std::acos(-1.0) / 180;
    return metres_per_degree * std::sqrt(std::max(std::cos(latitude), 0.01));
}

// The input whose grid the output takes: named by its path.
const json::value* input_named(const json::value& facts, const json::value& path) {
    if (const auto* all = base::find_member(facts, "inputs"); all && all->is_array())
        for (const auto& dataset : all->get_array())
            if (const auto* own = base::find_member(dataset, "path"); own && *own == path) return &dataset;
    return nullptr;
}

// Side of an output cell over that of an input cell, whose side is `from` m; 0 if unknown. Without an argument for the
// grid it is 1: GDAL keeps the resolution.
double side_ratio(const output_grid& grid, const json::value& arguments, const json::value& facts,
                  const crs_lookup& crs, double from) {
    const auto given = [&](const std::vector<key_source>& sources) { return first_of(sources, arguments, facts); };
    const auto unit = [&] { return output_unit(grid, arguments, facts, crs); };
    if (const auto like = given(grid.like); !like.is_null()) {
        const auto* other = input_named(facts, like);
        return other ? cell_side(*other) / from : 0;
    }
    if (const auto size = given(grid.resolution); !size.is_null()) return side_of(size) * unit() / from;
    const auto columns = given(grid.width), rows = given(grid.height);
    if (columns.is_null() && rows.is_null()) return 1;
    if (!given(grid.bounds).is_null()) return 0;
    // The whole input on so many cells.
    const auto* input = base::find_member(facts, "input");
    const auto share = [&](const char* size, const json::value& wanted) {
        const auto* own = input ? base::find_member(*input, size) : nullptr;
        return own && number_of(wanted) > 0 ? number_of(*own) / number_of(wanted) : 0;
    };
    if (rows.is_null()) return share("width", columns);
    if (columns.is_null()) return share("height", rows);
    return std::sqrt(share("width", columns) * share("height", rows));
}

json::object grid_relation(const json::value& facts, const json::value& arguments, const output_grid& grid,
                           const crs_lookup& crs) {
    json::object out;
    double finest = 0, coarsest = 0;
    if (const auto* all = base::find_member(facts, "inputs"); all && all->is_array())
        for (const auto& dataset : all->get_array()) {
            const double side = cell_side(dataset);
            if (side <= 0) continue;
            finest = finest > 0 ? std::min(finest, side) : side;
            coarsest = std::max(coarsest, side);
        }
    if (finest > 0) out["inputs_ratio"] = coarsest / finest;
    const auto* input = base::find_member(facts, "input");
    const double from = input ? cell_side(*input) : 0;
    if (!grid.known() || from <= 0) return out;
    const double ratio = side_ratio(grid, arguments, facts, crs, from), cells = ratio * ratio;
    if (ratio <= 0) return out;
    out["ratio"] = ratio;
    out["direction"] = ratio < 0.8 ? "up" : ratio > 1.25 ? "down" : "same";
    out["ratio_class"] = cells < 2 ? "1" : cells < 8 ? "4" : cells < 32 ? "16" : "64+";
    return out;
}

}  // namespace

result<output_grid> parse_output_grid(const json::value& text) {
    static const auto shape = base::schema::compile(base::parse_json(R"({
        "type": "object", "additionalProperties": false, "required": ["resolution"],
        "properties": {"resolution": {}, "crs": {}, "width": {}, "height": {}, "bounds": {}, "like": {}}})")
                                                        .value())
                                  .value();
    if (auto ok = shape.check(text, "the grid"); !ok)
        return fail(code::invalid_argument, "/grid: " + ok.error().message, ok.error().hint);
    output_grid g;
    for (const auto& [name, into] :
         {std::pair{"resolution", &g.resolution}, std::pair{"crs", &g.crs}, std::pair{"width", &g.width},
          std::pair{"height", &g.height}, std::pair{"bounds", &g.bounds}, std::pair{"like", &g.like}})
        if (const auto* given = base::find_member(text, name)) {
            auto sources = parse_sources(*given, std::string{"/grid/"} + name);
            if (!sources) return tl::unexpected{sources.error()};
            *into = std::move(*sources);
        }
    return g;
}

json::value with_relations(json::value facts, const json::value& arguments, const output_grid& grid,
                           const std::string& choice, const crs_lookup& crs) {
    if (!facts.is_object()) facts = json::object{};
    auto grids = grid_relation(facts, arguments, grid, crs);
    auto chosen = choice.empty() ? json::object{} : choice_of_crs(facts, choice, crs);
    auto& o = facts.get_object();
    if (!grids.empty()) o["grid"] = std::move(grids);
    if (!chosen.empty()) o["choice"] = std::move(chosen);
    return facts;
}

}  // namespace gdalmcp::reflection
