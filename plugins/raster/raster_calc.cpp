#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/gdal_class_names.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "arguments.hpp"
#include "calculated_cells.hpp"
#include "datasets/gdal_class_table.hpp"
#include "datasets/gdal_output.hpp"
#include "expressions/expression.hpp"
#include "gdal_block_figures.hpp"
#include "gdal_cell_type.hpp"
#include "gdal_common_window.hpp"
#include "gdal_expression_doubts.hpp"
#include "gdal_marking.hpp"
#include "gdal_result_meaning.hpp"
#include "gdal_undeclared_nodata.hpp"
#include "gdal_whole_type.hpp"
#include "result_figures.hpp"
#include "tools.hpp"

namespace gdalmcp_raster::raster_calc {
namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
using gdalmcp_expressions::expression;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;

const arg<std::string> text{.name = "expression",
                            .about =
                                "+ - * / ^, comparisons and and/or/not (1 or 0), where(condition, a, b), min, max, "
                                "clip, abs, sqrt, exp, log (natural), sin … (radians), deg, rad, round, mod, "
                                "bit(A, n), isnodata(A), nodata(), pi.",
                            .min_length = 1,
                            .max_length = 4000,
                            .examples = {"\"A * 0.1\""}};
const arg<std::optional<std::int64_t>> band{.name = "band", .about = "Needed where the raster has several.", .min = 1};
const gdalmcp::named_objects inputs{"inputs",
                                    "Rasters on one grid by the names in 'expression': {\"A\": \"red.tif\", \"B\": "
                                    "{\"uri\": \"scene.tif\", \"band\": 4}}.",
                                    {gdalmcp::standard::described(uri, "Raster."), band, subdataset},
                                    1,
                                    26};
const auto dtype = standard::described(standard::dtype,
                                       "Values it cannot hold are refused and counted. Default: whole for choices "
                                       "of whole numbers, Float64 for Float64 and 32-bit integers, else Float32.");
const arg<std::optional<double>> nodata{
    .name = "nodata",
    .about = "Must not be among the results. Default: NaN; for whole numbers the largest, if signed smallest."};

const field<std::string> dtype_used{"dtype", "Data type of the result"};
const auto nodata_used = field<double>{"nodata", "Absent when it is NaN"}.optional();
const field<std::int64_t> nodata_count{"nodata_count", "Cells without one, undefined ones included", "cells"};
const field<std::int64_t> undefined_count{
    "undefined_count", "Cells where x / 0, a root or logarithm of a negative number or an overflow left no result",
    "cells"};

struct calc_input {
    std::string name, path;
    gdal::dataset_ptr source;
    grid on;
    GDALRasterBand* band = nullptr;
};

calc_input opened(const std::string& name, const gdalmcp::call_arguments& given) {
    calc_input in;
    in.name = name;
    in.path = given[uri].path;
    in.source = open_raster(given[uri], given[subdataset], "give \"" + name + "\": {\"uri\": …, \"subdataset\": …}");
    in.on = grid_of(*in.source);
    const int count = in.source->GetRasterCount();
    const auto wanted = given[band];
    if (!wanted && count > 1)
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            "'" + name + "' is " + in.path + ", which has " + std::to_string(count) + " bands, and none is named",
            "give \"" + name + "\": {\"uri\": …, \"band\": n}"};
    require_band(in.path, count, wanted.value_or(1));
    in.band = in.source->GetRasterBand(static_cast<int>(wanted.value_or(1)));
    require_real(*in.band);
    return in;
}

using gdalmcp_expressions::choice_of_values;

stored_as type_for(gdalmcp::call& call, const expression& e, const std::optional<choice_of_values>& chosen,
                   const std::vector<calc_input>& all) {
    if (const auto asked = call[dtype]) return {GDALGetDataTypeByName(asked->value.c_str())};
    if (e.truth()) return {GDT_Byte};
    if (chosen) {
        std::vector<GDALRasterBand*> bands;
        for (const auto i : chosen->inputs) bands.push_back(all[i].band);
        if (const auto whole = whole_type(bands, {chosen->lowest, chosen->highest}, call[nodata])) return *whole;
    }
    return {std::all_of(all.begin(), all.end(), [](const auto& i) { return fits_float32(i.band->GetRasterDataType()); })
                ? GDT_Float32
                : GDT_Float64};
}

// What becomes of units is not followed through other expressions.
void tell_missing_unit(gdalmcp::call& call, const std::vector<calc_input>& all) {
    std::string units;
    for (const auto& in : all)
        if (const std::string unit = in.band->GetUnitType(); !unit.empty())
            units += (units.empty() ? "" : ", ") + in.name + " in '" + unit + "'";
    if (!units.empty()) call.warn("the result declares no unit; the inputs have " + units);
}

