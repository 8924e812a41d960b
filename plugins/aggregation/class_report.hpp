// class_report.hpp — the structured result of aggregate_classes.
#pragma once
#include <algorithm>
#include <map>
#include <tuple>

#include "class_tally.hpp"
#include "gdal_class_source.hpp"
#include "zone_result.hpp"

namespace gdalmcp_aggregation {

namespace class_fields {

using gdalmcp::field;

inline const auto zone = field<std::string>{"zone", "Id"}.optional();
inline const auto labels = field<std::vector<std::string>>{"labels", "Of zone_fields"}.optional();
inline const auto problem = field<std::string>{"problem", "Why it was left out"}.optional();
inline const auto zone_area = field<double>{"area_m2", "True area of the whole zone", "m2"}.optional();
inline const auto outside = field<double>{"outside_share", "Off the raster, of its area", "0 to 1"}.optional();
inline const auto classified_cells = field<double>{"classified_cells", "Sum of shares", "cells"}.optional();
inline const auto classified_ha = field<double>{"classified_ha", "True area", "ha"}.optional();
inline const auto unclassified_cells = field<double>{"unclassified_cells", "Without data", "cells"}.optional();
inline const auto unclassified_ha = field<double>{"unclassified_ha", "True area", "ha"}.optional();
inline const auto other_share = field<double>{"other_share", "Of classes not listed", "0 to 1"}.optional();
inline const auto value = field<std::int64_t>{"value", "Code"}.optional();
inline const auto name = field<std::string>{"name", "Where known"}.optional();
inline const auto against = field<std::int64_t>{"against", "Code"}.optional();
inline const auto against_name = field<std::string>{"against_name", "Where known"}.optional();
inline const field<double> cells{"cells", "Sum of shares", "cells"};
inline const auto share = field<double>{"share", "Of the classified area", "0 to 1"}.optional();
inline const auto area_m2 = field<double>{"area_m2", "On the ellipsoid", "m2"}.optional();
inline const auto area_ha = field<double>{"area_ha", "The same", "ha"}.optional();
inline const auto classes =
    gdalmcp::table{"classes", "The largest first", {value, name, against, against_name, cells, share, area_m2, area_ha}}
        .optional();
inline const gdalmcp::table zones{
    "zones",
    "By zone, or one for all: the true area of each class, and what has none. share: of the classified area; absent "
    "where a raster has no data. Without CRS no areas. At most 100 rows of classes: if there are more, the 5 largest "
    "of each zone",
    {zone, labels, problem, zone_area, outside, classified_cells, classified_ha, unclassified_cells, unclassified_ha,
     other_share, classes}};
inline const auto zone_fields =
    field<std::vector<std::string>>{"zone_fields", "Fields of the id and the labels"}.optional();
inline const field<std::int64_t> matched_total{"matched_total", "Rows in 'output'"};
inline const field<bool> truncated{"truncated", "Rows are only in 'output'"};

}  // namespace class_fields

// What one zone, or the whole raster, holds.
struct tallied_zone {
    const zone_result* of;
    class_tally tally;

    // The share of its area that lies off the raster: true areas where they are known.
    double outside() const {
        const auto& [with, without] = std::tie(tally.classified, tally.unclassified);
        const double share = of->in_cells > 0 ? 1 - (with.cells + without.cells) / of->in_cells : 0;
        if (share < coverage_rounding) return 0;
        return of->area && *of->area > 0 ? std::max(0.0, 1 - (with.area + without.area) / *of->area) : share;
    }
};

// Names of classes: those given with the call, else those of the rasters; "" of a class without one, or no class.
struct class_naming {
    std::map<std::int64_t, std::string> given;
    const class_source& source;

    std::string of(const class_code& code) const;
    std::string against(const class_code& code) const;
};

// Puts the table of zones and `truncated`: the classes of zones in their order, until a hundred rows are shown; of many
// zones the five largest each. named: whether zones have ids.
void put_classes(gdalmcp::call& call, const std::vector<tallied_zone>& zones, const class_naming& names, bool named,
                 bool with_areas);

}  // namespace gdalmcp_aggregation
