// gdal_expression_doubts.hpp — what the bands of an expression mean, against what it computes with them.
#pragma once
#include <gdalmcp/gdal.hpp>

#include <string>
#include <vector>

#include "expressions/quantities.hpp"

namespace gdalmcp_raster {

struct expression_input {
    std::string name, path;  // in the expression; of its dataset
    GDALRasterBand& band;
};

// Warns of arithmetic with declared codes and quality bits (but of 0 and 1 alone, which masks hold), of plain
// arithmetic and trigonometry with directions, of two units and of one scale among inputs that stand together, and of a
// scale that is applied twice. of: the expression's quantities, in the order of `all`.
void warn_of_expression(gdalmcp::call& call, const std::vector<expression_input>& all,
                        const gdalmcp_expressions::quantities& of);

// Whether a band is of directions by what it declares, its cells not read.
bool declares_angles(GDALRasterBand& band);

// Warns where one of two bands of the same type of whole numbers declares a scale or offset and the other does not: the
// values of the other may be stored alike. a, b: how the text names them.
void warn_of_one_scale(gdalmcp::call& call, const std::string& a, GDALRasterBand& of_a, const std::string& b,
                       GDALRasterBand& of_b);

}  // namespace gdalmcp_raster