void refuse_losses(const cell_losses& lost, const std::string& type, double none, bool none_given) {
    if (lost.outside > 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::to_string(lost.outside) + " cells, from " + gdal::number_text(lost.lowest_outside) + " to " +
                        gdal::number_text(lost.highest_outside) + ", lie outside the range of " + type,
                    "give a wider 'dtype', or limit them with clip(x, lowest, highest)"};
    if (lost.fractions > 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::to_string(lost.fractions) + " cells have fractions, which " + type + " cannot hold",
                    "give \"dtype\": \"Float32\", or round(…) in the expression"};
    if (lost.like_nodata > 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::to_string(lost.like_nodata) + " cells have the value " + gdal::number_text(none) +
                        ", which marks cells without data" + (none_given ? "" : " in " + type + " by default"),
                    "give another 'nodata', one that does not occur, or a wider 'dtype'"};
}

// Codes that an expression only chooses between stay codes of the same classes.
void keep_chosen_classes(gdalmcp::call& call, const std::vector<calc_input>& all, const std::set<std::size_t>& chosen,
                         GDALRasterBand& to) {
    if (chosen.empty()) return;
    const auto& first = all[*chosen.begin()];
    const gdal::class_names names{*first.band};
    for (const auto i : chosen)
        if (gdal::class_names{*all[i].band}.all() != names.all()) {
            call.warn("the class names of " + first.path + " and " + all[i].path +
                      " differ, and the result declares none");
            return;
        }
    keep_classes(*first.band, to);
}

// The grid of the inputs, in the CRS of those that state one.
const grid& placed(gdalmcp::call& call, const std::vector<calc_input>& all) {
    const auto known = std::find_if(all.begin(), all.end(), [](const auto& in) { return !in.on.crs.IsEmpty(); });
    if (known == all.end()) return all.front().on;
    for (const auto& in : all)
        if (in.on.crs.IsEmpty())
            call.warn(in.path + " states no CRS; it was taken to be in that of " + known->path + ", " +
                      gdal::crs_label(known->on.crs));
    return known->on;
}

// Single precision rounds whole numbers beyond 2^24: codes and counts become others. Of smaller numbers it keeps seven
// digits, which differences between large ones may lie below.
void tell_rounded(gdalmcp::call& call, GDALDataType type, const std::vector<calc_input>& all, const statistics& found) {
    constexpr double exact = 1 << 24;
    const bool held =
        std::all_of(all.begin(), all.end(), [](const auto& in) { return fits_float32(in.band->GetRasterDataType()); });
    if (type != GDT_Float32 || held || found.counts().valid == 0) return;
    const double largest = std::max(std::abs(found.min()), std::abs(found.max()));
    const double step = std::nextafter(static_cast<float>(largest), std::numeric_limits<float>::infinity()) -
                        static_cast<float>(largest);
    if (largest > exact)
        call.warn("results reach " + gdal::number_text(largest) + ", and Float32 rounds whole numbers beyond " +
                  gdal::number_text(exact) + "; \"dtype\": \"Float64\" keeps them");
    else if (step > 0.01 * found.std())
        call.warn("results reach " + gdal::number_text(largest) + ", where Float32 has steps of " +
                  gdal::number_text(step) + ", and differ by " +
                  gdal::number_text(gdalmcp::significant(found.std(), 3)) +
                  " (standard deviation); \"dtype\": \"Float64\" keeps what is between");
}

// Ratios of numbers with an offset are not those of what they stand for.
void tell_offset_in_tags(gdalmcp::call& call, const std::vector<calc_input>& all) {
    std::set<std::string> told;
    for (const auto& in : all)
        if (const auto offset = offset_in_tags(*in.band); !offset.empty() && told.insert(in.path).second)
            call.warn(in.path + " has the tag " + offset +
                      ", which is not applied by itself: ratios such as NDVI need it added to the numbers");
}

// Whether nothing comes of this value of an input, whatever the others have there: where(A == -9999, nodata(), A).
bool takes_out(const expression& formula, std::size_t inputs, std::size_t input, double value) {
    std::array others{-1e9, -1.0, 0.0, 0.5, 1.0, 1e9}, values = others, results = others;
    values.fill(value);
    std::vector<const double*> cells(inputs, others.data());
    cells[input] = values.data();
    gdalmcp_expressions::expression_memory memory;
    formula.evaluate(cells, results.size(), results.data(), memory);
    return std::all_of(results.begin(), results.end(), [](double v) { return std::isnan(v); });
}

