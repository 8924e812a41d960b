// aggregate_fuse: rasters of different cells, extents and CRSs as the bands of one raster on one grid.
#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/gdal_cell_area.hpp>

#include <cmath>

#include "datasets/gdal_class_table.hpp"
#include "datasets/gdal_output.hpp"
#include "gdal_fused_input.hpp"
#include "raster/arguments.hpp"
#include "raster/gdal_another_turn.hpp"
#include "raster/gdal_cell_type.hpp"
#include "raster/gdal_common_window.hpp"
#include "raster/gdal_resampling_doubts.hpp"
#include "raster/gdal_undeclared_nodata.hpp"
#include "raster/gdal_whole_type.hpp"
#include "raster/resampling.hpp"
#include "tools.hpp"

namespace gdalmcp_aggregation_more::aggregate_fuse {
namespace {

using namespace gdalmcp_raster;
using gdalmcp::arg;
using gdalmcp::choice;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;

constexpr double most_cells = 1e9, tolerated = 1e-3;
constexpr double near = 1e-6;  // of a cell
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<const char*> method_choices() {
    auto all = resampling_choices();
    all.push_back("copy");
    return all;
}

const arg<std::vector<gdalmcp::raster>> uris{
    .name = "uris", .about = "Rasters of one band each, with a CRS.", .min_items = 1, .max_items = 100};
const arg<std::optional<std::vector<choice>>> methods{
    .name = "methods",
    .about =
        "One for each of 'uris', in their order: sum for counts, average for intensities, mode for classes; copy "
        "for a raster that has the target grid. Required unless all have it.",
    .values = method_choices(),
    .synonyms = resampling_synonyms(),
    .min_items = 1};
const arg<std::optional<gdalmcp::raster>> align_to{
    .name = "align_to", .about = "Raster whose grid is the target; instead of 'resolution', 'crs' and 'bounds'."};
const auto resolution = resolution_argument("Cell size.", "units of 'crs'");
const arg<std::optional<gdalmcp::output_crs>> crs_wanted{.name = "crs", .about = "Of the target, with 'resolution'."};
const arg<std::optional<std::vector<double>>> bounds_wanted{
    .name = "bounds",
    .about = "[minx, miny, maxx, maxy] in 'crs'. Default: around all rasters, at multiples of 'resolution'.",
    .min_items = 4,
    .max_items = 4};

const field<std::string> path{"path", "File; its name describes the band"};
const field<std::string> source_crs_field{"crs", "Its CRS"};
const field<std::vector<double>> cell{"cell", "[width, height] there", "units of its CRS"};
const field<std::vector<double>> extent{"extent", "[minx, miny, maxx, maxy] there", "units of its CRS"};
const field<std::string> method_used{"method", "copy: cells unchanged"};
const field<std::int64_t> cells_before{"cells_before", "Of the source", "cells"};
const field<double> outside{"outside_share", "Of the source's cells, outside the target", "0 to 1"};
const field<double> missing_before{"nodata_before", "Share of the covered cells of the source", "0 to 1"};
const field<double> missing_after{"nodata_after", "Share of the target's cells", "0 to 1"};
const auto total_before = field<double>{"total_before", "With sum, of the covered part"}.optional();
const auto total_after = field<double>{"total_after", "With sum"}.optional();
const auto difference = field<double>{"relative_difference", "Of the totals; absent where the first is 0"}.optional();
const auto mean_before = field<double>{"mean_before", "Of covered cells; not of classes, as all below"}.optional();
const auto mean_after = field<double>{"mean_after", "In the target"}.optional();
const auto std_before = field<double>{"std_before", "Standard deviation, population form"}.optional();
const auto std_after = field<double>{"std_after", "In the target"}.optional();
const auto classes_before = field<std::int64_t>{"classes_before", "Classes in the covered part"}.optional();
const auto classes_after = field<std::int64_t>{"classes_after", "In the target"}.optional();
const auto lost_share = field<double>{"lost_class_share", "Share of the area whose class is gone", "0 to 1"}.optional();
const gdalmcp::table inputs{"inputs",
                            "In the order of the bands",
                            {path, source_crs_field, cell, extent, method_used, cells_before, outside, missing_before,
                             missing_after, total_before, total_after, difference, mean_before, mean_after, std_before,
                             std_after, classes_before, classes_after, lost_share}};
const field<std::string> dtype{"dtype", "Data type of the bands"};

void require_one_target(gdalmcp::call& call) {
    const bool described = call[resolution] || call[crs_wanted] || call[bounds_wanted];
    if (call[align_to] && described)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'align_to' fixes the target grid, but 'resolution', 'crs' or 'bounds' is given too",
                    "leave one side out"};
    if (!call[align_to] && !(call[resolution] && call[crs_wanted]))
        throw error{GDALMCP_INVALID_ARGUMENT, "the target grid is unknown",
                    "give 'resolution' and 'crs', or a raster that has the grid as 'align_to'"};
}

// Bounds that PROJ finds for a raster across the end of a map, or around a pole, may hold a part of it.
void require_all_inside(const fused_input& input, const OGREnvelope& there, OGRCoordinateTransformation& way,
                        const OGRSpatialReference& target) {
    auto [x, y] = gdal::detail::points_across(input.on.extent());
    const auto placed = gdal::transform_each(way, x, y);
    const double beside = (there.MaxX - there.MinX) / 100, above = (there.MaxY - there.MinY) / 100;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (placed[i] && (x[i] < there.MinX - beside || x[i] > there.MaxX + beside || y[i] < there.MinY - above ||
                          y[i] > there.MaxY + above))
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "where " + input.path + " lies in " + gdal::crs_label(target) +
                            " is not clear: it crosses longitude 180, the end of the map or a pole",
                        "give 'bounds'"};
}

