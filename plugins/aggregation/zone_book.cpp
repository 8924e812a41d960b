#include "zone_book.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_aggregation {
namespace {

using gdalmcp::error;

constexpr std::size_t max_values = std::size_t{1} << 25;    // distinct, of a zone: about 1 GB
constexpr std::size_t max_vertices = std::size_t{1} << 25;  // of outlines kept: 512 MB; others are read again

std::size_t vertices_of(const zone& outline) {
    std::size_t n = 0;
    for (const auto& part : outline) {
        n += part.exterior.size();
        for (const auto& hole : part.holes) n += hole.size();
    }
    return n;
}

}  // namespace

zone_book::zone_book(gdalmcp::call& call, zone_layer& layer, const value_raster& values, const sweep_request& asked,
                     class_limit limit)
    : layer_{&layer}, asked_{asked}, limit_{std::move(limit)}, classes_(asked.bands.size()) {
    const bool again = layer.reads_again();
    while (auto z = layer.next()) {
        if (results_.size() % 64 == 0)
            call.progress(0.3 * static_cast<double>(results_.size()) / static_cast<double>(layer.size()), "zones");
        add(std::move(*z), values, again);
    }
    serve_sweep();
}

zone_book::zone_book(std::vector<zone_layer::placed_zone> zones, const value_raster& values, const sweep_request& asked,
                     class_limit limit)
    : asked_{asked}, limit_{std::move(limit)}, classes_(asked.bands.size()) {
    for (auto& z : zones) add(std::move(z), values, false);
    serve_sweep();
}

void zone_book::add(zone_layer::placed_zone&& z, const value_raster& values, bool reads_again) {
    const auto where = enclosing(z.outline, values.rows(), values.columns());
    results_.push_back({z.id,
                        std::move(z.labels),
                        z.area,
                        z.problem,
                        z.in_cells,
                        lies_within(z.outline, values.rows(), values.columns()),
                        asked_.rule != coverage_rule::fraction,
                        {}});
    if (zone_statistics none{asked_.wanted}; z.problem.empty() && where.size() == 0)
        results_.back().bands.assign(asked_.bands.size(), band_result{none, asked_.wanted, asked_.quantiles});
    zones_.where.push_back(where);
    fids_.push_back(z.fid);
    const auto vertices = where.size() > 0 ? vertices_of(z.outline) : 0;
    const bool keep = vertices > 0 && (vertices_ + vertices <= max_vertices || !reads_again);
    vertices_ += keep ? vertices : 0;
    outlines_.push_back(keep ? std::move(z.outline) : zone{});
}

void zone_book::serve_sweep() {
    zones_.outline = [this](std::size_t n) {
        const auto kept = std::move(outlines_[n]);
        return kept.empty() && layer_ ? layer_->outline_of(fids_[n]) : kept;
    };
    zones_.seen = [this](std::size_t n, std::vector<zone_statistics>& found, bool whole) { seen(n, found, whole); };
}

// What to do about zones that have no outline on the raster.
std::string zone_book::way_onto(const value_raster& values) const {
    if (layer_ && layer_->may_meet_raster())
        return "the map of the raster, " + gdalmcp::gdal::crs_label(values.crs()) +
               ", ends or is torn within the zones: bring the raster to another CRS with raster_reproject, such as "
               "theirs, " +
               gdalmcp::gdal::crs_label(layer_->crs()) + ", or give zones of one side each";
    return "give zones near the raster, which covers " + gdalmcp::gdal::extent_text(values.extent(), values.crs()) +
           (layer_ ? "; these reach " + layer_->extent_text() : "");
}

