#include "field_marks.hpp"

#include <cmath>
#include <gdalmcp/nodata_range.hpp>

namespace gdalmcp_vector {

void field_marks::extreme::see(double v, double sign) {
    if (rows > 0 && v == value) {
        ++rows;
    } else if (rows == 0 || sign * v < sign * value) {
        has_next = rows > 0;
        next = value;
        value = v;
        rows = 1;
    } else if (!has_next || sign * v < sign * next) {
        has_next = true;
        next = v;
    }
}

void field_marks::see(double value) {
    if (!std::isfinite(value)) return;
    low_.see(value, 1);
    high_.see(value, -1);
}

std::vector<field_mark> field_marks::found() const {
    std::vector<field_mark> marks;
    if (low_.rows == 0) return marks;
    if (!low_.has_next) {
        if (gdalmcp::customary_nodata(low_.value)) marks.push_back({low_.value, low_.rows});
        return marks;
    }
    for (const auto& [end, other] : {std::pair{low_, high_.value}, {high_, low_.value}}) {
        const bool customary = gdalmcp::customary_nodata(end.value);
        const bool possible = gdalmcp::possible_nodata(end.value) && end.value != 0 && end.value != 255;
        if (!customary && !possible) continue;
        const double gap = std::abs(end.next - end.value), span = std::abs(other - end.next);
        const bool only_negative = end.value < 0 && end.next >= 0;
        if (gap > 1 && (only_negative || gap > (customary ? span / 10 : span))) marks.push_back({end.value, end.rows});
    }
    return marks;
}

}  // namespace gdalmcp_vector