// Around all inputs, in the CRS of the target.
OGREnvelope extent_of(const std::vector<fused_input>& all, const OGRSpatialReference& target) {
    OGREnvelope box;
    for (const auto& input : all) {
        const auto own = input.on.extent();
        OGREnvelope there = own;
        if (const auto way = way_between(input.on.crs, target)) {
            gdalmcp_raster::refuse_another_turn(input.path, input.on, target, std::nullopt);
            const gdal::quiet silence;
            if (!way->TransformBounds(own.MinX, own.MinY, own.MaxX, own.MaxY, &there.MinX, &there.MinY, &there.MaxX,
                                      &there.MaxY, 21))
                throw error{GDALMCP_INVALID_ARGUMENT,
                            "a part of " + input.path + " has no place in " + gdal::crs_label(target), "give 'bounds'"};
            require_all_inside(input, there, *way, target);
        }
        box.Merge(there);
    }
    return box;
}

grid grid_over(const OGREnvelope& box, double width, double height, const OGRSpatialReference& crs) {
    const double columns = std::max(1.0, std::ceil((box.MaxX - box.MinX) / width - near)),
                 rows = std::max(1.0, std::ceil((box.MaxY - box.MinY) / height - near));
    if (!(columns * rows <= most_cells))
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            "cells of " + gdal::number_text(width) + " × " + gdal::number_text(height) + " over " +
                gdal::extent_text(box, crs) + " are " + gdal::number_text(columns * rows) + ", more than 1e9",
            std::string{"give a larger 'resolution', or 'bounds'"} + (crs.IsGeographic() ? "; it is in degrees" : "")};
    grid on;
    on.crs = crs;
    on.georeferenced = true;
    on.width = static_cast<int>(columns);
    on.height = static_cast<int>(rows);
    on.geotransform = {box.MinX, width, 0, box.MaxY, 0, -height};
    return on;
}

// Whole cells from the upper left corner of 'bounds' may reach beyond it.
void warn_of_wider_grid(gdalmcp::call& call, const OGREnvelope& asked, const grid& on) {
    const auto made = on.extent();
    if (std::abs(made.MaxX - asked.MaxX) <= near * on.cell_width() &&
        std::abs(made.MinY - asked.MinY) <= near * on.cell_height())
        return;
    call.warn("'bounds' are no whole number of cells of " + gdal::number_text(on.cell_width()) + " × " +
              gdal::number_text(on.cell_height()) + ": asked for was " + gdal::box_text(asked) + ", the grid covers " +
              gdal::box_text(made) + "; give bounds that differ by multiples of 'resolution'");
}

