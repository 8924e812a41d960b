// ogr_group_table.hpp — groups as a table: the values of 'by', then the statistics of each field.
#pragma once
#include "ogr_groups.hpp"

namespace gdalmcp_fields {

enum class measure {
    count,
    nulls,
    sum,
    mean,
    median,
    stdev,
    stdev_sample,
    coefficient_of_variation,
    min,
    max,
    variety,
    majority
};

struct wanted_measure {
    measure what;
    const char* name;
};

// By the name of a statistic. REQUIRES: one of them.
wanted_measure measure_named(const std::string&);
// Whether it can be said of text.
bool of_text(measure);

// Of a number: NaN where it is undefined.
double number_of(const field_summary&, measure);

// Writes the table; returns its rows. A number's statistics are reals, counts whole; percentiles are named pop_p90.
GIntBig write_groups(const std::string& path, const grouping&, const OGRFeatureDefn& source, const std::vector<int>& by,
                     const std::vector<wanted_measure>& wanted, const std::vector<double>& percentiles);

}  // namespace gdalmcp_fields
