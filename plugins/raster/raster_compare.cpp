// raster_compare: two rasters of one place at two times: after minus before, or the changes from class to class.
#include <gdalmcp/gdal_kind.hpp>

#include "arguments.hpp"
#include "cell_difference.hpp"
#include "datasets/gdal_band_label.hpp"
#include "datasets/gdal_cell_size.hpp"
#include "datasets/gdal_height_unit.hpp"
#include "datasets/gdal_output.hpp"
#include "gdal_block_figures.hpp"
#include "gdal_cell_type.hpp"
#include "gdal_change_report.hpp"
#include "gdal_class_areas.hpp"
#include "gdal_common_window.hpp"
#include "gdal_expression_doubts.hpp"
#include "gdal_undeclared_nodata.hpp"
#include "gdal_zone_mask.hpp"
#include "tools.hpp"

namespace gdalmcp_raster::raster_compare {
namespace {

using gdalmcp::arg;
using gdalmcp::choice;
using gdalmcp::error;
using gdalmcp::field;
using namespace change_fields;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;

const arg<gdalmcp::raster> before_uri{.name = "before",
                                      .about = "Earlier raster: path, file:// or query://result/{id}."};
const arg<gdalmcp::raster> after_uri{.name = "after", .about = "Later raster, with cells of the same grid."};
const arg<choice> mode{.name = "mode",
                       .about = "difference: after - before, of measurements; classes: from class to class.",
                       .values = {"difference", "classes"}};
const arg<double> tolerance{.name = "tolerance",
                            .about = "Differences up to this count as unchanged.",
                            .unit = "units of the values",
                            .fallback = 0.0,
                            .min = 0};
const auto bands_compared =
    standard::described(bands, "Bands, the same of both rasters; one for classes. Default: all.");
const auto subdataset_of_both = standard::described(subdataset, "Raster within the files, of both.");

const field<std::int64_t> before_column{"before_column", "First column in 'before', from 0"};
const field<std::int64_t> before_row{"before_row", "First row in 'before'"};
const field<std::int64_t> after_column{"after_column", "First column in 'after'"};
const field<std::int64_t> after_row{"after_row", "First row in 'after'"};
const gdalmcp::record window_record{
    "window", "The cells both rasters have", {before_column, before_row, after_column, after_row, width, height}};

const field<std::int64_t> band_number{"band", "From 1"};
const auto unit_field = field<std::string>{"unit", "Of the figures, where declared"}.optional();
const field<std::int64_t> valid_count{"valid_count", "Cells with data in both", "cells"};
const field<std::int64_t> nodata_count{"nodata_count", "Cells without, or infinite, in either", "cells"};
const auto min = field<double>{"min", "Of after - before; absent, as the others, without valid cells"}.optional();
const auto max = field<double>{"max", "Largest"}.optional();
const auto mean = field<double>{"mean", "Mean"}.optional();
const auto std_field = field<double>{"std", "Standard deviation, population form"}.optional();
const field<std::int64_t> increased{"increased", "Cells that rose", "cells"};
const field<std::int64_t> decreased{"decreased", "Cells that fell", "cells"};
const field<std::int64_t> unchanged{"unchanged", "Within 'tolerance'", "cells"};
const auto band_table = gdalmcp::table{
    "bands",
    "With difference",
    {band_number, unit_field, valid_count, nodata_count, min, max, mean, std_field, increased, decreased,
     unchanged}}.optional();

const auto all_valid = field<std::int64_t>{"valid_count", "With classes: cells with data in both", "cells"}.optional();
const auto all_nodata =
    field<std::int64_t>{"nodata_count", "With classes: cells without in either", "cells"}.optional();
const auto unchanged_share = field<double>{"unchanged_share", "Of the valid cells", "0 to 1"}.optional();
const auto changed_area =
    field<double>{"changed_ha", "True area that changed; areas are absent without a CRS", "ha"}.optional();
struct side {
    std::string path;
    gdal::dataset_ptr source;
    grid on;
    gdal::dataset_ptr part;  // its common window; nullptr where that is all of it
    std::vector<int> numbers;