grid target_of(gdalmcp::call& call, const std::vector<fused_input>& all) {
    if (const auto other = call[align_to]) {
        grid on = grid_of(*gdalmcp_datasets::open_stored_raster(*other, std::nullopt, ""));
        warp_request check;
        check.align_to = on;
        check.dst_crs = on.crs;
        check_grid(check);
        return on;
    }
    const auto crs = gdal::crs_argument(call[crs_wanted]->text, "crs");
    const auto size = *call[resolution];
    const double width = size.front(), height = size.back();
    OGREnvelope box;
    if (const auto b = call[bounds_wanted]) {
        warp_request check;
        check.dst_crs = crs;
        check.bounds = {{(*b)[0], (*b)[1], (*b)[2], (*b)[3]}};
        check_grid(check);
        box.MinX = (*b)[0], box.MinY = (*b)[1], box.MaxX = (*b)[2], box.MaxY = (*b)[3];
        if (box.MaxX <= box.MinX)
            throw error{GDALMCP_INVALID_ARGUMENT, "'bounds' cross the antimeridian, where the grid would be torn",
                        "continue them beyond 180 degrees"};
    } else {
        box = extent_of(all, crs);
        box.MinX = std::floor(box.MinX / width + near) * width;
        box.MaxX = std::ceil(box.MaxX / width - near) * width;
        box.MinY = std::floor(box.MinY / height + near) * height;
        box.MaxY = std::ceil(box.MaxY / height - near) * height;
    }
    const grid on = grid_over(box, width, height, crs);
    if (call[bounds_wanted]) warn_of_wider_grid(call, box, on);
    return on;
}

std::string kinds_text(const std::vector<fused_input>& all) {
    std::string text;
    for (const auto& input : all)
        text += (text.empty() ? "" : "; ") + input.path + ": " + gdal::name_of(input.kind.kind) + " (" +
                input.kind.why + ")" + (input.aligned ? ", on the target grid" : "");
    return text;
}

void refuse_conflict(gdalmcp::call& call, const fused_input& input) {
    const auto doubt = gdalmcp_raster::doubt_of_method(input.path, input.band(), input.kind, input.method);
    if (doubt.empty()) return;
    const bool codes = input.kind.kind == gdal::value_kind::classes || input.kind.kind == gdal::value_kind::qa_bits;
    if (codes && input.kind.certain)
        throw error{GDALMCP_INVALID_ARGUMENT, doubt, "give mode, which keeps the dominant class, or nearest"};
    call.warn(doubt);
}

void choose_methods(gdalmcp::call& call, std::vector<fused_input>& all, const grid& target) {
    for (auto& input : all) input.aligned = same_grid(input.on, target);
    const auto given = call[methods];
    const bool needed = std::any_of(all.begin(), all.end(), [](const auto& i) { return !i.aligned; });
    if (given ? given->size() != all.size() : needed)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    (given ? "'methods' has " + std::to_string(given->size()) : "'methods' is missing") + " for " +
                        std::to_string(all.size()) + " rasters: " + kinds_text(all),
                    "give one method for each, in the order of 'uris': sum for counts, average for intensities, mode "
                    "for classes, copy for those on the target grid"};
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto& input = all[i];
        input.method = input.aligned ? "copy" : (*given)[i].value;
        if (input.method == "copy" && !input.aligned)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "'methods' has copy for a raster of another grid: " + grid_text({input.path, input.on}) + ", " +
                            grid_text({"the target", target}),
                        "give sum, average, mode or another method"};
        if (input.aligned) continue;
        refuse_conflict(call, input);
        if (const auto text = gdalmcp_raster::note_of_ranks(input.method); !text.empty()) call.warn(text);
    }
}

