#include <algorithm>
#include <gdalmcp/evidence.hpp>

#include "arguments.hpp"
#include "datasets/gdal_programs.hpp"
#include "evidence_tools.hpp"
#include "gdal_kind.hpp"
#include "gdal_resampling_doubts.hpp"
#include "gdal_trial_piece.hpp"
#include "gdal_warp_extent.hpp"
#include "resampling.hpp"

namespace gdalmcp_raster::resampling_trial {
namespace {

using gdalmcp::arg;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;
namespace evidence = gdalmcp::evidence;

const arg<gdalmcp::choice> method{.name = "method",
                                  .about = "The resampling method under consideration.",
                                  .values = resampling_choices(),
                                  .synonyms = resampling_synonyms()};
const auto resolution = resolution_argument(
    "Cell size of the result: one number, or [x, y]. Default: what GDAL suggests for dst_crs.", "units of dst_crs");
const arg<std::optional<std::int64_t>> columns{.name = "width", .about = "Columns instead.", .unit = "cells", .min = 1};
const arg<std::optional<std::int64_t>> rows{.name = "height", .about = "Rows instead.", .unit = "cells", .min = 1};
const arg<std::optional<std::vector<double>>> bounds_wanted{
    .name = "bounds", .about = "Extent of the result; default: the raster's.", .min_items = 4, .max_items = 4};
const arg<std::optional<gdalmcp::crs>> bounds_crs{.name = "bounds_crs", .about = "Default: dst_crs."};
const arg<std::optional<gdalmcp::raster>> align_to{.name = "align_to", .about = "Raster whose cell size it is."};
const arg<std::optional<gdalmcp::geometry>> area{
    .name = "geometry", .about = "Instead of 'bounds': what is cut out of the raster, read at 'resolution'."};
const auto& area_crs = gdalmcp::standard::geometry_crs;
const arg<std::optional<gdalmcp::crs>> dst_crs{
    .name = "dst_crs", .about = "CRS of the result. Default: the raster's own; then 'resolution' is needed."};
const arg<std::optional<gdalmcp::crs>> src_crs{.name = "src_crs", .about = "CRS of the raster instead of its own."};
const arg<bool> tap{.name = "tap", .about = "Extent at multiples of 'resolution'.", .fallback = false};
const arg<std::optional<std::string>> target{.name = "target", .about = "File the result would be written to."};
const auto bands_wanted = gdalmcp::standard::described(
    gdalmcp::standard::bands, "Bands of the result, of which the first is tried. Default: all.");

const field<double> support{"support", "Input cells per output cell, by true area in the middle of the extent",
                            "input cells"};
const field<std::string> direction{
    "direction", "up = finer cells, same = 0.8 to 1.25 input cells per output cell, down = coarser cells"};
const field<double> nearest_uses{"nearest_uses", "Share of the input cells that nearest can use: min(1, 1 / support)",
                                 "0 to 1"};
const field<std::string> kind_field{"kind", "What the values look like: classes or continuous"};
const field<std::int64_t> trial_in{"trial_input",
                                   "Input cells of the trial; 0 where no piece of at most 512 x 512 input "
                                   "cells makes 8 x 8 to 2048 x 2048 output cells, and nothing was tried",
                                   "cells"};
const field<std::int64_t> trial_out{"trial_output", "Output cells of the trial", "cells"};

const field<std::string> method_name{"method", "Resampling method; the one under consideration is the first"};
const field<double> differing{"changed_share", "Share of the output cells whose value differs from nearest", "0 to 1"};
const field<double> data_cells{"data_cells", "Output cells with a value, for each that nearest gives one", "ratio"};
const auto foreign =
    field<double>{"foreign_share",
                  "Whole numbers only: share of the output cells with a value that no input cell has within the output "
                  "cell or its 3 x 3 neighbourhood",
                  "0 to 1"}
        .optional();
const auto change_value = field<double>{"class_changed_most",
                                        "Whole numbers only: of the eight commonest values, the one whose share of the "
                                        "cells changes most; left out where no value has 1 % of them"}
                              .optional();
const auto change = field<double>{"class_change", "Its relative change: 0.74 = 74 % more", "ratio"}.optional();
const auto variance_kept = field<double>{"variance_kept", "Variance of the output / of the input", "ratio"}.optional();
const auto min = field<double>{"min", "Smallest value of the output, as stored"}.optional();
const auto max = field<double>{"max", "Greatest value of the output, as stored"}.optional();
const auto slope_change =
    field<double>{
        "p99_slope_change",
        "Continuous values: relative change of the 99th percentile of the gradient (Horn); -0.2 = steep slopes "
        "a fifth flatter",
        "ratio"}
        .optional();
const auto type_loss =
    field<double>{
        "type_loss",
        "Whole numbers only: root mean square of what the data type rounds or clamps of the method's values, by "
        "their standard deviation",
        "ratio"}
        .optional();
const gdalmcp::table methods{
    "methods",
    "Each method's effect on the piece",
    {method_name, differing, data_cells, foreign, change_value, change, variance_kept, min, max, slope_change}};
const auto fills =
    field<double>{"fills", "'data_cells' of the method under consideration: 3.2 = it covers 3.2 times the area",
                  "ratio"}
        .optional();
const auto input_min = field<double>{"input_min", "Smallest value of the piece, as stored"}.optional();
const auto input_max = field<double>{"input_max", "Greatest value of the piece, as stored"}.optional();

// The requested method, then the others that suit the kind and the direction. Those that the checks of
// reflection-specs/resampling.yaml refuse for it are none: of directions nothing is computed, and totals are added.
std::vector<std::string> candidates(const std::string& asked, kind k, gdal::value_kind declared,
                                    double cells_per_cell) {
    std::vector<std::string> suited{"nearest"};
    if (k == kind::classes || declared == gdal::value_kind::angle)
        suited.emplace_back("mode");
    else if (declared == gdal::value_kind::count)
        suited = {"sum"};
    else
        suited.insert(suited.end(), {"bilinear", "cubic"});
    if (suited.size() > 2 && cells_per_cell > 1.25) suited.emplace_back("average");
    std::vector<std::string> all{asked};
    std::copy_if(suited.begin(), suited.end(), std::back_inserter(all), [&](const auto& s) { return s != asked; });
    return all;
}

struct outcome {
    std::string name;
    double changed = 0, covers = 1;
    std::optional<double> foreign, variance, slope;
    std::optional<share_change> classes;
    std::optional<value_range> range;
};

struct setting {
    const trial_grid& plan;
    const trial_piece& piece;
    kind judged;
    gdal::value_kind declared;  // unknown where the file declares none
    bool whole_numbers;
    std::string unit;
    double scale, offset;  // of the stored values
    cells nearest;
    std::vector<double> x{}, y{};  // origins of the output cells
    std::vector<value_share> common{};
    std::optional<value_range> input{};
    std::optional<double> input_gradient{};
};

std::ptrdiff_t valid_cells(const cells& c) {
    return std::count_if(c.valid.begin(), c.valid.end(), [](unsigned char v) { return v != 0; });
}

outcome measure_method(const setting& s, const std::string& name, const cells& out) {
    outcome o;
    o.name = name;
    o.changed = share_differing(out, s.nearest);
    o.covers = static_cast<double>(valid_cells(out)) / std::max(1.0, static_cast<double>(valid_cells(s.nearest)));
    o.range = range_of(out);
    if (o.range && s.input && s.input->variance > 0) o.variance = o.range->variance / s.input->variance;
    if (s.whole_numbers) {
        const int reach = std::max(1, static_cast<int>(std::ceil(std::sqrt(s.plan.support) / 2)));
        o.foreign = share_foreign(out, s.piece.input(), s.x, s.y, reach);
        o.classes = largest_change(s.common, out);
    }
    if (s.judged == kind::continuous && s.input_gradient && *s.input_gradient > 0)
        if (const auto steep = steep_gradient(out, s.plan.to.width, s.plan.to.height))
            o.slope = *steep / *s.input_gradient - 1;
    return o;
}

void put_outcome(gdalmcp::call& call, const outcome& o) {
    auto row = call.add(methods);
    row.put(method_name, o.name);
    row.put(differing, evidence::figure(o.changed));
    row.put(data_cells, evidence::figure(o.covers));
    if (o.foreign) row.put(foreign, evidence::figure(*o.foreign));
    if (o.classes) {
        row.put(change_value, o.classes->value);
        row.put(change, evidence::figure(o.classes->relative()));
    }
    if (o.variance) row.put(variance_kept, evidence::figure(*o.variance));
    if (o.range) {
        row.put(min, o.range->min);
        row.put(max, o.range->max);
    }
    if (o.slope) row.put(slope_change, evidence::figure(*o.slope));
}

std::string signed_percent(double share) {
    return std::abs(share) < 1e-4 ? std::string{"0 %"} : (share > 0 ? "+" : "") + evidence::percent(share);
}

constexpr double told_covering = 1.02;  // what ragged edges bring is less

// "" where there is nothing to say of it.
std::string clause_of(const outcome& o, kind k) {
    std::vector<std::string> says;
    if (o.covers >= told_covering) says.push_back("gives values to " + evidence::ratio(o.covers) + " x as many cells");
    if (k == kind::continuous) {
        if (o.variance) says.push_back("keeps " + evidence::percent(*o.variance) + " of the variance");
        if (o.slope) says.push_back("P99 of slope " + signed_percent(*o.slope));
    } else {
        if (o.name != "nearest") says.push_back("changes " + evidence::percent(o.changed) + " of cells");
        if (o.foreign && *o.foreign > 0) says.push_back(evidence::percent(*o.foreign) + " to absent values");
        if (o.classes)
            says.push_back((o.name == "nearest" ? "changes the share of class " : "the share of class ") +
                           gdal::number_text(o.classes->value) + " by " + signed_percent(o.classes->relative()));
    }
    std::string text;
    for (const auto& one : says) text += (text.empty() ? o.name + " " : ", ") + one;
    return text;
}

std::string support_clause(const trial_grid& plan) {
    return evidence::ratio(plan.support) + " input cells per output cell" +
           (plan.support > 1.25 ? " (nearest uses " + evidence::percent(1 / plan.support) + ")" : "");
}

// A single changed code counts: the share of cells that differ is reported as no less than this where any does.
constexpr double least_code_difference = 10 * evidence::tolerance;

// How far results on one grid lie apart, at most: by the value of a cell, or by the share of cells with another code.
double apart(const std::vector<cells>& results, bool codes) {
    if (!codes) return largest_relative_difference(results);
    double share = 0;
    for (std::size_t i = 0; i < results.size(); ++i)
        for (std::size_t k = i + 1; k < results.size(); ++k)
            share = std::max(share, share_unlike(results[i], results[k]));
    return share > 0 ? std::max(share, least_code_difference) : 0;
}

// What stored values stand for: an offset makes relative differences of stored ones smaller, or larger.
void to_real_values(std::vector<cells>& results, const setting& s) {
    if (s.scale == 1 && s.offset == 0) return;
    for (auto& c : results)
        for (double& v : c.values) v = v * s.scale + s.offset;
}

// results: of the methods `names`. whole: they are of the whole result.
void put_comparison(gdalmcp::call& call, const setting& s, const std::vector<std::string>& names,
                    std::vector<cells> results, bool whole) {
    if (names.size() < 2) return;
    const bool directions = s.declared == gdal::value_kind::angle;
    const bool codes = directions || (s.judged == kind::classes && s.whole_numbers);
    evidence::comparison found;
    if (!codes) to_real_values(results, s);
    found.relative = apart(results, codes);
    // A difference in a part is one in the result. No difference in a part leaves the rest open.
    if (found.relative <= evidence::tolerance && !whole) return;
    found.what = directions ? "share of output cells whose direction differs from nearest"
                 : codes    ? "share of output cells whose code differs from nearest"
                            : "mean of the output cells";
    found.exact = codes;
    if (!codes) {
        found.unit = s.unit;
        std::ptrdiff_t most = 0;
        for (const auto& c : results) most = std::max(most, valid_cells(c));
        keep_common(results);
        if (valid_cells(results.front()) < most) found.what += " that all methods fill";
    }
    if (!whole) found.what += ", of a sample";
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto range = range_of(results[i]);
        found.values.push_back({names[i], codes   ? share_unlike(results[i], s.nearest)
                                          : range ? range->mean
                                                  : std::nan("")});
    }
    evidence::put_spread(call, found);
}

// Of a grid whose cells are those of the input, under another CRS.
void put_same_cells(gdalmcp::call& call) {
    evidence::comparison found;
    found.what = "share of output cells that are none of the input";
    found.exact = true;
    found.values = {{"nearest", 0.0}, {"the cells as they are", 0.0}};
    evidence::put_spread(call, found);
}

// What a reprojection itself would refuse, as an error of the arguments, which no reason is asked for.
template <class Check>
void refused_before_asking(Check check) {
    try {
        check();
    } catch (const gdalmcp::error& e) {
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, e.message, e.hint};
    }
}

