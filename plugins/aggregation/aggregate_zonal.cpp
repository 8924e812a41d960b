#include <algorithm>
#include <cmath>
#include <limits>

#include "coverage.hpp"
#include "tools.hpp"
#include "zonal_report.hpp"

namespace gdalmcp_aggregation {
namespace {

using gdalmcp::error;

const gdalmcp::arg<gdalmcp::raster> raster{
    .name = "raster",
    .about =
        "Raster whose values are summarised: path in the workspace, file:// or query://result/{id}. Scale and offset "
        "are applied; nodata, NaN and infinite cells are counted apart and enter no statistic."};

const gdalmcp::arg<gdalmcp::vector> zones{
    .name = "zones",
    .about =
        "Polygons to summarise within: a vector dataset, or inline GeoJSON (geometry, Feature or FeatureCollection; "
        "longitude and latitude, OGC:CRS84, unless zones_crs says otherwise). Zones in another CRS are transformed to "
        "the raster's, densified.",
    .examples = {R"("zones.gpkg")",
                 R"({"type":"Polygon","coordinates":[[[-118.2,34.3],[-118.1,34.3],[-118.1,34.4],[-118.2,34.3]]]})"}};

const gdalmcp::arg<std::vector<gdalmcp::choice>> stats{
    .name = "stats",
    .about =
        "Statistics, each cell weighed by the share of it the zone covers. count = sum of shares (cells); sum; mean; "
        "min; max; stdev (population; alias std); coefficient_of_variation (cv); median = smallest value whose "
        "cumulative share reaches half; majority (alias mode) and minority = value with the greatest or smallest "
        "share, "
        "ties to the smallest value; variety = number of different values; weighted_sum and weighted_mean need "
        "'weights' or 'weight_by_area'. All but count and variety are in the raster's unit.",
    .values = {"count", "sum", "mean", "min", "max", "stdev", "std", "coefficient_of_variation", "cv", "median",
               "majority", "mode", "minority", "variety", "weighted_sum", "weighted_mean"},
    .examples = {R"(["mean","min","max"])"},
    .min_items = 1,
    .max_items = 16};

const gdalmcp::arg<std::optional<std::vector<std::int64_t>>> bands{
    .name = "bands", .about = "Bands to summarise, from 1, each once. Default: all.", .min = 1, .min_items = 1};

const gdalmcp::arg<std::optional<gdalmcp::raster>> weights{
    .name = "weights",
    .about =
        "Raster on the same grid with the weight of each cell (for example population), for weighted_sum and "
        "weighted_mean; its first band is read. Cells without a weight are left out of these two and counted."};

const gdalmcp::arg<bool> weight_by_area{
    .name = "weight_by_area",
    .about =
        "Whether weighted_sum and weighted_mean use each cell's true area in m2 as its weight: for geographic grids, "
        "whose cells narrow towards the poles. Default false.",
    .fallback = false};

const gdalmcp::arg<std::optional<std::string>> zone_id{
    .name = "zone_id",
    .about =
        "Field that names the zones; unique and never null. Kept as text, so '001' stays '001'. Default: the feature "
        "id (FID), shown with the first two text fields."};

const gdalmcp::arg<std::optional<std::string>> layer{
    .name = "layer", .about = "Layer of 'zones'; needed where it holds several. Default: its only layer."};

const gdalmcp::arg<std::optional<gdalmcp::crs>> zones_crs{
    .name = "zones_crs",
    .about =
        "CRS of the zones, x (easting, longitude) first, where they do not say it themselves or inline GeoJSON is not "
        "in longitude and latitude. Default: what the zones say."};

const gdalmcp::arg<gdalmcp::choice> coverage{
    .name = "coverage",
    .about =
        "How much of a cell counts: 'fraction' = the exact share of its area inside the zone; 'center' = all of it if "
        "its centre is inside, else nothing; 'all_touched' = all of it if any of its area is inside. Default fraction.",
    .fallback = gdalmcp::choice{"fraction"},
    .values = {"fraction", "center", "all_touched"}};

const gdalmcp::arg<double> min_coverage{
    .name = "min_coverage",
    .about =
        "Cells of which the zone covers less than this share are left out, 0 to 1. Default 0: every covered cell "
        "counts.",
    .fallback = 0.0,
    .min = 0,
    .max = 1};

const gdalmcp::arg<gdalmcp::output_table> output{
    .name = "output",
    .about =
        "File for the whole table: .csv, or .gpkg to keep the zones' outlines in their own CRS. Without it the table "
        "is kept as query://result/{id} (CSV)."};

const gdalmcp::arg<bool> overwrite{.name = "overwrite",
                                   .about = "Whether an existing file at 'output' may be replaced. Default false.",
                                   .fallback = false};

constexpr std::size_t cells_at_once = std::size_t{1} << 21;  // of one strip: about 50 MB with values and shares

struct request {
    std::vector<statistic> wanted;
    std::vector<int> bands;
    coverage_rule rule = coverage_rule::fraction;
    double least_share = 0;
    bool by_area = false;
    bool weighted = false;
};

request read_request(gdalmcp::call& call, const value_raster& values) {
    request r;
    for (const auto& name : call[stats]) {
        const auto s = *statistic_named(name.value);
        if (std::find(r.wanted.begin(), r.wanted.end(), s) == r.wanted.end()) r.wanted.push_back(s);
        r.weighted = r.weighted || needs_weights(s);
    }
    r.by_area = call[weight_by_area];
    const bool has_weights = call.given(weights);
    if (r.by_area && has_weights)
        throw error{GDALMCP_INVALID_ARGUMENT, "weights and weight_by_area are both given", "leave one of them out"};
    if (r.weighted != (r.by_area || has_weights))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    r.weighted ? "weighted_sum or weighted_mean is asked for, but nothing says the weights"
                               : "weights are given, but no statistic uses them",
                    r.weighted ? "give 'weights' (a raster) or set weight_by_area"
                               : "add weighted_mean or weighted_sum to stats, or leave the weights out"};
    if (const auto chosen = call[bands]) {
        for (const auto b : *chosen) {
            if (b > values.bands())
                throw error{GDALMCP_NOT_FOUND,
                            "there is no band " + std::to_string(b) + " in " + values.path() + ", which has " +
                                std::to_string(values.bands()),
                            "name bands from 1 to " + std::to_string(values.bands())};
            if (std::find(r.bands.begin(), r.bands.end(), static_cast<int>(b)) == r.bands.end())
                r.bands.push_back(static_cast<int>(b));
        }
    } else {
        for (int b = 1; b <= values.bands(); ++b) r.bands.push_back(b);
    }
    const auto rule = call[coverage].value;
    r.rule = rule == "center"        ? coverage_rule::center
             : rule == "all_touched" ? coverage_rule::all_touched
                                     : coverage_rule::fraction;
    r.least_share = call[min_coverage];
    return r;
}

// What one strip of a zone adds to the statistics of each band.
class summary {
public:
    summary(const value_raster& values, const value_raster* weight_values, const request& asked)
        : values_{values}, weights_{weight_values}, asked_{asked} {
        if (asked.by_area) {
            areas_ = values.row_areas();
            if (areas_.empty())
                throw error{GDALMCP_INVALID_ARGUMENT,
                            "weight_by_area is for geographic grids, but " + values.path() + " is in " +
                                (values.crs().IsEmpty() ? "no CRS" : gdalmcp::gdal::crs_text(values.crs())),
                            "leave it out: cells of a projected grid are alike; for a map that distorts areas give a "
                            "raster of cell areas as 'weights'"};
        }
    }