// Refuses a datum shift that is not known, and heights above another surface.
void check_way(gdalmcp::call& call, const fused_input& input, const grid& target) {
    for (const auto& note : gdalmcp_raster::require_same_heights({input.path, input.on}, {"the grid", target}))
        call.warn(note);
    gdalmcp_raster::refuse_another_turn(input.path, input.on, target.crs, target.extent());
    if (gdal::detail::coincide(input.on.crs, target.crs)) return;
    const auto way = gdal::required_operation(
        input.on.crs, target.crs, gdal::wgs84_bounds(input.on.extent(), input.on.crs), call[standard::allow_ballpark]);
    for (const auto& doubt : gdal::doubts(way)) call.warn(input.path + ": " + doubt);
}

// Cells that are only chosen or copied keep their type, whole ones with a nodata value that none of them is; computed
// ones are doubles.
stored_as type_for(const std::vector<fused_input>& all) {
    std::vector<GDALRasterBand*> bands;
    bool single = true;
    for (const auto& input : all) {
        if (!input.aligned && computes_values(input.method)) return {GDT_Float64, nan};
        bands.push_back(&input.band());
        single = single && fits_float32(input.band().GetRasterDataType());
    }
    return whole_type(bands).value_or(stored_as{single ? GDT_Float32 : GDT_Float64, nan});
}

// Copies the cells into the band, `none` where there is no data, and counts them.
fused_figures write_band(const fused_input& input, const grid& target, GDALRasterBand& from, GDALRasterBand& to,
                         double none, const std::function<void(double)>& report) {
    const auto areas = input.labels()
                           ? gdal::cell_areas::of(target.crs, target.geotransform, target.width, target.height)
                           : std::nullopt;
    fused_figures figures{input.labels()};
    gdal::block_job job;
    job.read(from, GDT_Float64);
    job.write(to, GDT_Float64);
    job.workers = 0;  // figures are of all blocks
    job.run(report, [&](const gdal::block& b) {
        for (int row = 0; row < b.height; ++row) {
            const auto* value = b.in<double>(0, row);
            const auto* valid = b.valid(0, row);
            auto* out = b.out<double>(0, row);
            for (int i = 0; i < b.width; ++i) {
                out[i] = valid[i] ? value[i] : none;
                if (valid[i])
                    figures.add(value[i], 1, areas ? areas->at(b.column + i + 0.5, b.row + row) : 1);
                else
                    figures.add_missing();
            }
        }
    });
    return figures;
}

// Whether neighbours of a raster lie at either end of the longitudes: GDAL's warper drops much of the cells between.
bool torn_at_180(const fused_input& input, const grid& target) {
    if (!gdal::detail::geographic(target.crs) || gdal::detail::geographic(input.on.crs)) return false;
    const gdal::quiet silence;
    const auto way = way_between(input.on.crs, target.crs);
    auto points = gdal::detail::points_across(input.on.extent());
    auto& x = points[0];
    const auto placed = gdal::transform_each(*way, x, points[1]);
    const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(x.size()))));
    const auto jumps = [&](std::size_t a, std::size_t b) {
        return placed[a] && placed[b] && std::abs(x[a] - x[b]) > 180;
    };
    for (std::size_t i = 0; i < x.size(); ++i)
        if ((i % side > 0 && jumps(i - 1, i)) || (i >= side && jumps(i - side, i))) return true;
    return false;
}

void put_totals(gdalmcp::call& call, gdalmcp::place& row, const fused_input& input, const grid& target,
                const fused_figures& before, const fused_figures& after) {
    row.put(total_before, before.total());
    row.put(total_after, after.total());
    const double relative = relative_difference(before.total(), after.total());
    if (std::isfinite(relative)) row.put(difference, relative);
    if (std::abs(relative) > tolerated)
        call.warn("the sum did not keep the total of " + input.path + ": " + gdal::number_text(before.total()) +
                  " in the covered part became " + gdal::number_text(after.total()) +
                  (torn_at_180(input, target)
                       ? "; what is missing is of its cells across longitude 180 and at the pole: first split them, "
                         "with sum to a twentieth of the cell size in " +
                             gdal::crs_text(input.on.crs) + ", and fuse that"
                       : std::string{"; use a finer 'resolution', or one that is a whole multiple of its cells, with "
                                     "bounds along them"}));
}

