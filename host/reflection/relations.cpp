#include "reflection/relations.hpp"

#include <algorithm>
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

double number_or_zero(const json::value& v) { return v.is_number() ? v.to_number<double>() : 0; }

// The side of a square as large as one of this size: a number, or [x, y]; 0 where it is neither.
double side_of(const json::value& size) {
    const auto* both = size.if_array();
    if (!both) return number_or_zero(size);
    if (both->size() == 1) return number_or_zero(both->front());
    return both->size() == 2 ? std::sqrt(number_or_zero((*both)[0]) * number_or_zero((*both)[1])) : 0;
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
        unit = m ? number_or_zero(*m) : 0;
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
        return own && number_or_zero(wanted) > 0 ? number_or_zero(*own) / number_or_zero(wanted) : 0;
    };
    if (rows.is_null()) return share("width", columns);
    if (columns.is_null()) return share("height", rows);
    return std::sqrt(share("width", columns) * share("height", rows));
}

// The lattice of a raster's cells, north-up.
struct lattice {
    double x = 0, y = 0;           // its upper left corner
    double width = 0, height = 0;  // of a cell
};

std::optional<lattice> lattice_of(const json::value& dataset) {
    const auto b = box_at(dataset, "/bounds");
    const auto* size = base::find_member(dataset, "pixel_size");
    const auto *columns = base::find_member(dataset, "width"), *rows = base::find_member(dataset, "height");
    if (!b || !size || !size->is_array() || size->get_array().size() != 2 || !columns || !rows) return std::nullopt;
    const lattice l{(*b)[0], (*b)[3], number_or_zero(size->get_array()[0]), number_or_zero(size->get_array()[1])};
    // The box of a rotated raster is another.
    const auto fits = [](double side, double cells, double cell) {
        return cell > 0 && std::abs(side / cell - cells) < 1e-3;
    };
    if (!fits((*b)[2] - (*b)[0], number_or_zero(*columns), l.width) ||
        !fits((*b)[3] - (*b)[1], number_or_zero(*rows), l.height))
        return std::nullopt;
    return l;
}

// No more than rounding apart: a shift of a hundred-thousandth of a cell lets a maximum or a mode see other cells.
bool same_lattice(const lattice& a, const lattice& b) {
    const auto whole = [](double cells) { return std::abs(cells - std::round(cells)) < 1e-7; };
    return std::abs(a.width / b.width - 1) < 1e-12 && std::abs(a.height / b.height - 1) < 1e-12 &&
           whole((a.x - b.x) / b.width) && whole((a.y - b.y) / b.height);
}

// A box or a rectangle [minx, miny, maxx, maxy].
std::optional<std::array<double, 4>> rectangle(const json::value& geometry) {
    if (geometry.is_array()) return box_at(geometry, "");
    const auto* rings =
        base::string_member(geometry, "type") == "Polygon" ? base::find_member(geometry, "coordinates") : nullptr;
    if (!rings || rings->get_array().size() != 1 || rings->get_array()[0].get_array().size() != 5) return std::nullopt;
    const auto& ring = rings->get_array()[0].get_array();
    const auto at = [&](std::size_t i, std::size_t axis) { return number_or_zero(ring[i].get_array()[axis]); };
    std::array<double, 4> box{at(0, 0), at(0, 1), at(0, 0), at(0, 1)};
    for (std::size_t i = 1; i < 5; ++i) {
        // One coordinate stays along each side.
        if ((at(i, 0) == at(i - 1, 0)) == (at(i, 1) == at(i - 1, 1))) return std::nullopt;
        box = {std::min(box[0], at(i, 0)), std::min(box[1], at(i, 1)), std::max(box[2], at(i, 0)),
               std::max(box[3], at(i, 1))};
    }
    return box;
}

// Coordinates are read and written x first, whatever the order of axes.
bool same_but_for_axes(std::string_view a, std::string_view b) {
    const auto is_wgs84 = [](std::string_view crs) { return crs == "EPSG:4326" || crs == "OGC:CRS84"; };
    return a == b || (is_wgs84(a) && is_wgs84(b));
}