    void add(const window& block, const std::vector<double>& shares, std::vector<zone_statistics>& found) const {
        block_values w;
        if (weights_) w = weights_->read(1, block);
        for (std::size_t b = 0; b < asked_.bands.size(); ++b) {
            const auto v = values_.read(asked_.bands[b], block);
            for (std::size_t i = 0; i < shares.size(); ++i)
                if (shares[i] > 0) add_cell(v, w, i, block.row + i / block.width, shares[i], found[b]);
        }
    }

private:
    void add_cell(const block_values& v, const block_values& w, std::size_t i, std::size_t row, double share,
                  zone_statistics& found) const {
        const double value = v.value[i];
        if (!v.valid[i]) return std::isnan(value) ? found.add_nan(share) : found.add_nodata(share);
        if (std::isnan(value)) return found.add_nan(share);
        if (std::isinf(value)) return found.add_infinite(share);
        if (!asked_.weighted) return found.add(value, share);
        if (asked_.by_area) return found.add_weighted(value, share, areas_[row]);
        if (w.valid[i] && std::isfinite(w.value[i])) return found.add_weighted(value, share, w.value[i]);
        found.add(value, share);
        found.add_unweighted();
    }

    const value_raster& values_;
    const value_raster* weights_;
    const request& asked_;
    std::vector<double> areas_;
};

void warn_of_meaning(gdalmcp::call& call, const value_raster& values, const request& asked) {
    const bool averages = std::any_of(asked.wanted.begin(), asked.wanted.end(), [](statistic s) {
        return s == statistic::sum || s == statistic::mean || s == statistic::stdev ||
               s == statistic::coefficient_of_variation || s == statistic::median || needs_weights(s);
    });
    for (const int b : asked.bands) {
        if (values.is_scaled(b)) call.say("Band " + std::to_string(b) + ": scale and offset were applied.");
        if (!averages) continue;
        if (const auto evidence = values.class_evidence(b); !evidence.empty())
            call.warn("band " + std::to_string(b) + " looks like class codes (" + evidence +
                      "): sums and averages of codes mean nothing; use majority, variety or count");
    }
    const auto areas = values.row_areas();
    if (areas.empty() || asked.by_area) return;
    const auto [least, most] = std::minmax_element(areas.begin(), areas.end());
    if (averages && *most > 1.01 * *least)
        call.warn("the grid is geographic: its cells measure " + gdalmcp::gdal::number_text(std::round(*least)) +
                  " to " + gdalmcp::gdal::number_text(std::round(*most)) +
                  " m2, and sums and means count every cell alike; for area-weighted ones add weighted_mean with "
                  "weight_by_area");
}

// Covers one zone strip by strip within `whole`, the block that encloses it; true when it overlaps a zone before it.
bool summarise(const zone& outline, const window& whole, const request& asked, const summary& sums,
               overlap_count& taken, std::vector<zone_statistics>& found, const std::function<void(double)>& tick) {
    bool overlapping = false;
    const std::size_t height = std::max<std::size_t>(1, cells_at_once / std::max<std::size_t>(1, whole.width));
    for (std::size_t row = 0; row < whole.height; row += height) {
        tick(static_cast<double>(row) / static_cast<double>(whole.height));
        const window block{whole.row + row, whole.column, std::min(height, whole.height - row), whole.width};
        auto shares = cover(outline, block, asked.rule);
        for (auto& share : shares)
            if (share < asked.least_share) share = 0;
        sums.add(block, shares, found);
        overlapping = taken.add(block, shares) || overlapping;
    }
    return overlapping;
}

void run(gdalmcp::call& call) {
    const value_raster values{call[raster]};
    const auto asked = read_request(call, values);
    std::optional<value_raster> weight_values;
    if (call.given(weights)) {
        weight_values.emplace(*call[weights]);
        values.require_same_grid(*weight_values);
    }
    zone_layer areas{call[zones], {call[layer], call[zone_id], call[zones_crs]}, values};
    zonal_report told{call, asked.bands, asked.wanted};
    told.put_frame(values, areas, call[coverage].value);
    warn_of_meaning(call, values, asked);

    const summary sums{values, weight_values ? &*weight_values : nullptr, asked};
    overlap_count taken{areas.size() > 1 ? values.rows() : 0, values.columns()};  // one zone overlaps nothing
    zone_table table{call[output].path, areas, asked.wanted};
    std::vector<std::string> overlapping;
    bool on_raster = false;
    for (std::size_t n = 0; auto z = areas.next(); ++n) {
        const auto tick = [&](double f) {
            call.progress((static_cast<double>(n) + f) / static_cast<double>(areas.size()), "zone " + z->id);
        };
        tick(0);
        std::vector<zone_statistics> found(asked.bands.size(), zone_statistics{asked.wanted});
        const auto whole = enclosing(z->outline, values.rows(), values.columns());
        on_raster = on_raster || whole.size() > 0;
        if (summarise(z->outline, whole, asked, sums, taken, found, tick)) overlapping.push_back(z->id);
        const double in_cells = area_of(z->outline);
        told.add(*z, found, in_cells);
        for (std::size_t b = 0; b < found.size(); ++b)
            table.add(*z, asked.bands[b], z->problem.empty() ? &found[b] : nullptr, asked.wanted,
                      data_share_of(found[b], in_cells));
    }
    table.finish();
    for (const auto& warning : areas.warnings()) call.warn(warning);
    told.finish(table.rows());
    if (!on_raster)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "no zone touches the raster: the zones reach " + areas.extent_text() + "; " + values.path() +
                        " covers " + gdalmcp::gdal::extent_text(values.extent(), values.crs()),
                    "check the CRS of both with raster_info and vector_info; zones_crs names that of inline GeoJSON"};
    told.put_overlaps(taken, std::move(overlapping));
    call.expect(output, "{\"features\":" + std::to_string(table.rows()) + "}");
    call.say("Summarised " + std::to_string(asked.bands.size()) + " band(s) in " + std::to_string(areas.size()) +
             " zones, coverage " + call[coverage].value + ".");
}

}  // namespace

const gdalmcp::tool aggregate_zonal{
    {.name = "aggregate_zonal",
     .title = "Zonal statistics",
     .about =
         "Choose the statistic by what stands for a zone: a total (sum) for counts, a typical value (mean, median) for "
         "measurements, dominance (majority) for classes; averages of class codes are warned about. By default each "
         "cell counts by the exact share of its area inside the polygon, so that zones sharing borders add up. 'count' "
         "is "
         "the sum of these shares, 'cells' the number of cells. Zones in another CRS are transformed, invalid outlines "
         "are named and left out, zones without data are listed (never reported as 0), overlaps are counted. Areas are "
         "true areas on the ellipsoid.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {raster, zones, stats, bands, weights, weight_by_area, zone_id, layer, zones_crs, coverage, min_coverage, output,
     overwrite},
    {crs_fields.all, coverage_used, id_field, label_fields, band_table, matched_total, truncated, rows, without_data,
     problems, overlaps}};

}  // namespace gdalmcp_aggregation
