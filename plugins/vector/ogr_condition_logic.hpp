// SQL's logic of three values for conditions, of which GDAL's own evaluator knows two.
#pragma once
#include <ogr_feature.h>

namespace gdalmcp_vector {

// GDAL takes a comparison with null for false, hence NOT (k > 10), NOT IN and the like for true where k is null.
// Changes a compiled condition so that it accepts a feature only where SQL does. Throws where it is nested too deeply
// for that.
void hold_three_values(OGRFeatureQuery&);

}  // namespace gdalmcp_vector
