// What compiled conditions mean: SQL's logic of three values, of which GDAL's own evaluator knows two, and what they
// compare.
#pragma once
#include <ogr_feature.h>

#include <string>
#include <vector>

namespace gdalmcp_vector {

// GDAL takes a comparison with null for false, hence NOT (k > 10), NOT IN and the like for true where k is null.
// Changes a compiled condition so that it accepts a feature only where SQL does. Throws where it is nested too deeply
// for that.
void hold_three_values(OGRFeatureQuery&);

// A number in quotes that a condition compares a text field with by size: v > '50'.
struct number_compared {
    int field;
    std::string number;
};
std::vector<number_compared> numbers_compared(OGRFeatureQuery&, const OGRFeatureDefn&);

}  // namespace gdalmcp_vector
