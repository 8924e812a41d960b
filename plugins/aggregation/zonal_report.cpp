#include "zonal_report.hpp"

#include "coverage.hpp"

namespace gdalmcp_aggregation {
namespace {

constexpr std::size_t rows_shown = 100, names_shown = 100, overlaps_shown = 20;

void keep_first(std::vector<std::string>& names, std::size_t n) {
    if (names.size() > n) names.resize(n);
}

}  // namespace

double data_share_of(const zone_statistics& s, double in_cells) {
    const double share = in_cells > 0 ? s.count() / in_cells : 0;
    return share > 1 - coverage_rounding ? 1 : share;
}

zonal_report::zonal_report(gdalmcp::call& call, const std::vector<int>& bands, const std::vector<statistic>& wanted)
    : call_{call}, bands_{bands}, wanted_{wanted} {}

void zonal_report::put_frame(const value_raster& values, const zone_layer& zones, std::string_view rule) {
    crs_fields.put(call_, values.crs());
    call_.put(coverage_used, std::string{rule});
    call_.put(id_field, zones.id_field());
    call_.put(label_fields, zones.label_fields());
    call_.begin(band_table);
    for (const int b : bands_) {
        auto row = call_.add(band_table);
        row.put(band_number, b);
        row.put(band_name, values.band_name(b));
        row.put(band_unit, values.band_unit(b).empty() ? "unknown" : values.band_unit(b));
    }
    call_.begin(rows);
    call_.begin(problems);
}

void zonal_report::add(const zone_layer::placed_zone& z, const std::vector<zone_statistics>& found, double in_cells) {
    ++zones_;
    if (!z.problem.empty()) {
        if (problems_++ == 0) first_problem_ = "zone " + z.id + ": " + z.problem;
        if (problems_ > names_shown) return;
        auto row = call_.add(problems);
        row.put(zone_name, z.id);
        row.put(reason, z.problem);
        return;
    }
    bool data = false;
    for (std::size_t b = 0; b < found.size(); ++b) {
        data = data || found[b].cells() > 0;
        if (rows_++ < rows_shown) put_row(z, bands_[b], found[b], data_share_of(found[b], in_cells));
    }
    if (!data) empty_.push_back(z.id);
}

void zonal_report::put_row(const zone_layer::placed_zone& z, int band, const zone_statistics& s, double share) {
    auto row = call_.add(rows);
    row.put(zone_name, z.id);
    if (!z.labels.empty()) row.put(labels, z.labels);
    row.put(band_number, band);
    if (z.area) row.put(area, *z.area);
    row.put(cells, static_cast<std::int64_t>(s.cells()));
    row.put(data_share, share);
    row.put(nodata_count, s.nodata());
    if (s.nan() > 0) row.put(nan_count, s.nan());
    if (s.infinite() > 0) row.put(infinite_count, s.infinite());
    if (s.unweighted() > 0) row.put(unweighted_cells, static_cast<std::int64_t>(s.unweighted()));
    for (const auto w : wanted_)
        if (const auto value = s.value_of(w)) row.put(statistic_fields[static_cast<std::size_t>(w)], *value);
}

void zonal_report::put_overlaps(const overlap_count& taken, std::vector<std::string> names) {
    if (taken.too_large()) call_.warn("the raster is too large to check the zones for overlaps");
    if (taken.cells() > 0)
        call_.warn(std::to_string(names.size()) + " zones overlap others in " + std::to_string(taken.cells()) +
                   " cells: totals over zones count those cells more than once");
    keep_first(names, overlaps_shown);
    call_.at(overlaps).put(overlap_cells, static_cast<std::int64_t>(taken.cells()));
    call_.at(overlaps).put(overlap_zones, names);
}

void zonal_report::finish(std::size_t table_rows) {
    if (problems_ == zones_)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "no zone can be summarised; " + first_problem_,
                             "draw the outlines so that their rings do not cross; a bow-tie becomes two polygons"};
    call_.put(matched_total, static_cast<std::int64_t>(table_rows));
    call_.put(truncated, rows_ > rows_shown);
    if (!empty_.empty())
        call_.warn(std::to_string(empty_.size()) +
                   " zones have no cell with a value; their statistics are absent, not 0");
    if (problems_ > 0)
        call_.warn(std::to_string(problems_) + " zones could not be summarised and are listed in zones_with_problems");
    keep_first(empty_, names_shown);
    call_.put(without_data, empty_);
}

}  // namespace gdalmcp_aggregation
