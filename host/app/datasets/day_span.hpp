// Spans of days: those asked for, and those in the names of files, layers and fields.
#pragma once
#include <string_view>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::app {

// Both days included, as numbers: 20190131.
struct day_span {
    int from = 0, to = 0;
    bool meets(const day_span& other) const { return from <= other.to && other.from <= to; }
    bool operator==(const day_span&) const = default;
};

// "2019", "2019-05", "2019-05-17", a time of that day, or two of them: "2019/2021", "../2020", "2019/..".
// Errors: invalid_argument at /time.
base::result<day_span> day_span_of(std::string_view text);

// The dates in a name: "lc_2019.tif", "S2A_20190517T101031", "pop2015", "ndvi_2010-2020", "t2m_2019-05", "A2019137".
// Numbers that may be something else ("2000m", "epsg_2154", "1:2500") are none.
std::vector<day_span> days_in_name(std::string_view name);

}  // namespace gdalmcp::app
