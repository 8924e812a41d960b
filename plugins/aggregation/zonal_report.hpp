// zonal_report.hpp — the structured result of aggregate_zonal: its fields, and the messages about zones.
#pragma once
#include "gdal_zones.hpp"
#include "zone_result.hpp"

namespace gdalmcp_aggregation {

inline const gdalmcp::gdal::crs_record crs_fields{"crs", "CRS of the raster"};
inline const gdalmcp::field<std::string> coverage_used{"coverage", "Coverage rule"};
inline const gdalmcp::field<std::string> id_field{"zone_id_field", "Field the zones are named by"};
inline const gdalmcp::field<std::vector<std::string>> label_fields{"label_fields", "Fields shown as labels"};
inline const gdalmcp::field<std::int64_t> matched_total{"matched_total", "Rows of the table: zones times bands"};
inline const gdalmcp::field<bool> truncated{"truncated", "True when rows is truncated"};
inline const gdalmcp::field<std::vector<std::string>> without_data{"zones_without_data", "The first 20"};

inline const gdalmcp::field<std::int64_t> band_number{"band", "Band, from 1"};
inline const gdalmcp::field<std::string> band_name{"name", "Its description"};
inline const gdalmcp::field<std::string> band_unit{"unit", "Unit of its values; unknown if the raster declares none"};
inline const gdalmcp::table band_table{"bands", "Bands summarised", {band_number, band_name, band_unit}};

inline const gdalmcp::field<std::string> zone_name{"zone", "Id of the zone"};
inline const gdalmcp::field<std::string> reason{"reason", "Why"};
inline const gdalmcp::table problems{"zones_with_problems", "Zones left out, the first 20", {zone_name, reason}};

inline const gdalmcp::field<std::int64_t> overlap_cells{"cells", "Cells covered more than once", "cells"};
inline const gdalmcp::field<std::vector<std::string>> overlap_zones{"zones", "That overlap; the first 20"};
inline const gdalmcp::record overlaps{
    "overlaps", "Totals over zones count these cells twice", {overlap_cells, overlap_zones}};

inline const auto labels = gdalmcp::field<std::vector<std::string>>{"labels", "Of label_fields"}.optional();
inline const auto area =
    gdalmcp::field<double>{"area_m2", "True area of the zone; absent without CRS", "m2"}.optional();
inline const gdalmcp::field<std::int64_t> cells{"cells", "Cells with a value, at least in part inside", "cells"};
inline const gdalmcp::field<double> data_share{"data_share", "Share of the zone on cells with a value, 0 to 1"};
inline const gdalmcp::field<double> nodata_count{"nodata_count", "Sum of shares, nodata", "cells"};
inline const auto nan_count = gdalmcp::field<double>{"nan_count", "Sum of shares, NaN", "cells"}.optional();
inline const auto infinite_count =
    gdalmcp::field<double>{"infinite_count", "Sum of shares, infinite", "cells"}.optional();
inline const auto unweighted_cells =
    gdalmcp::field<std::int64_t>{"unweighted_cells", "Cells without a weight", "cells"}.optional();

inline gdalmcp::field<double> statistic_field(const char* name, const char* about) {
    return gdalmcp::field<double>{name, about}.optional();
}
// In the order of `statistic`.
inline const std::array<gdalmcp::field<double>, statistic_names.size()> statistic_fields{
    statistic_field("count", "Sum of shares [cells]"),
    statistic_field("sum", "Sum of value x share"),
    statistic_field("mean", "Weighed by share"),
    statistic_field("min", "Lowest value"),
    statistic_field("max", "Highest value"),
    statistic_field("stdev", "Population form"),
    statistic_field("coefficient_of_variation", "stdev / mean"),
    statistic_field("median", "Weighed by share; interpolated"),
    statistic_field("majority", "Value with the greatest share"),
    statistic_field("minority", "Value with the smallest share"),
    statistic_field("variety", "Number of different values"),
    statistic_field("", ""),  // frac: see the table
    statistic_field("weighted_sum", "Sum of value x share x weight"),
    statistic_field("weighted_mean", "weighted_sum / sum of share x weight"),
    statistic_field("variance", "Population form"),
    statistic_field("weighted_stdev", "Population form, share x weight as weights"),
    statistic_field("", ""),  // quantile, min_location and max_location: see below
    statistic_field("", ""),
    statistic_field("", "")};
inline const auto quantile_values =
    gdalmcp::field<std::vector<double>>{"quantiles", "In the order asked; interpolated"}.optional();
inline const auto min_place =
    gdalmcp::field<std::vector<double>>{"min_location", "Centre of the cell, [x, y] in crs"}.optional();
inline const auto max_place = gdalmcp::field<std::vector<double>>{"max_location", "The same"}.optional();
inline const gdalmcp::field<double> class_value{"value", "Value of the class"};
inline const auto class_name = gdalmcp::field<std::string>{"name", "Its name, where the raster has one"}.optional();
inline const gdalmcp::field<double> class_count{"count", "Sum of shares", "cells"};
inline const gdalmcp::field<double> class_share{"share", "Of the count of all classes", "0 to 1"};
inline const auto class_area = gdalmcp::field<double>{"area_m2", "True area; absent without CRS", "m2"}.optional();
inline const auto class_hectares = gdalmcp::field<double>{"area_ha", "The same", "ha"}.optional();
inline const auto classes = gdalmcp::table{
    "frac",
    "Classes of the zone, the largest first; only 5 if all rows hold more than 64",
    {class_value, class_name, class_count, class_share, class_area,
     class_hectares}}.optional();
inline const auto other_classes =
    gdalmcp::field<double>{"other_share", "Share of the classes not listed", "0 to 1"}.optional();

inline const gdalmcp::table rows{"rows",
                                 "By zone and band; undefined values are absent",
                                 {zone_name,
                                  labels,
                                  band_number,
                                  area,
                                  cells,
                                  data_share,
                                  nodata_count,
                                  nan_count,
                                  infinite_count,
                                  unweighted_cells,
                                  statistic_fields[0],
                                  statistic_fields[1],
                                  statistic_fields[2],
                                  statistic_fields[3],
                                  statistic_fields[4],
                                  statistic_fields[5],
                                  statistic_fields[6],
                                  statistic_fields[7],
                                  statistic_fields[8],
                                  statistic_fields[9],
                                  statistic_fields[10],
                                  statistic_fields[12],
                                  statistic_fields[13],
                                  statistic_fields[14],
                                  statistic_fields[15],
                                  quantile_values,
                                  min_place,
                                  max_place,
                                  classes,
                                  other_classes}};

// Writes the structured result; rows beyond the limit are in the output table only.
class zonal_report {
public:
    zonal_report(gdalmcp::call& call, const value_raster& values, const std::vector<int>& bands,
                 const std::vector<statistic>& wanted);

    void put_frame(const zone_layer& zones, std::string_view rule);
    // with_areas: whether the areas of classes are known.
    void put_rows(const std::vector<zone_result>& zones, std::size_t limit, bool with_areas);
    void put_overlaps(const sweep_overlaps& found, const std::vector<zone_result>& zones);

private:
    void put_row(const zone_result& z, std::size_t band);
    void put_classes(gdalmcp::place& row, const band_result& found, int band);
    void put_problems(const std::vector<zone_result>& zones);

    gdalmcp::call& call_;
    const value_raster& values_;
    const std::vector<int>& bands_;
    const std::vector<statistic>& wanted_;
    std::size_t classes_shown_ = 0;
    bool with_areas_ = false;
};

}  // namespace gdalmcp_aggregation