void run(gdalmcp::call& call) {
    std::vector<calc_input> all;
    std::vector<std::string> names;
    for (const auto& [name, given] : call[inputs]) {
        all.push_back(opened(name, given));
        names.push_back(name);
    }
    const expression formula{call[text], names};
    for (const auto& in : all) require_same_grid({all.front().path, all.front().on}, {in.path, in.on});
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!formula.uses(i)) call.warn("the expression does not use '" + names[i] + "'");
        tell_ignored_scale(call, all[i].path, *all[i].band);
        if (formula.uses(i))
            warn_of_undeclared_nodata(
                call, all[i].path, *all[i].band, [&](double v) { return takes_out(formula, all.size(), i, v); },
                names[i]);
        if (all[i].band->GetScale() != 1 || all[i].band->GetOffset() != 0)
            call.say("scale and offset of " + names[i] + " are applied");
    }
    tell_offset_in_tags(call, all);
    std::vector<expression_input> meant;
    for (const auto& in : all) meant.push_back({in.name, in.path, *in.band});
    const auto used = quantities_of(formula.steps(), all.size());
    warn_of_expression(call, meant, used);
    for (const auto& [a, b] : used.together)
        for (const auto& note : require_same_heights({all[a].path, all[a].on}, {all[b].path, all[b].on}))
            call.warn(note);
    const auto chosen = used.chosen ? used.chosen->inputs : std::set<std::size_t>{};
    const auto means = meaning_of_result(meant, used, all.front().on);
    const bool constants = used.chosen && chosen.empty();
    if (!constants && means.unit.empty()) tell_missing_unit(call, all);
    tell_lost_location(call, all.front().path, *all.front().source);
    const auto [type, own_nodata] = type_for(call, formula, used.chosen, all);
    // Only values that are chosen between stay heights.
    const grid on = chosen.empty() ? without_heights(placed(call, all)) : placed(call, all);
    const double none = call[nodata].value_or(own_nodata.value_or(default_nodata(*cell_type_of(type))));
    if (!holds(*cell_type_of(type), none))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'nodata' is " + gdal::number_text(none) + ", which " + dtype_name(type) + " cannot hold",
                    "give a value of that type"};

    raster_output out{call[output].path, on, type, 1};
    out.nodata(none);
    out.band(1).SetDescription((means.name_begins + call[text].substr(0, 200)).c_str());
    out.band(1).SetUnitType(means.unit.c_str());
    keep_chosen_classes(call, all, chosen, out.band(1));
    gdal::block_job job;
    for (auto& in : all) job.read(*in.band, fits_float32(in.band->GetRasterDataType()) ? GDT_Float32 : GDT_Float64);
    job.write(out.band(1), type);
    job.infinite_missing = true;

    calculation work{formula, *cell_type_of(type), none};
    for (auto& in : all)
        work.inputs.push_back({fits_float32(in.band->GetRasterDataType()), in.band->GetScale(), in.band->GetOffset()});
    const auto figures = statistics_of(*cell_type_of(type), {none, none, std::isnan(none)});
    const auto size = job.size();
    figures->begin(size.blocks, size.workers, false);
    std::vector<calculation_state> states(size.workers);
    job.run(call.part(0, 0.95, "calculating"), [&](const gdal::block& b) {
        std::vector<input_cells> cells;
        for (std::size_t i = 0; i < all.size(); ++i)
            cells.push_back({b.in<unsigned char>(i, 0), b.all_valid(i) ? nullptr : b.valid(i, 0)});
        work.compute(cells, static_cast<std::size_t>(b.cells()), b.out<unsigned char>(0, 0), states[b.worker]);
        add_block(*figures, b, b.out<unsigned char>(0, 0));
    });
    figures->end();
    report_infinite(call, job, all.size() == 1 ? all.front().path : "an input");
    cell_losses lost;
    for (const auto& s : states) lost.merge(s.lost);
    refuse_losses(lost, dtype_name(type), none, call[nodata].has_value());
    const bool directions = declares_angles(out.band(1));
    out.close();
    call.expect(output, expected_raster(on, 1, dtype_name(type)));

    call.put(dtype_used, dtype_name(type));
    if (!std::isnan(none)) call.put(nodata_used, none);
    const auto& counts = figures->counts();
    result_figures::put(call, *figures, directions);
    call.put(nodata_count, counts.nodata + counts.nan);
    call.put(undefined_count, lost.undefined);
    if (counts.valid == 0) call.warn("no cell has a result");
    tell_rounded(call, type, all, *figures);
    put_grid(call, on);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_calc", "Calculate with rasters",
     "A new raster from an expression over rasters on one grid, cell by cell, in double precision: indices, masks, "
     "conversions. Cells without data in an input they need have none in the result, nor has x / 0, which is counted.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {text, inputs, dtype, nodata, output, overwrite},
    {dtype_used, nodata_used, result_figures::valid_count, nodata_count, undefined_count, result_figures::min,
     result_figures::max, result_figures::mean, result_figures::std_field, crs.all, width, height}};

}  // namespace gdalmcp_raster::raster_calc
