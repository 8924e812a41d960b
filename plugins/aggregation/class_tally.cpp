#include "class_tally.hpp"

#include <algorithm>
#include <map>

namespace gdalmcp_aggregation {
namespace {

struct sums {
    compensated_sum cells, area;
    void add(const value_share& more) {
        cells.add(more.cells);
        area.add(more.area);
    }
    class_extent extent() const { return {cells.value(), area.value()}; }
};

}  // namespace

class_tally tally_of(const std::vector<value_share>& counted, bool pairs, const std::set<std::int64_t>& wanted) {
    std::map<double, sums> by_code;
    sums classified, unclassified, unlisted, other;
    class_tally t;
    for (const auto& each : counted) by_code[each.value].add(each);
    for (const auto& [packed, sum] : by_code) {
        const auto code = class_code::of(packed);
        const value_share all{packed, sum.cells.value(), sum.area.value()};
        const bool has_data = code.value != class_code::none && (!pairs || code.against != class_code::none);
        (has_data ? classified : unclassified).add(all);
        const bool listed = code != class_code{} && (wanted.empty() || wanted.contains(code.value));
        if (listed)
            t.rows.push_back({code, sum.extent(), has_data});
        else
            (has_data ? other : unlisted).add(all);
    }
    // A class asked for that does not occur has an area of 0, where anything is classified.
    for (const auto value : wanted)
        if (!pairs && classified.cells.value() > 0 &&
            std::none_of(t.rows.begin(), t.rows.end(), [&](const class_row& r) { return r.code.value == value; }))
            t.rows.push_back({{value, class_code::none}, {}, true});
    std::stable_sort(t.rows.begin(), t.rows.end(),
                     [](const class_row& a, const class_row& b) { return a.code.value < b.code.value; });
    t.classified = classified.extent();
    t.unclassified = unclassified.extent();
    t.unlisted = unlisted.extent();
    t.other = other.extent();
    return t;
}

}  // namespace gdalmcp_aggregation
