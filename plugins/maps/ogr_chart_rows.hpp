// ogr_chart_rows.hpp — the rows of a layer or table as the numbers of a chart.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fields/ogr_groups.hpp"
#include "series.hpp"

namespace gdalmcp_maps {

// What was read, and what of it is not drawn.
struct row_counts {
    GIntBig read = 0;      // without those that 'where' leaves out
    GIntBig filtered = 0;  // by 'where'
    GIntBig nulls = 0;
    GIntBig not_finite = 0;
};

// The values of a numeric field. Throws for another.
struct number_rows {
    std::vector<double> sorted;
    bool whole = false;
    row_counts counts;
};
number_rows numbers_of(gdalmcp::call&, OGRLayer&, const std::string& field, const std::optional<std::string>& where);

// The values of a numeric field in each category of another; without a field each row counts as one. In the order of
// the categories.
struct category_rows {
    std::vector<category> categories;
    bool ordered = false;  // by number or date
    row_counts counts;
};
// statistic: that of the values, for warning where they are directions.
category_rows categories_of(gdalmcp::call&, OGRLayer&, const std::string& by, const std::optional<std::string>& field,
                            const std::string& statistic, const std::optional<std::string>& where);

// Pairs of numbers; x may be a date, in seconds of UTC since 1970.
struct pair_rows {
    std::vector<point_row> points;
    std::vector<std::string> names;  // of the series; one without `by`
    bool time = false, x_whole = false, y_whole = false;
    bool utc = false;  // times had a zone
    row_counts counts;
};
pair_rows pairs_of(gdalmcp::call&, OGRLayer&, const std::string& x, const std::string& y,
                   const std::optional<std::string>& by, const std::optional<std::string>& where);

}  // namespace gdalmcp_maps