// Whether the output's cells are cells of the input. Without an argument for the grid GDAL keeps that of the input.
bool coincides(const output_grid& grid, const json::value& arguments, const json::value& facts, const crs_lookup& crs) {
    const auto given = [&](const std::vector<key_source>& sources) { return first_of(sources, arguments, facts); };
    const auto* input = base::find_member(facts, "input");
    const auto own = input ? lattice_of(*input) : std::nullopt;
    if (!own) return false;
    const auto normal = [&](const json::value& spelling) {
        if (!spelling.is_string()) return std::string{};
        const auto identity = crs(std::string_view{spelling.get_string()});
        return identity ? identity->normal : std::string{};
    };
    // What the call states of the input counts before what the file does: nothing moves between two equal ones.
    const auto stated = given(grid.src_crs);
    const auto* declared = base::at_pointer(*input, "/crs/normal");
    const std::string in_file{declared && declared->is_string() ? std::string_view{declared->get_string()} : ""};
    const auto own_crs = stated.is_null() ? in_file : normal(stated);
    if (own_crs.empty()) return false;
    // Without another word the result is in the CRS of the file.
    if (given(grid.crs).is_null() && !same_but_for_axes(own_crs, in_file)) return false;
    const auto is_own = [&](const json::value& spelling) {
        return spelling.is_null() || same_but_for_axes(normal(spelling), own_crs);
    };
    if (const auto like = given(grid.like); !like.is_null()) {
        const auto* other = input_named(facts, like);
        const auto theirs = other ? lattice_of(*other) : std::nullopt;
        const auto* their_crs = other ? base::at_pointer(*other, "/crs/normal") : nullptr;
        return theirs && their_crs && their_crs->is_string() && same_but_for_axes(their_crs->get_string(), own_crs) &&
               same_lattice(*theirs, *own);
    }
    if (!is_own(given(grid.crs)) || !is_own(given(grid.bounds_crs))) return false;
    auto wanted = *own;
    const auto bounds = rectangle(given(grid.bounds));
    const auto columns = given(grid.width), rows = given(grid.height);
    if (bounds) wanted.x = (*bounds)[0], wanted.y = (*bounds)[3];
    if (const auto size = given(grid.resolution); !size.is_null()) {
        const auto* both = size.if_array();
        wanted.width = both && !both->empty() ? number_or_zero(both->front()) : number_or_zero(size);
        wanted.height = both && !both->empty() ? number_or_zero(both->back()) : number_or_zero(size);
        return same_lattice(wanted, *own);
    }
    if (!columns.is_null() || !rows.is_null()) {
        const auto box = bounds ? bounds : box_at(*input, "/bounds");
        if (columns.is_null() || rows.is_null() || !box) return false;
        wanted.width = ((*box)[2] - (*box)[0]) / number_or_zero(columns);
        wanted.height = ((*box)[3] - (*box)[1]) / number_or_zero(rows);
    }
    return same_lattice(wanted, *own);
}

// The raster inputs: those with cells.
std::vector<const json::value*> rasters_of(const json::value& facts) {
    std::vector<const json::value*> found;
    if (const auto* all = base::find_member(facts, "inputs"); all && all->is_array())
        for (const auto& dataset : all->get_array())
            if (base::find_member(dataset, "pixel_size")) found.push_back(&dataset);
    return found;
}

// Whether the cells of all these rasters, two at least, lie on one lattice in one CRS.
bool coincide(const std::vector<const json::value*>& rasters) {
    const auto first = rasters.size() > 1 ? lattice_of(*rasters.front()) : std::nullopt;
    const auto* crs = first ? base::at_pointer(*rasters.front(), "/crs/normal") : nullptr;
    if (!crs || !crs->is_string() || crs->get_string().empty()) return false;
    return std::all_of(rasters.begin() + 1, rasters.end(), [&](const json::value* other) {
        const auto theirs = lattice_of(*other);
        const auto* their_crs = base::at_pointer(*other, "/crs/normal");
        return theirs && their_crs && *their_crs == *crs && same_lattice(*theirs, *first);
    });
}

// The same of the raster input whose cells change most, where all are joined on the grid.
double joined_ratio(const output_grid& grid, const json::value& arguments, const json::value& facts,
                    const crs_lookup& crs) {
    double most = 1;
    for (const auto* raster : rasters_of(facts)) {
        const double side = cell_side(*raster);
        const double ratio = side > 0 ? side_ratio(grid, arguments, facts, crs, side) : 0;
        if (ratio <= 0) return 0;
        if (std::abs(std::log(ratio)) > std::abs(std::log(most))) most = ratio;
    }
    return most;
}