// Tries the candidates on a piece of the raster and returns clauses about them.
std::vector<std::string> try_all(gdalmcp::call& call, GDALDataset& source, const trial_grid& plan, kind judged) {
    const auto read = band_numbers(source, call[bands_wanted]);
    const int number = read.front();
    auto& b = *source.GetRasterBand(number);
    const trial_piece piece{source, number, plan, common_type(source, read)};
    const auto declared = gdal::declared_kind(gdal::signs_of(b, false));
    setting s{plan,
              piece,
              judged,
              declared && declared->certain ? declared->kind : gdal::value_kind::unknown,
              whole_numbers(b.GetRasterDataType()),
              b.GetUnitType(),
              b.GetScale(),
              b.GetOffset(),
              piece.resampled("nearest")};
    if (s.whole_numbers) {
        piece.origins(s.x, s.y);
        s.common = commonest(piece.input());
    }
    s.input = range_of(piece.input());
    if (judged == kind::continuous) s.input_gradient = steep_gradient(piece.input(), plan.from.width, plan.from.height);
    if (s.input) {
        refused_before_asking([&] { refuse_beyond_doubles(b, s.input->min, s.input->max); });
        call.put(input_min, s.input->min);
        call.put(input_max, s.input->max);
    }
    std::vector<std::string> clauses;
    std::vector<cells> results;
    const auto names = candidates(call[method].value, judged, s.declared, plan.support);
    for (std::size_t i = 0; i < names.size(); ++i) {
        call.progress(0.2 + 0.7 * static_cast<double>(i) / static_cast<double>(names.size()), names[i]);
        results.push_back(piece.resampled(names[i]));
        const auto o = measure_method(s, names[i], results.back());
        put_outcome(call, o);
        if (i == 0) call.put(fills, evidence::figure(o.covers));
        if (auto clause = clause_of(o, judged); !clause.empty()) clauses.push_back(std::move(clause));
        if (names[i] == call[method].value && s.whole_numbers && computes_values(names[i])) {
            const double loss = loss_of_type(results.back(), piece.resampled_exactly(names[i]));
            call.put(type_loss, evidence::figure(loss));
            if (loss > 0.01)
                clauses.push_back("rounding to " + std::string{GDALGetDataTypeName(b.GetRasterDataType())} + " adds " +
                                  evidence::percent(loss) + " of the standard deviation");
        }
    }
    call.progress(0.9, "comparing");
    const auto& w = piece.place();
    const bool whole = w == plan.place, all = w.width == source.GetRasterXSize() && w.height == source.GetRasterYSize();
    const int bands = source.GetRasterCount();
    const bool coincide = cells_coincide(source, plan);
    if (coincide && call[method].value == "nearest")
        put_same_cells(call);
    else
        put_comparison(call, s, names, std::move(results), (whole && bands == 1) || coincide);
    call.put(trial_in, w.cells());
    call.put(trial_out, static_cast<std::int64_t>(s.nearest.values.size()));
    const auto size = [](int columns, int rows) { return std::to_string(columns) + " x " + std::to_string(rows); };
    const auto piece_size = size(w.width, w.height) + " cells";
    auto part = evidence::put_read(call, whole,
                                   all ? "the whole raster"
                                       : piece_size + " from column " + std::to_string(w.column) + ", row " +
                                             std::to_string(w.row) + " on, of " +
                                             size(source.GetRasterXSize(), source.GetRasterYSize()),
                                   piece_size);
    if (bands > 1)
        part = "of band " + std::to_string(number) + " of " + std::to_string(bands) + (part.empty() ? "" : ", ") + part;
    if (!clauses.empty() && !part.empty()) clauses.front() = part + ": " + clauses.front();  // they are one
    return clauses;
}

