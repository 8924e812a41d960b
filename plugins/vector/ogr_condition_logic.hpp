// What compiled conditions mean: SQL's logic of three values, of which GDAL's own evaluator knows two, and what they
// compare.
#pragma once
#include "ogr_own_test.hpp"

#include <string>
#include <vector>

namespace gdalmcp_vector {

// GDAL takes a comparison with null for false, hence NOT (k > 10), NOT IN and the like for true where k is null.
// It divides whole numbers without a rest, and something by 0 is a large number to it. Changes a compiled condition so
// that it accepts a feature only where SQL does, fractions are kept, and what is divided by 0 is null. Throws where it
// is nested too deeply for that.
//
// What is tested here instead of by GDAL: `decides`, a constant of the condition, is 1 before it evaluates a feature
// where the test gives `wanted`, else 0.
struct decided_here {
    swq_expr_node* decides;
    own_test test;
    bool wanted;
};
std::vector<decided_here> hold_three_values(OGRFeatureQuery&, const OGRFeatureDefn&);

// A text in quotes that a condition compares a text field with by size: v > '50', name < 'M'.
struct text_by_size {
    int field;
    std::string text;
};
std::vector<text_by_size> texts_by_size(OGRFeatureQuery&, const OGRFeatureDefn&);

}  // namespace gdalmcp_vector