    GDALRasterBand& band(std::size_t i) const { return *(part ? *part : *source).GetRasterBand(numbers[i]); }
    GDALRasterBand& whole(std::size_t i) const { return *source->GetRasterBand(numbers[i]); }
    std::string band_text(std::size_t i) const { return "band " + std::to_string(numbers[i]) + " of " + path; }
};

side opened(const gdalmcp::call& call, const arg<gdalmcp::raster>& uri) {
    side s;
    s.path = call[uri].path;
    s.source = open_raster(call[uri], call[subdataset_of_both]);
    s.on = grid_of(*s.source);
    s.numbers = band_numbers(*s.source, call[bands_compared]);
    for (std::size_t i = 0; i < s.numbers.size(); ++i) require_real(s.whole(i));
    return s;
}

struct comparison {
    side before, after;
    grid on;  // of the common window
};

comparison opened(gdalmcp::call& call) {
    comparison c;
    c.before = opened(call, before_uri);
    c.after = opened(call, after_uri);
    const auto bands_text = [](const side& s) { return s.path + " has " + std::to_string(s.numbers.size()); };
    if (c.before.numbers.size() != c.after.numbers.size())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "the numbers of bands differ: " + bands_text(c.before) + ", " + bands_text(c.after),
                    "name those to compare with 'bands'"};
    const auto bands_of = [](const side& s) { return bands_in_order{s.path, *s.source, s.numbers}; };
    if (const auto doubt = doubt_of_order(bands_of(c.before), bands_of(c.after), true); !doubt.empty())
        call.warn(doubt);
    const auto common = common_window_of({c.before.path, c.before.on}, {c.after.path, c.after.on});
    for (const auto& line : common.said) call.warn(line);
    c.before.part = windowed(*c.before.source, common.first);
    c.after.part = windowed(*c.after.source, common.second);
    c.on = without_heights(part_of(c.before.on, common.first));
    if (c.on.crs.IsEmpty()) c.on.crs = without_heights(c.after.on).crs;
    if (c.before.part || c.after.part)
        call.say("compared " + std::to_string(common.first.width) + " × " + std::to_string(common.first.height) +
                 " cells that both rasters have: the extents differ");
    auto at = call.at(window_record);
    at.put(before_column, common.first.column);
    at.put(before_row, common.first.row);
    at.put(after_column, common.second.column);
    at.put(after_row, common.second.row);
    at.put(width, common.first.width);
    at.put(height, common.first.height);
    return c;
}

// Declared classes have no differences; whole numbers that only look like codes cause a warning.
void check_measurements(gdalmcp::call& call, const side& s, std::size_t i) {
    const auto found = gdal::kind_of(s.whole(i));
    const bool codes = found.kind == gdal::value_kind::classes || found.kind == gdal::value_kind::qa_bits;
    if (codes && found.certain)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    s.band_text(i) + " holds codes (" + found.why + "): their difference has no meaning",
                    "compare them with \"mode\": \"classes\""};
    if (codes) call.warn(s.band_text(i) + " looks like codes (" + found.why + "); if it is, use mode classes");
    if (found.kind == gdal::value_kind::angle)
        call.warn(s.band_text(i) + " holds angles; if they are directions, 359 to 1 counts as -358, not as 2 degrees");
}

// The unit of the differences. Refused: two units; unless they are spellings of one.
std::string unit_of(gdalmcp::call& call, const comparison& c, std::size_t i) {
    const auto before = height_unit(c.before.whole(i), c.before.on.crs),
               after = height_unit(c.after.whole(i), c.after.on.crs);
    if (before == after) return before;
    const auto &known = before.empty() ? after : before, &silent = before.empty() ? c.before.path : c.after.path;
    if (before.empty() || after.empty()) {
        call.warn(silent + " states no unit; it was taken to be " + known);
        return known;
    }
    if (same_unit(before, after)) return before;
    throw error{GDALMCP_INVALID_ARGUMENT,
                "the units differ: " + c.before.band_text(i) + " is in " + before + ", " + c.after.band_text(i) +
                    " in " + after,
                "bring one to the unit of the other with raster_calc"};
}