// As a reprojection itself would refuse them, before a reason is asked for.
warp_request request_of(gdalmcp::call& call, const std::optional<OGRSpatialReference>& to) {
    warp_request r;
    r.resolution = call[resolution].value_or(std::vector<double>{});
    r.width = call[columns];
    r.height = call[rows];
    if (const auto b = call[bounds_wanted]) r.bounds = {{(*b)[0], (*b)[1], (*b)[2], (*b)[3]}};
    if (const auto c = call[bounds_crs]) r.bounds_crs = gdal::crs_argument(c->text, "bounds_crs");
    r.aligned = call[tap];
    if (const auto other = call[align_to]) r.align_to = grid_of(*gdal::open(*other));
    if (!to) return r;
    r.dst_crs = *to;
    check_grid(r);
    return r;
}

wanted_cells cells_wanted(gdalmcp::call& call, const warp_request& r, const grid& own) {
    wanted_cells w{r.resolution, r.width, r.height};
    if (r.bounds) w.bounds.assign(r.bounds->begin(), r.bounds->end());
    w.bounds_crs = r.bounds_crs;
    if (r.aligned) w.corner = {0, 0};
    if (r.align_to) {
        const auto box = r.align_to->extent();
        w.resolution = {r.align_to->cell_width(), r.align_to->cell_height()};
        w.bounds = {box.MinX, box.MinY, box.MaxX, box.MaxY};
        w.corner = {r.align_to->geotransform[0], r.align_to->geotransform[3]};
    }
    if (call.given(area) && w.bounds.empty() && !w.resolution.empty()) {
        const auto shape = gdal::place_geometry(*call[area], call[area_crs], {own.crs, own.extent()}).shape;
        OGREnvelope box;
        shape->getEnvelope(&box);
        const auto cells = bounds_of_cells(own, box, w.resolution.front(), w.resolution.back());
        w.bounds.assign(cells.begin(), cells.end());
    }
    return w;
}

