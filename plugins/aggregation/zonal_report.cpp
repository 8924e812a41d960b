#include "zonal_report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "zone_book.hpp"

namespace gdalmcp_aggregation {
namespace {

constexpr std::size_t names_shown = 20, classes_of_many = 5, classes_of_all = 64;

// Derived values are rounded here; the output table has them in full.
double to_digits(double v, int digits) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, v, std::chars_format::general, digits).ptr;
    double short_value = v;
    std::from_chars(text, end, short_value);
    return short_value;
}

}  // namespace

zonal_report::zonal_report(gdalmcp::call& call, const value_raster& values, const std::vector<int>& bands,
                           const std::vector<statistic>& wanted)
    : call_{call}, values_{values}, bands_{bands}, wanted_{wanted} {}

void zonal_report::put_frame(const zone_layer& zones, std::string_view rule) {
    crs_fields.put(call_, values_.crs());
    call_.put(coverage_used, std::string{rule});
    call_.put(id_field, zones.id_field());
    call_.put(label_fields, zones.label_fields());
    call_.begin(band_table);
    for (const int b : bands_) {
        auto row = call_.add(band_table);
        row.put(band_number, b);
        row.put(band_name, values_.band_name(b));
        row.put(band_unit, values_.band_unit(b).empty() ? "unknown" : values_.band_unit(b));
    }
}

void zonal_report::put_rows(const std::vector<zone_result>& zones, std::size_t limit, bool with_areas) {
    std::size_t whole = 0, empty = 0, shown = 0;
    std::vector<std::string> empty_names;
    for (const auto& z : zones) {
        whole += z.bands.size();
        const bool data = std::any_of(z.bands.begin(), z.bands.end(), [](const auto& b) { return b.cells > 0; });
        if (data || !z.problem.empty()) continue;
        if (empty++ < names_shown) empty_names.push_back(z.id);
    }
    with_areas_ = with_areas;
    std::size_t classes_in_rows = 0, counted = 0;
    for (const auto& z : zones)
        for (std::size_t b = 0; b < z.bands.size() && counted < limit; ++b, ++counted)
            classes_in_rows += z.bands[b].classes.size();
    const bool all = counted <= 1 || classes_in_rows <= classes_of_all;
    classes_shown_ = all ? std::numeric_limits<std::size_t>::max() : classes_of_many;
    if (!all)
        call_.warn("each row shows its " + std::to_string(classes_of_many) +
                   " largest classes; the table in 'output' holds all of them");
    call_.begin(rows);
    for (const auto& z : zones)
        for (std::size_t b = 0; b < z.bands.size() && shown < limit; ++b, ++shown) put_row(z, b);
    call_.put(matched_total, static_cast<std::int64_t>(zones.size() * bands_.size()));
    call_.put(truncated, whole > limit);
    put_problems(zones);
    if (empty > 0)
        call_.warn(std::to_string(empty) + " zones have no cell with a value; their statistics are absent, not 0");
    call_.put(without_data, empty_names);
}

void zonal_report::put_row(const zone_result& z, std::size_t band) {
    const auto& found = z.bands[band];
    auto row = call_.add(rows);
    row.put(zone_name, z.id);
    if (!z.labels.empty()) row.put(labels, z.labels);
    row.put(band_number, bands_[band]);
    if (z.area) row.put(area, *z.area);
    row.put(cells, static_cast<std::int64_t>(found.cells));
    row.put(data_share, z.data_share(found));
    row.put(nodata_count, found.nodata);
    if (found.nan > 0) row.put(nan_count, found.nan);
    if (found.infinite > 0) row.put(infinite_count, found.infinite);
    if (found.unweighted > 0) row.put(unweighted_cells, static_cast<std::int64_t>(found.unweighted));
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
        const auto s = wanted_[i];
        if (s == statistic::frac) put_classes(row, found, bands_[band]);
        if (is_number(s)) row.put(statistic_fields[static_cast<std::size_t>(s)], found.values[i]);
        if (s == statistic::quantile && found.cells > 0) row.put(quantile_values, found.quantiles);
        if (s == statistic::min_location && found.lowest)
            row.put(min_place, values_.centre_of(found.lowest->row, found.lowest->column));
        if (s == statistic::max_location && found.highest)
            row.put(max_place, values_.centre_of(found.highest->row, found.highest->column));
    }
}

void zonal_report::put_classes(gdalmcp::place& row, const band_result& found, int band) {
    auto largest = found.classes;
    std::stable_sort(largest.begin(), largest.end(), [](const auto& a, const auto& b) { return a.cells > b.cells; });
    const auto names = values_.class_names(band);
    row.begin(classes);
    double rest = 1;
    for (std::size_t i = 0; i < std::min(largest.size(), classes_shown_); ++i) {
        const auto& c = largest[i];
        auto one = row.add(classes);
        one.put(class_value, c.value);
        if (c.value == std::floor(c.value))
            if (const auto name = names.of(static_cast<std::int64_t>(c.value)); !name.empty())
                one.put(class_name, name);
        one.put(class_count, to_digits(c.cells, 9));
        one.put(class_share, to_digits(c.cells / found.count, 6));
        rest -= c.cells / found.count;
        if (!with_areas_) continue;
        one.put(class_area, to_digits(c.area, 9));
        one.put(class_hectares, to_digits(c.area / 10000, 6));
    }
    if (largest.size() > classes_shown_) row.put(other_classes, to_digits(rest, 6));
}

void zonal_report::put_problems(const std::vector<zone_result>& zones) {
    std::size_t found = 0;
    call_.begin(problems);
    for (const auto& z : zones) {
        if (z.problem.empty()) continue;
        if (found++ >= names_shown) continue;
        auto row = call_.add(problems);
        row.put(zone_name, z.id);
        row.put(reason, z.problem);
    }
    if (found > 0)
        call_.warn(std::to_string(found) + " zones could not be summarised and are listed in zones_with_problems");
}

void zonal_report::put_overlaps(const sweep_overlaps& found, const std::vector<zone_result>& zones) {
    if (const auto text = overlap_text(found); !text.empty()) call_.warn(text);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(found.zones.size(), names_shown); ++i)
        names.push_back(zones[found.zones[i]].id);
    call_.at(overlaps).put(overlap_cells, static_cast<std::int64_t>(found.cells));
    call_.at(overlaps).put(overlap_zones, names);
}

}  // namespace gdalmcp_aggregation