input_form form_of(gdalmcp::call& call, const side& s, std::size_t i) {
    auto& band = s.whole(i);
    tell_ignored_scale(call, s.path, band);
    if (band.GetScale() != 1 || band.GetOffset() != 0)
        call.say("scale and offset of " + s.band_text(i) + " are applied");
    return {fits_float32(band.GetRasterDataType()), band.GetScale(), band.GetOffset()};
}

struct band_difference {
    std::string unit;
    input_form before, after;
    std::unique_ptr<statistics> figures = statistics_of(cell_type::float64, {1, 0, true});
};

void put_difference(gdalmcp::call& call, const comparison& c, std::size_t i, const band_difference& d,
                    const difference_counts& counts) {
    auto row = call.add(band_table);
    row.put(band_number, c.before.numbers[i]);
    if (!d.unit.empty()) row.put(unit_field, d.unit);
    const auto& seen = d.figures->counts();
    row.put(valid_count, seen.valid);
    row.put(nodata_count, seen.nodata);
    row.put(increased, counts.increased);
    row.put(decreased, counts.decreased);
    row.put(unchanged, counts.unchanged);
    if (seen.valid == 0)
        return call.warn("no cell has data in " + c.before.band_text(i) + " and in " + c.after.band_text(i));
    warn_of_one_scale(call, c.before.band_text(i), c.before.whole(i), c.after.band_text(i), c.after.whole(i));
    warn_of_undeclared_nodata(call, c.before.path, c.before.whole(i));
    warn_of_undeclared_nodata(call, c.after.path, c.after.whole(i));
    row.put(min, d.figures->min());
    row.put(max, d.figures->max());
    row.put(mean, d.figures->mean());
    row.put(std_field, d.figures->std());
}

void difference(gdalmcp::call& call, const comparison& c) {
    const std::size_t n = c.before.numbers.size();
    std::vector<band_difference> all(n);
    bool single = true;
    for (std::size_t i = 0; i < n; ++i) {
        check_measurements(call, c.before, i);
        check_measurements(call, c.after, i);
        all[i].unit = unit_of(call, c, i);
        all[i].before = form_of(call, c.before, i);
        all[i].after = form_of(call, c.after, i);
        single = single && all[i].before.single && all[i].after.single;
    }
    const auto type = single ? GDT_Float32 : GDT_Float64;
    raster_output out{call[output].path, c.on, type, static_cast<int>(n)};
    out.nodata(std::numeric_limits<double>::quiet_NaN());
    gdal::block_job job;
    const auto read_as = [](const input_form& f) { return f.single ? GDT_Float32 : GDT_Float64; };
    for (std::size_t i = 0; i < n; ++i) {
        auto& band = out.band(static_cast<int>(i) + 1);
        const std::string said = c.before.whole(i).GetDescription();
        band.SetDescription(("after - before" + (said.empty() ? said : " of " + said)).c_str());
        if (!all[i].unit.empty()) band.SetUnitType(all[i].unit.c_str());
        job.read(c.before.band(i), read_as(all[i].before));
        job.read(c.after.band(i), read_as(all[i].after));
        job.write(band, GDT_Float64);
    }
    const auto size = job.size();
    for (auto& d : all) d.figures->begin(size.blocks, size.workers, false);
    std::vector<difference_counts> counts(size.workers * n);
    const double limit = call[tolerance];
    job.run(call.part(0, 0.95, "comparing"), [&](const gdal::block& b) {
        for (std::size_t i = 0; i < n; ++i) {
            const auto cells_of = [&](std::size_t k, const input_form& f) {
                return stored_cells{{b.in<unsigned char>(k, 0), b.all_valid(k) ? nullptr : b.valid(k, 0)}, f};
            };
            counts[b.worker * n + i].merge(subtract(cells_of(2 * i, all[i].before), cells_of(2 * i + 1, all[i].after),
                                                    static_cast<std::size_t>(b.cells()), limit, b.out<double>(i, 0)));
            add_block(*all[i].figures, b, b.out<double>(i, 0));
        }
    });
    for (auto& d : all) d.figures->end();
    constexpr double most = std::numeric_limits<float>::max();
    for (std::size_t i = 0; single && i < n; ++i)
        if (const auto& f = *all[i].figures; f.counts().valid > 0 && (f.max() > most || f.min() < -most))
            throw error{GDALMCP_UNSUPPORTED,
                        "the differences of band " + std::to_string(c.before.numbers[i]) + " run from " +
                            gdal::number_text(f.min()) + " to " + gdal::number_text(f.max()) +
                            ", beyond the range of Float32",
                        "convert one raster to Float64 with raster_convert first, or declare its nodata value"};
    out.close();
    call.expect(output, expected_raster(c.on, static_cast<std::int64_t>(n), dtype_name(type)));

    call.begin(band_table);
    for (std::size_t i = 0; i < n; ++i) {
        difference_counts sum;
        for (std::size_t w = 0; w < size.workers; ++w) sum.merge(counts[w * n + i]);
        put_difference(call, c, i, all[i], sum);
    }
    if (const auto doubt = unequal_cells(c.on); !doubt.empty()) call.warn(doubt);
}

