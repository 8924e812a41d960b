#include "app/resources/resampling_methods.hpp"

#include <algorithm>
#include <iterator>

namespace gdalmcp::app {
namespace {

// Sources: GDAL's documentation of gdalwarp and gdaladdo. On a coarser grid the warper widens each kernel by the ratio
// of the cell sizes.
constexpr resampling_method methods[] = {
    {"near", "Copies the nearest cell.", "Classes, codes and masks: no value appears that was not there.",
     "Continuous surfaces: values move by up to half a cell, and slopes show steps. Coarser grids: most cells are "
     "ignored."},
    {"bilinear", "Averages the 2 x 2 surrounding cells, weighted by distance.",
     "Continuous values at a similar or finer cell size: temperature, reflectance, elevation. Never leaves the range "
     "of "
     "its inputs.",
     "Classes and codes: it invents values between them."},
    {"cubic", "Fits a cubic convolution to the 4 x 4 surrounding cells.",
     "Smooth continuous surfaces and imagery: sharper than bilinear.",
     "Classes and codes. Values with hard limits (shares, counts): it overshoots at edges."},
    {"cubicspline", "Fits a cubic B-spline to the 4 x 4 surrounding cells.",
     "Continuous values where smoothness counts more than detail.",
     "Classes and codes. Where peaks and edges must keep their values: it blurs them."},
    {"lanczos", "Weights the 6 x 6 surrounding cells by a windowed sinc.", "Imagery for viewing: the sharpest.",
     "Classes and codes. Measurements with hard limits: it rings and overshoots at edges."},
    {"average", "Averages the cells under the new cell, weighted by the area they share.",
     "Continuous values, densities and shares on a coarser grid.", "Classes and codes. Counts and totals: use sum."},
    {"average_magphase", "Averages complex values by magnitude and phase.", "Overviews of complex radar data.",
     "Real values."},
    {"rms", "Takes the root mean square of the cells under the new cell.",
     "Amplitudes and errors on a coarser grid, where squares add up.",
     "Classes and codes. Means: it is biased upwards."},
    {"gauss", "Weights cells by a Gaussian kernel.", "Overviews of sharp-edged imagery such as scanned maps.",
     "Classes and codes."},
    {"mode", "Takes the most frequent value under the new cell.", "Classes and codes on a coarser grid.",
     "Continuous values. Rare classes: they vanish; shares of classes change."},
    {"max", "Takes the largest value under the new cell.",
     "Upper bounds on a coarser grid: flood depth, hazard, masks.",
     "Means and totals: it is biased upwards. Classes and codes."},
    {"min", "Takes the smallest value under the new cell.", "Lower bounds on a coarser grid.",
     "Means and totals: it is biased downwards. Classes and codes."},
    {"med", "Takes the median under the new cell.", "Continuous values with outliers on a coarser grid.",
     "Totals. Classes and codes."},
    {"q1", "Takes the first quartile under the new cell.", "Low values without the outliers, on a coarser grid.",
     "Means and totals. Classes and codes."},
    {"q3", "Takes the third quartile under the new cell.", "High values without the outliers, on a coarser grid.",
     "Means and totals. Classes and codes."},
    {"sum", "Adds the cells under the new cell, weighted by the share of each.",
     "Counts and amounts per cell, such as population: the total is kept.",
     "Densities, means and continuous values. Classes and codes."}};

}  // namespace

const resampling_method* resampling_method_named(std::string_view name) {
    const auto* found =
        std::find_if(std::begin(methods), std::end(methods), [&](const auto& m) { return m.name == name; });
    return found == std::end(methods) ? nullptr : found;
}

}  // namespace gdalmcp::app
