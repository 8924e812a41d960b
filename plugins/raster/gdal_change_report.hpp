// gdal_change_report.hpp — the part of the result of raster_compare on changes from class to class.
#pragma once
#include <gdalmcp/result.hpp>

#include "gdal_change_map.hpp"

namespace gdalmcp_raster {

namespace change_fields {

using gdalmcp::field;

inline const field<std::int64_t> number{"value", "In the output"};
inline const field<std::int64_t> from_code{"from", "Code before"};
inline const auto from_name = field<std::string>{"from_name", "Where declared"}.optional();
inline const field<std::int64_t> to_code{"to", "Code after"};
inline const auto to_name = field<std::string>{"to_name", "Where declared"}.optional();
inline const field<std::int64_t> cells{"cells", "Cells", "cells"};
inline const auto area_m2 = field<double>{"area_m2", "On the ellipsoid", "m²"}.optional();
inline const auto area_ha = field<double>{"area_ha", "The same", "ha"}.optional();
inline const auto change_table = gdalmcp::table{
    "changes",
    "Unchanged classes included; of more than 50 the most frequent, all in the output's attribute table",
    {number, from_code, from_name, to_code, to_name, cells, area_m2,
     area_ha}}.optional();
inline const auto matched_total = field<std::int64_t>{"matched_total", "Different changes"}.optional();
inline const auto truncated = field<bool>{"truncated", "'changes' or 'classes' omits some"}.optional();
inline const field<std::int64_t> code{"value", "Code"};
inline const auto name = field<std::string>{"name", "Where declared"}.optional();
inline const field<std::int64_t> cells_before{"before_cells", "Before"}, cells_after{"after_cells", "After"},
    cells_gained{"gain_cells", "From other classes"}, cells_lost{"loss_cells", "To other classes"};
inline const auto ha_before = field<double>{"before_ha", "Before"}.optional(),
                  ha_after = field<double>{"after_ha", "After"}.optional(),
                  ha_gained = field<double>{"gain_ha", "Gained"}.optional(),
                  ha_lost = field<double>{"loss_ha", "Lost"}.optional();
inline const auto balance_table = gdalmcp::table{
    "classes",
    "By code, of more than 50 the commonest",
    {code, name, cells_before, cells_after, cells_gained, cells_lost, ha_before, ha_after, ha_gained,
     ha_lost}}.optional();

}  // namespace change_fields

struct change_wording {
    const change_names& names;
    bool with_areas = false;
};

// Puts the tables of change_fields, matched_total and truncated. Warns of codes that do not mean the same before and
// after.
void put_changes(gdalmcp::call& call, const std::map<std::int64_t, class_size>& changes,
                 const std::map<std::int64_t, class_balance>& balances, const change_wording& how);

}  // namespace gdalmcp_raster