// The raster as it lies in another CRS than its own.
gdal::dataset_ptr placed_in(GDALDataset& source, const gdalmcp::crs& where) {
    auto placed = gdalmcp_datasets::translate(
        source, "", {"-of", "VRT", "-a_srs", gdal::crs_text(gdal::crs_argument(where.text, "src_crs"))});
    if (!placed) gdal::raise(std::string{"cannot place "} + source.GetDescription() + " in " + where.text);
    return placed;
}

void run(gdalmcp::call& call) {
    if (const auto path = call[target]) refused_before_asking([&] { keeping_driver_for(*path); });
    const auto own = open_raster(call[uri], call[subdataset]);
    const auto placed = call[src_crs] ? placed_in(*own, *call[src_crs]) : nullptr;  // reads from it
    auto& source = placed ? *placed : *own;
    auto& b =
        *own->GetRasterBand(band_numbers(*own, call[bands_wanted]).front());  // the name of its file tells its kind
    require_real(b);
    std::optional<OGRSpatialReference> to;
    if (const auto c = call[dst_crs]) to = gdal::crs_argument(c->text, "dst_crs");
    const auto plan = plan_trial(source, to, cells_wanted(call, request_of(call, to), grid_of(source)));
    const auto judged = kind_of(b);
    call.put(support, evidence::figure(plan.support));
    call.put(direction, std::string{plan.support < 0.8 ? "up" : plan.support > 1.25 ? "down" : "same"});
    call.put(nearest_uses, evidence::figure(std::min(1.0, 1 / plan.support)));
    call.put(kind_field, std::string{judged == kind::classes ? "classes" : "continuous"});
    call.begin(methods);
    std::vector<std::string> clauses{support_clause(plan)};
    if (trial_side(plan.support, plan.place.width, plan.place.height)) {
        for (auto& clause : try_all(call, source, plan, judged)) clauses.push_back(std::move(clause));
    } else {
        call.put(trial_in, 0);
        call.put(trial_out, 0);
        call.put(evidence::approximate, false);
        call.put(evidence::read, std::string{"no cell: the ratio follows from the cell sizes"});
    }
    evidence::conclude(
        call, clauses,
        "Cell areas along geodesics; a trial with GDAL's warper at the true ratio on a piece of the data; "
        "slopes by Horn 1981");
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "resampling_trial",
     .title = "Trial of a resampling method",
     .about = "Effect of a resampling method on a raster at the requested cell size or CRS, next to the other methods "
              "that suit its values: input cells per output cell on the ground, and on a piece of at most 512 x 512 "
              "cells the "
              "share of changed cells, values that were not there, classes gained or lost, variance kept, steep slopes "
              "flattened. Nothing is written.",
     .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {uri, method, resolution, columns, rows, bounds_wanted, bounds_crs, area, area_crs, align_to, tap, dst_crs, src_crs,
     target, bands_wanted, subdataset},
    {evidence::summary, evidence::source, evidence::approximate, evidence::read, support, direction, nearest_uses,
     kind_field, trial_in, trial_out, fills, input_min, input_max, type_loss, methods, evidence::spread}};

}  // namespace gdalmcp_raster::resampling_trial
