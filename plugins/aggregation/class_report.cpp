#include "class_report.hpp"

#include <algorithm>

namespace gdalmcp_aggregation {
namespace {

namespace fields = class_fields;

constexpr std::size_t most_rows = 100, rows_of_many = 5;
constexpr int digits_of_cells = 9, digits_of_share = 6;

std::size_t rows_of(const tallied_zone& z) { return std::max<std::size_t>(1, z.tally.rows.size()); }

void put_row(gdalmcp::place row, const class_row& r, const class_tally& tally, const class_naming& names,
             bool with_areas) {
    if (r.code.value != class_code::none) row.put(fields::value, r.code.value);
    if (const auto text = names.of(r.code); !text.empty()) row.put(fields::name, text);
    if (r.code.against != class_code::none) row.put(fields::against, r.code.against);
    if (const auto text = names.against(r.code); !text.empty()) row.put(fields::against_name, text);
    row.put(fields::cells, gdalmcp::significant(r.extent.cells, digits_of_cells));
    if (const auto share = tally.share_of(r)) row.put(fields::share, gdalmcp::significant(*share, digits_of_share));
    if (!with_areas) return;
    row.put(fields::area_m2, r.extent.area);
    row.put(fields::area_ha, r.extent.area / 10000);
}

// What is listed of a zone: the largest rows, those without data last.
void put_rows(gdalmcp::place& at, const class_tally& tally, std::size_t most, const class_naming& names,
              bool with_areas) {
    auto largest = tally.rows;
    std::stable_sort(largest.begin(), largest.end(), [](const class_row& a, const class_row& b) {
        return a.classified != b.classified ? a.classified : a.extent.cells > b.extent.cells;
    });
    at.begin(fields::classes);
    double listed = 0;
    for (std::size_t i = 0; i < std::min(most, largest.size()); ++i) {
        listed += tally.share_of(largest[i]).value_or(0);
        put_row(at.add(fields::classes), largest[i], tally, names, with_areas);
    }
    if (listed < 1 - coverage_rounding && tally.classified.cells > 0)
        at.put(fields::other_share, gdalmcp::significant(1 - listed, digits_of_share));
}

void put_zone(gdalmcp::place at, const tallied_zone& z, bool named, bool with_areas) {
    if (named) at.put(fields::zone, z.of->id);
    if (!z.of->labels.empty()) at.put(fields::labels, z.of->labels);
    if (z.of->area) at.put(fields::zone_area, *z.of->area);
    if (!z.of->problem.empty()) return at.put(fields::problem, z.of->problem);
    if (const double share = z.outside(); share > 0)
        at.put(fields::outside, gdalmcp::significant(share, digits_of_share));
    at.put(fields::classified_cells, gdalmcp::significant(z.tally.classified.cells, digits_of_cells));
    at.put(fields::unclassified_cells, gdalmcp::significant(z.tally.unclassified.cells, digits_of_cells));
    if (!with_areas) return;
    at.put(fields::classified_ha, z.tally.classified.area / 10000);
    at.put(fields::unclassified_ha, z.tally.unclassified.area / 10000);
}

}  // namespace

std::string class_naming::of(const class_code& code) const {
    if (code.value == class_code::none) return {};
    const auto found = given.find(code.value);
    return found != given.end() ? found->second : source.names().of(code.value);
}

std::string class_naming::against(const class_code& code) const {
    if (code.against == class_code::none) return {};
    const auto own = source.names_against().of(code.against);
    // A name given for a code holds for both rasters, unless the second has another legend.
    const auto found = given.find(code.against);
    return found != given.end() && (own.empty() || own == source.names().of(code.against)) ? found->second : own;
}

void put_classes(gdalmcp::call& call, const std::vector<tallied_zone>& zones, const class_naming& names, bool named,
                 bool with_areas) {
    std::size_t all = 0, shown = 0;
    for (const auto& z : zones) all += rows_of(z);
    const auto most = all <= most_rows ? all : zones.size() == 1 ? most_rows : rows_of_many;
    call.begin(fields::zones);
    for (const auto& z : zones) {
        if (shown >= most_rows) break;
        auto at = call.add(fields::zones);
        put_zone(at, z, named, with_areas);
        if (z.of->problem.empty()) put_rows(at, z.tally, most, names, with_areas);
        shown += std::min(most, rows_of(z));
    }
    call.put(fields::truncated, shown < all);
}

}  // namespace gdalmcp_aggregation