void zone_book::require_zones(const value_raster& values) const {
    const auto unusable = [](const zone_result& z) { return !z.problem.empty(); };
    if (!results_.empty() && std::all_of(results_.begin(), results_.end(), unusable))
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            "no zone can be summarised; zone " + results_.front().id + ": " + results_.front().problem,
            !results_.front().problem.starts_with(untransformable)
                ? "mend the zones with vector_validate; aggregate_zonal takes \"invalid_zones\": \"repair\", too"
                : way_onto(values)};
    if (layer_ && std::all_of(zones_.where.begin(), zones_.where.end(), [](const window& w) { return w.size() == 0; }))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "no zone touches the raster: the zones reach " + layer_->extent_text() + "; " + values.path() +
                        " covers " + gdalmcp::gdal::extent_text(values.extent(), values.crs()),
                    "check the CRS of both with raster_info and vector_info; " + layer_->crs_argument() +
                        " names that of inline GeoJSON"};
}

std::vector<double> zone_book::classes() const {
    std::set<double> all;
    for (const auto& of_band : classes_) all.insert(of_band.begin(), of_band.end());
    return {all.begin(), all.end()};
}

void zone_book::seen(std::size_t n, std::vector<zone_statistics>& found, bool whole) {
    const bool by_class = std::find(asked_.wanted.begin(), asked_.wanted.end(), statistic::frac) != asked_.wanted.end();
    for (std::size_t b = 0; b < found.size(); ++b) {
        if (by_class) check_classes(found[b], whole, b);
        if (found[b].distinct_values() > max_values)
            throw error{GDALMCP_EXHAUSTED,
                        "zone " + results_[n].id + " holds more than " + std::to_string(max_values) +
                            " different values in band " + std::to_string(asked_.bands[b]) +
                            ", too many to keep for the median, quantiles, majority, minority or variety",
                        "use mean, stdev, min and max, or resample the raster to coarser cells first"};
        if (whole && found[b].negative_weights() > 0)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "zone " + results_[n].id + " has " + std::to_string(found[b].negative_weights()) +
                            " cells with a weight below zero, the least being " +
                            gdalmcp::gdal::number_text(found[b].least_weight()) +
                            ": a mean with such weights can lie outside the range of the values",
                        "give 'weights' of 0 or more; raster_calc turns others into 0 or nodata"};
        if (whole) results_[n].bands.emplace_back(found[b], asked_.wanted, asked_.quantiles);
    }
}

void zone_book::check_classes(const zone_statistics& found, bool whole, std::size_t band) {
    auto& all = classes_[band];
    if (whole && found.distinct_classes() <= limit_.most)
        for (const auto& c : found.classes()) all.insert(c.value);
    const auto distinct = std::max(found.distinct_classes(), all.size());
    if (distinct > limit_.most) throw limit_.refusal(distinct, asked_.bands[band]);
}

std::string coarse_cells_text(const std::vector<counted_area>& zones) {
    constexpr double tolerated = 0.001;
    const counted_area* worst = nullptr;
    double most = tolerated;
    for (const auto& z : zones) {
        if (!z.of->area || !(*z.of->area > 0) || !z.of->on_grid || z.of->whole_cells || !(z.area > 0)) continue;
        if (const double off = std::abs(z.area / *z.of->area - 1); off > most) most = off, worst = &z;
    }
    if (!worst) return {};
    return "the classes in zone " + worst->of->id + " add up to " + gdalmcp::gdal::number_text(worst->area) +
           " m2 of its " + gdalmcp::gdal::number_text(*worst->of->area) +
           ": the parts of a cell count as equally large, which these large cells are not; for areas of small zones "
           "bring the raster to smaller cells first, with raster_reproject and nearest";
}

std::string unplaced_text(const std::vector<zone_result>& zones, std::size_t without_class) {
    std::size_t cells = 0;
    for (const auto& z : zones)
        for (const auto& b : z.bands) cells += b.unplaced;
    if (cells <= without_class) return {};
    cells -= without_class;
    return std::to_string(cells) + (cells == 1 ? " cell has" : " cells have") + " no place on the Earth, and " +
           (cells == 1 ? "was" : "were") + " given no area";
}

std::string overlap_text(const sweep_overlaps& found) {
    if (found.cells == 0) return {};
    return std::to_string(found.zones.size()) + " zones overlap in " + std::to_string(found.cells) +
           " cells: totals over zones count those cells more than once";
}

}  // namespace gdalmcp_aggregation