void put_input(gdalmcp::call& call, const fused_input& input, const grid& target, const source_figures& source,
               const fused_figures& after) {
    const auto& before = source.inside;
    auto row = call.add(inputs);
    const auto box = input.on.extent();
    row.put(path, input.path);
    row.put(source_crs_field, gdal::crs_text(input.on.crs));
    row.put(cell, {input.on.cell_width(), input.on.cell_height()});
    row.put(extent, {box.MinX, box.MinY, box.MaxX, box.MaxY});
    row.put(method_used, input.method);
    row.put(cells_before, static_cast<std::int64_t>(input.on.width) * input.on.height);
    row.put(outside, source.outside);
    constexpr double much = 0.005;
    if (!call[bounds_wanted] && !call[align_to] && source.outside > much)
        call.warn(gdal::number_text(std::round(1000 * source.outside) / 10) + " % of " + input.path +
                  " lie outside the grid, which was meant to be around all rasters: give 'bounds'");
    row.put(missing_before, before.missing_share());
    row.put(missing_after, after.missing_share());
    if (input.summed()) put_totals(call, row, input, target, before, after);
    if (input.labels() && !before.too_many_classes() && !after.too_many_classes()) {
        row.put(classes_before, before.class_count());
        row.put(classes_after, after.class_count());
        row.put(lost_share, before.share_lost_in(after));
    }
    if (input.labels()) return;
    if (before.valid() > 0) row.put(mean_before, before.mean()), row.put(std_before, before.std());
    if (after.valid() > 0) row.put(mean_after, after.mean()), row.put(std_after, after.std());
}

void run(gdalmcp::call& call) {
    require_one_target(call);
    std::vector<fused_input> all;
    for (const auto& raster : call[uris]) all.push_back(open_input(raster));
    const grid target = target_of(call, all);
    for (const auto& input : all) gdalmcp_raster::warn_of_undeclared_nodata(call, input.path, input.band());
    choose_methods(call, all, target);
    for (const auto& input : all) check_way(call, input, target);
    const double work = static_cast<double>(target.width) * target.height * static_cast<double>(all.size());
    if (work > 1e8) call.takes_long();

    const int count = static_cast<int>(all.size());
    const auto [type, none] = type_for(all);
    raster_output out{call[output].path, target, type, count};
    out.nodata(*none);
    call.begin(inputs);
    for (int i = 0; i < count; ++i) {
        const auto& input = all[static_cast<std::size_t>(i)];
        const double from = 0.95 * i / count, step = 0.95 / count;
        const auto source = figures_before(input, target, call.part(from, from + step / 3, "counting"));
        if (source.inside.valid() == 0)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "no cell with data of " + input.path + ", which covers " +
                            gdal::extent_text(input.on.extent(), input.on.crs) + ", lies in the target, " +
                            gdal::extent_text(target.extent(), target.crs),
                        "leave it out, or give other 'bounds'"};
        gdal::dataset_ptr warped;
        gdal::step warping{call, from + step / 3, from + 2 * step / 3};
        if (!input.aligned) warped = warp_input(input, target, call.new_scratch("fused", ".tif"), warping);
        auto& band = out.band(i + 1);
        const auto after = write_band(input, target, warped ? *warped->GetRasterBand(1) : input.band(), band, *none,
                                      call.part(from + 2 * step / 3, from + step, "writing"));
        band.SetDescription(CPLGetBasename(input.path.c_str()));
        band.SetUnitType(input.band().GetUnitType());
        if (input.labels()) keep_classes(input.band(), band);
        put_input(call, input, target, source, after);
    }
    out.close();
    call.expect(output, expected_raster(target, count, dtype_name(type)));
    call.put(dtype, dtype_name(type));
    call.put(transform, target.affine());
    put_grid(call, target);
}

}  // namespace

const gdalmcp::tool tool{
    {"aggregate_fuse", "Rasters on one grid",
     "Brings rasters of different resolutions, extents and CRSs to one grid, a band each, by GDAL's warper with a "
     "method for each, and states what was lost. Nothing is guessed: kinds of values decide the method.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uris, methods, align_to, resolution, crs_wanted, bounds_wanted, standard::allow_ballpark, output, overwrite},
    {inputs, dtype, transform, crs.all, width, height}};

}  // namespace gdalmcp_aggregation_more::aggregate_fuse
