// zonal_report.hpp — the structured result of aggregate_zonal: its fields, and what is said about zones.
#pragma once
#include "gdal_zones.hpp"
#include "overlap_count.hpp"

namespace gdalmcp_aggregation {

inline const gdalmcp::gdal::crs_record crs_fields{"crs", "CRS of the raster, in which cells were counted"};
inline const gdalmcp::field<std::string> coverage_used{"coverage", "Coverage rule: fraction, center or all_touched"};
inline const gdalmcp::field<std::string> id_field{"zone_id_field",
                                                  "Field the zones are named by; FID = the feature id"};
inline const gdalmcp::field<std::vector<std::string>> label_fields{"label_fields",
                                                                   "Fields shown as 'labels', in this order"};
inline const gdalmcp::field<std::int64_t> matched_total{"matched_total", "Rows of the whole table: zones times bands"};
inline const gdalmcp::field<bool> truncated{"truncated",
                                            "Whether 'rows' holds only the first of them; the output holds all"};
inline const gdalmcp::field<std::vector<std::string>> without_data{
    "zones_without_data", "Zones in which no cell has a value (beside the raster, or all nodata), the first 100"};

inline const gdalmcp::field<std::int64_t> band_number{"band", "Band, from 1"};
inline const gdalmcp::field<std::string> band_name{"name", "Description of the band; empty when it has none"};
inline const gdalmcp::field<std::string> band_unit{"unit",
                                                   "Unit of its values and of all statistics but count, variety and "
                                                   "coefficient_of_variation; 'unknown' when the raster does not say"};
inline const gdalmcp::table band_table{"bands", "The bands that were summarised", {band_number, band_name, band_unit}};

inline const gdalmcp::field<std::string> zone_name{"zone", "Id of the zone"};
inline const gdalmcp::field<std::string> reason{"reason", "Why it has no statistics"};
inline const gdalmcp::table problems{
    "zones_with_problems", "Zones that could not be summarised, the first 100", {zone_name, reason}};

inline const gdalmcp::field<std::int64_t> overlap_cells{
    "cells", "Cells counted more than once in all, by the chosen coverage rule", "cells"};
inline const gdalmcp::field<std::vector<std::string>> overlap_zones{"zones",
                                                                    "Zones that overlap one before them, the first 20"};
inline const gdalmcp::record overlaps{"overlaps",
                                      "Where zones overlap, cells enter several zones and totals over zones count them "
                                      "twice",
                                      {overlap_cells, overlap_zones}};

inline const auto labels = gdalmcp::field<std::vector<std::string>>{"labels", "Values of label_fields"}.optional();
inline const auto area =
    gdalmcp::field<double>{"area_m2", "True area of the whole zone on the ellipsoid; absent without CRS", "m2"}
        .optional();
inline const gdalmcp::field<std::int64_t> cells{"cells", "Cells with a value that the zone covers at least in part",
                                                "cells"};
inline const gdalmcp::field<double> data_share{"data_share",
                                               "Share of the zone's area on cells with a value, 0 to 1, by cells"};
inline const gdalmcp::field<double> nodata_count{"nodata_count", "Sum of the shares of cells with nodata", "cells"};
inline const auto nan_count =
    gdalmcp::field<double>{"nan_count", "Sum of the shares of NaN cells, where there are any", "cells"}.optional();
inline const auto infinite_count =
    gdalmcp::field<double>{"infinite_count", "Sum of the shares of infinite cells, where there are any", "cells"}
        .optional();
inline const auto unweighted_cells =
    gdalmcp::field<std::int64_t>{"unweighted_cells", "Cells with a value but no weight, where there are any", "cells"}
        .optional();

inline gdalmcp::field<double> statistic_field(const char* name, const char* about) {
    return gdalmcp::field<double>{name, about}.optional();
}
// In the order of `statistic`.
inline const std::array<gdalmcp::field<double>, statistic_names.size()> statistic_fields{
    statistic_field("count", "Sum of the covered shares [cells]"),
    statistic_field("sum", "Sum of value times share"),
    statistic_field("mean", "Mean, weighed by share"),
    statistic_field("min", "Lowest value"),
    statistic_field("max", "Highest value"),
    statistic_field("stdev", "Population standard deviation, weighed by share"),
    statistic_field("coefficient_of_variation", "stdev / mean"),
    statistic_field("median", "Smallest value whose cumulative share reaches half"),
    statistic_field("majority", "Value with the greatest share"),
    statistic_field("minority", "Value with the smallest share"),
    statistic_field("variety", "Number of different values"),
    statistic_field("weighted_sum", "Sum of value times share times weight"),
    statistic_field("weighted_mean", "weighted_sum divided by the sum of share times weight")};
inline const gdalmcp::table rows{
    "rows",
    "One row per zone and band, in the order of the zones; a statistic that is undefined (no "
    "cell with a value) is absent",
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
     statistic_fields[11],
     statistic_fields[12]}};

// The share of a zone's area that lies on cells with a value. The rules that count whole cells may exceed the zone.
double data_share_of(const zone_statistics& s, double in_cells);

// Collects the rows of a result; what is cut there is still in the output table.
class zonal_report {
public:
    zonal_report(gdalmcp::call& call, const std::vector<int>& bands, const std::vector<statistic>& wanted);

    void put_frame(const value_raster& values, const zone_layer& zones, std::string_view rule);

    // found: one per band, in their order. in_cells: area of the zone's outline in cells.
    void add(const zone_layer::placed_zone& z, const std::vector<zone_statistics>& found, double in_cells);
    void put_overlaps(const overlap_count& taken, std::vector<std::string> names);

    // Fails the call when no zone at all could be summarised.
    void finish(std::size_t table_rows);

private:
    void put_row(const zone_layer::placed_zone& z, int band, const zone_statistics& s, double share);

    gdalmcp::call& call_;
    const std::vector<int>& bands_;
    const std::vector<statistic>& wanted_;
    std::vector<std::string> empty_;
    std::string first_problem_;
    std::size_t zones_ = 0, rows_ = 0, problems_ = 0;
};

}  // namespace gdalmcp_aggregation
