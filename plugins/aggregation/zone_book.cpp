#include "zone_book.hpp"

#include <algorithm>

namespace gdalmcp_aggregation {
namespace {

using gdalmcp::error;

constexpr std::size_t max_classes = 64;
constexpr std::size_t max_values = std::size_t{1} << 25;    // distinct, of open zones: about 2 GB
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

zone_book::zone_book(gdalmcp::call& call, zone_layer& layer, const value_raster& values, const sweep_request& asked)
    : layer_{layer}, asked_{asked}, classes_(asked.bands.size()) {
    const bool again = layer.reads_again();
    const band_result empty{zone_statistics{asked.wanted}, asked.wanted, asked.quantiles};
    while (auto z = layer.next()) {
        if (results_.size() % 64 == 0)
            call.progress(0.3 * static_cast<double>(results_.size()) / static_cast<double>(layer.size()), "zones");
        const auto where = enclosing(z->outline, values.rows(), values.columns());
        results_.push_back({z->id, std::move(z->labels), z->area, z->problem, area_of(z->outline), {}});
        if (z->problem.empty() && where.size() == 0) results_.back().bands.assign(asked.bands.size(), empty);
        zones_.where.push_back(where);
        fids_.push_back(z->fid);
        const auto vertices = where.size() > 0 ? vertices_of(z->outline) : 0;
        const bool keep = vertices > 0 && (vertices_ + vertices <= max_vertices || !again);
        vertices_ += keep ? vertices : 0;
        outlines_.push_back(keep ? std::move(z->outline) : zone{});
    }
    zones_.outline = [this](std::size_t n) {
        const auto kept = std::move(outlines_[n]);
        return kept.empty() ? layer_.outline_of(fids_[n]) : kept;
    };
    zones_.seen = [this](std::size_t n, std::vector<zone_statistics>& found, bool whole) { seen(n, found, whole); };
}

bool zone_book::any_on_raster() const {
    return std::any_of(zones_.where.begin(), zones_.where.end(), [](const window& w) { return w.size() > 0; });
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
        if (whole) results_[n].bands.emplace_back(found[b], asked_.wanted, asked_.quantiles);
    }
}

void zone_book::check_classes(const zone_statistics& found, bool whole, std::size_t band) {
    auto& all = classes_[band];
    if (whole && found.distinct_values() <= max_classes)
        for (const auto& c : found.classes()) all.insert(c.value);
    const auto distinct = std::max(found.distinct_values(), all.size());
    if (distinct > max_classes)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "frac is for class codes, at most " + std::to_string(max_classes) + "; band " +
                        std::to_string(asked_.bands[band]) + " holds " + std::to_string(distinct) +
                        " different values in the zones read so far",
                    "select the class band with bands, or use mean, median or stdev for measurements"};
}

}  // namespace gdalmcp_aggregation