// The same of a raster without a CRS, in the projected one that the call names for it.
double placed_side(const json::value& dataset, const output_grid& grid, const json::value& arguments,
                   const json::value& facts, const crs_lookup& crs) {
    const auto stated = first_of(grid.src_crs, arguments, facts);
    const auto* size = base::find_member(dataset, "pixel_size");
    if (!size || !stated.is_string()) return 0;
    const auto identity = crs(std::string_view{stated.get_string()});
    return identity && !identity->geographic ? side_of(*size) * identity->unit_m : 0;
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
    const bool joined = !first_of(grid.joined, arguments, facts).is_null();
    if (const auto rasters = rasters_of(facts); coincide(rasters) || (joined && rasters.size() == 1))
        out["inputs_coincide"] = true;
    const auto* input = base::find_member(facts, "input");
    double from = input ? cell_side(*input) : 0;
    if (input && from <= 0) from = placed_side(*input, grid, arguments, facts, crs);
    if (grid.known() && coincides(grid, arguments, facts, crs)) out["coincides"] = true;
    if (!grid.known() || from <= 0) return out;
    const double ratio =
                     joined ? joined_ratio(grid, arguments, facts, crs) : side_ratio(grid, arguments, facts, crs, from),
                 cells = ratio * ratio;
    if (ratio <= 0) return out;
    out["ratio"] = ratio;
    out["direction"] = ratio < 0.8 ? "up" : ratio > 1.25 ? "down" : "same";
    out["ratio_class"] = cells < 2 ? "1" : cells < 8 ? "4" : cells < 32 ? "16" : "64+";
    return out;
}

}  // namespace

bool covers_input(const json::value& geometry, std::string_view geometry_crs, const json::value& facts) {
    const auto* input = base::find_member(facts, "input");
    const auto area = rectangle(geometry);
    const auto* own_crs = input ? base::at_pointer(*input, "/crs/normal") : nullptr;
    if (!area || !own_crs || !own_crs->is_string() || geometry_crs.empty()) return false;
    const bool own = geometry_crs == own_crs->get_string();
    const bool degrees = geometry_crs == "OGC:CRS84" || geometry_crs == "EPSG:4326";
    const auto data = own ? box_at(*input, "/bounds") : degrees ? box_at(*input, "/bounds_wgs84") : std::nullopt;
    if (!data || (*data)[0] > (*data)[2]) return false;
    // A cell, unless it is more than a hundredth of the side.
    const auto cell = [&](const char* count, std::size_t axis) {
        const auto* cells = base::find_member(*input, count);
        return cells && number_or_zero(*cells) >= 100 ? ((*data)[axis + 2] - (*data)[axis]) / number_or_zero(*cells)
                                                      : 0;
    };
    const double x = cell("width", 0), y = cell("height", 1);
    return (*area)[0] <= (*data)[0] + x && (*area)[1] <= (*data)[1] + y && (*area)[2] >= (*data)[2] - x &&
           (*area)[3] >= (*data)[3] - y;
}

result<output_grid> parse_output_grid(const json::value& text) {
    static const auto shape = base::schema::constant(R"({
        "type": "object", "additionalProperties": false,
        "properties": {"resolution": {}, "crs": {}, "width": {}, "height": {}, "bounds": {}, "bounds_crs": {},
                       "src_crs": {}, "like": {}, "joined": {},
                       "copied": {"type": "object", "additionalProperties": false, "required": ["at", "is"],
                                  "properties": {"at": {"type": "string"}, "is": {"type": "string"}}}}})");
    if (auto ok = shape.check(text, "the grid"); !ok)
        return fail(code::invalid_argument, "/grid: " + ok.error().message, ok.error().hint);
    output_grid g;
    for (const auto& [name, member] : members_of_grid)
        if (const auto* given = base::find_member(text, name)) {
            auto sources = parse_sources(*given, std::string{"/grid/"} + name);
            if (!sources) return tl::unexpected{sources.error()};
            g.*member = std::move(*sources);
        }
    if (const auto* copied = base::find_member(text, "copied")) {
        g.copied_at = base::string_member(*copied, "at");
        g.copied_word = base::string_member(*copied, "is");
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