void changes(gdalmcp::call& call, const comparison& c) {
    if (c.before.numbers.size() != 1)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "mode classes compares one band, and " + std::to_string(c.before.numbers.size()) + " are there",
                    "name one with 'bands'"};
    if (call[tolerance] != 0)
        throw error{GDALMCP_INVALID_ARGUMENT, "'tolerance' is given, which mode classes does not have",
                    "leave 'tolerance' out"};
    const std::string instead =
        "compare measurements with \"mode\": \"difference\"; raster_convert with dtype Byte or Int32 makes whole "
        "numbers of codes";
    class_pair codes{{c.before.path, c.before.band(0), instead}, {c.after.path, c.after.band(0), instead}};
    warn_of_undeclared_nodata(call, c.before.path, c.before.whole(0));
    warn_of_undeclared_nodata(call, c.after.path, c.after.whole(0));
    const change_names names{gdal::class_names{c.before.whole(0)}, gdal::class_names{c.after.whole(0)}};
    const auto areas = areas_of(call, c.on);
    std::optional<true_areas> per_run;
    if (areas) per_run.emplace(*areas);
    const auto found = measure_changes(codes, per_run ? &*per_run : nullptr, call.part(0, 0.5, "counting changes"));
    if (per_run) per_run->tell_missing(call);

    const auto type = found.changes.size() < 256 ? GDT_Byte : GDT_UInt16;
    raster_output out{call[output].path, c.on, type, 1};
    out.nodata(0);
    out.band(1).SetDescription("change");
    map_changes(codes, found.changes, out.band(1), call.part(0.5, 0.95, "mapping changes"));
    attach_changes(found.changes, names, areas.has_value(), out.band(1));
    out.close();
    call.expect(output, expected_raster(c.on, 1, dtype_name(type)));

    const auto balances = balances_of(found.changes);
    class_size kept, changed;
    for (const auto& each : balances) kept.count += each.second.unchanged.count, changed.area += each.second.loss.area;
    call.put(all_valid, found.counts.valid);
    call.put(all_nodata, found.counts.nodata);
    if (found.counts.valid > 0)
        call.put(unchanged_share, static_cast<double>(kept.count) / static_cast<double>(found.counts.valid));
    else
        call.warn("no cell has data in both rasters");
    if (areas) call.put(changed_area, changed.area / 1e4);
    put_changes(call, found.changes, balances, {names, areas.has_value()});
}

void run(gdalmcp::call& call) {
    const auto c = opened(call);
    call[mode].value == "classes" ? changes(call, c) : difference(call, c);
    crs.put(call, c.on.crs);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_compare", "Compare rasters",
     "What changed between two rasters of one place, in cells with data in both: differences of measurements, or the "
     "areas "
     "that changed from class to class. Grids must coincide, extents may differ. Output: the difference, or a map that "
     "numbers the changes.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {before_uri, after_uri, mode, bands_compared, tolerance, output, subdataset_of_both, overwrite},
    {window_record, band_table, all_valid, all_nodata, unchanged_share, changed_area, change_table, matched_total,
     truncated, balance_table, crs.all}};

}  // namespace gdalmcp_raster::raster_compare
