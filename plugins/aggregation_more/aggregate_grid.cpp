// aggregate_grid: points counted and summarised in square or hexagonal cells.
#include <gdalmcp/standard.hpp>

#include <cmath>

#include "ogr_cell_layer.hpp"
#include "tools.hpp"
#include "vector/ogr_field_marks.hpp"
#include "vector/ogr_whole_values.hpp"

namespace gdalmcp_aggregation_more::aggregate_grid {
namespace {

using gdalmcp::arg;
using gdalmcp::choice;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;

const arg<double> size{
    .name = "size", .about = "Side of a square; of a hexagon from side to opposite side.", .unit = "m", .above = 0.0};
const arg<choice> shape{.name = "shape",
                        .about = "Shape of the cells.",
                        .fallback = choice{"hexagon"},
                        .values = {"square", "hexagon"},
                        .synonyms = {{"hex", "hexagon"}, {"hexagonal", "hexagon"}, {"rectangle", "square"}}};
const arg<std::vector<choice>> statistic{
    .name = "statistic",
    .about = "count needs no value; the others summarise 'value'.",
    .fallback = std::vector<choice>{choice{"count"}},
    .values = {"count", "sum", "mean", "min", "max", "median"},
    .synonyms = {{"average", "mean"}, {"avg", "mean"}, {"minimum", "min"}, {"maximum", "max"}, {"total", "sum"}},
    .min_items = 1,
    .max_items = 6,
    .or_single = true};
const arg<std::optional<std::string>> value{.name = "value", .about = "Numeric field to summarise."};
const arg<bool> empty_cells{.name = "empty_cells",
                            .about = "Also write cells without points: of 'geometry', or the box of the points.",
                            .fallback = false};

const gdal::crs_record plane_record{"crs", "In which the cells are equal"};
const field<double> cell_area{"cell_area_m2", "Of each cell", "m2"};
const field<std::int64_t> cell_count{"cell_count", "Cells written", "cells"};
const field<std::int64_t> occupied_count{"occupied_count", "Of these, with a point", "cells"};
const field<std::int64_t> point_count{"point_count", "Points in the cells: the sum of their counts", "points"};
const field<std::int64_t> outside_count{"outside_count", "Points outside 'geometry', in no cell", "points"};
const field<std::int64_t> left_out{"left_out_count", "Features without a point", "features"};
const auto null_count = field<std::int64_t>{"null_count", "Points in the cells without a value", "points"}.optional();
const auto value_total = field<double>{"value_total", "Sum of all values in the cells"}.optional();
const field<std::int64_t> count_max{"count_max", "Of the fullest cell", "points"};

std::vector<std::string> statistics_of(gdalmcp::call& call) {
    std::vector<std::string> names;
    for (const auto& s : call[statistic])
        if (s.value != "count" && std::find(names.begin(), names.end(), s.value) == names.end())
            names.push_back(s.value);
    if (!names.empty() && !call.given(value))
        throw error{GDALMCP_INVALID_ARGUMENT, "statistic " + names.front() + " is requested without 'value'",
                    "name the field to summarise, or leave statistic out to count the points"};
    if (names.empty() && call.given(value))
        throw error{GDALMCP_INVALID_ARGUMENT, "'value' is given, but statistic summarises nothing",
                    "add sum, mean, min, max or median to statistic, or leave 'value' out"};
    return names;
}

struct gathered {
    cell_summaries cells;
    point_summary all{false};
    OGREnvelope box;
    std::int64_t outside = 0, without = 0;
    gdalmcp_vector::marked_fields marks;
};

std::optional<double> value_of(const OGRFeature& feature, std::optional<int> field) {
    if (!field || !feature.IsFieldSetAndNotNull(*field)) return std::nullopt;
    const double v = feature.GetFieldAsDouble(*field);
    return std::isfinite(v) ? std::optional{v} : std::nullopt;
}

gathered gather(point_question& question, const cell_lattice& lattice, std::optional<int> field, bool keep_values,
                const gdalmcp_vector::progress& report) {
    gathered g;
    if (field) g.marks = {question.layer(), {*field}};
    std::optional<gdalmcp_vector::spatial_filter> inside;
    if (question.area()) inside.emplace(*question.area(), gdalmcp_vector::predicate::intersects);
    g.without = question.for_each(report, [&](const OGRFeature& feature, const auto& places) {
        const auto v = value_of(feature, field);
        if (v) question.require_one_place(feature, places, *field, "value");
        bool counted = false;
        for (const auto& [x, y] : places) {
            if (inside && !inside->accepts(OGRPoint{x, y})) {
                ++g.outside;
                continue;
            }
            g.cells.try_emplace(lattice.of(x, y), keep_values).first->second.add(v);
            g.all.add(v);
            g.box.Merge(x, y);
            counted = true;
        }
        if (counted) g.marks.see(feature);
    });
    if (g.cells.empty())
        throw error{GDALMCP_NOT_FOUND,
                    "no point of layer '" + std::string{question.layer().GetName()} + "' is to be counted: " +
                        std::to_string(g.outside) + " lie outside 'geometry', " + std::to_string(g.without) +
                        " features have no point" + (question.selects() ? "; 'where' leaves out others" : ""),
                    "look at the layer with vector_info"};
    return g;
}

void run(gdalmcp::call& call) {
    const auto names = statistics_of(call);
    point_question question{call};
    std::optional<int> field;
    if (const auto name = call[value]) field = gdalmcp_vector::number_field(question.layer(), *name);
    const cell_lattice lattice{call[shape].value == "square" ? cell_shape::square : cell_shape::hexagon, call[size]};
    const auto asked = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
    const bool median = asked("median");
    auto found = gather(question, lattice, field, median, call.part(0, 0.6, "reading"));
    const auto occupied = static_cast<std::int64_t>(found.cells.size());
    std::int64_t fullest = 0;
    for (const auto& [cell, points] : found.cells) fullest = std::max(fullest, points.count());
    if (call[empty_cells]) add_empty_cells(found.cells, lattice, question.area(), found.box);

    gdalmcp_vector::result_file file{call, call[standard::vector_output].path, question.plane()};
    const auto written = write_cells(file, found.cells, lattice, question.area(), {names, field.has_value()},
                                     call.part(0.6, 1, "writing"));
    call.put(cell_count, written.all);
    file.close(standard::vector_output);
    plane_record.put(call, question.plane());
    call.put(cell_area, lattice.area());
    call.put(occupied_count, occupied);
    call.put(point_count, found.all.count());
    call.put(outside_count, found.outside);
    call.put(left_out, found.without);
    call.put(count_max, fullest);
    if (field) {
        call.put(null_count, found.all.count() - found.all.values());
        call.put(value_total, found.all.sum());
        if (found.all.values() == 0) call.warn("no point in the cells has a value in '" + *call[value] + "'");
    }
    found.marks.tell(call, gdalmcp_vector::marks_left_out::where);
    auto plain = names;
    std::erase_if(plain, [](const auto& name) { return name == "min" || name == "max"; });
    found.marks.tell_directions(call, gdalmcp_vector::any_of_them(plain));
    if (asked("sum"))
        gdalmcp_vector::warn_of_sum_of_rates(call, *call[value]);
    else if (asked("mean") || median)
        gdalmcp_vector::warn_of_code(call, *call[value], "averaged");
    if (found.without > 0) call.warn(std::to_string(found.without) + " features without a point left out");
    if (written.cut > 0)
        call.say(std::to_string(written.cut) + " cells reach beyond 'geometry': points there are not counted, and " +
                 "per_km2 is the density of the part inside, inside_share of the cell");
}

}  // namespace

const gdalmcp::tool tool{
    {"aggregate_grid", "Points in cells",
     "Counts points, or summarises a field of them, in equal hexagons or squares of a size in metres: in the layer's "
     "own "
     "CRS, or in an equal-area one around the points.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {points_uri, standard::layer, where, size, shape, statistic, value, standard::geometry, standard::geometry_crs,
     empty_cells, standard::allow_ballpark, standard::vector_output, standard::overwrite},
    {cell_count, occupied_count, point_count, outside_count, left_out, null_count, value_total, count_max, cell_area,
     plane_record.all}};

}  // namespace gdalmcp_aggregation_more::aggregate_grid
