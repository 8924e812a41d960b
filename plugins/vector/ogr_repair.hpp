// Valid geometries from invalid ones, and what the repair changed.
#pragma once
#include "ogr_reading.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gdalmcp_vector {

// GEOS' reason, cut at its place: "Self-intersection at or near point 1 1".
struct defect {
    std::string kind;           // "Self-intersection"
    std::vector<double> place;  // x, y in the geometry's CRS; empty: GEOS names none
};
defect defect_of(const std::string& reason);

struct repaired {
    std::unique_ptr<OGRGeometry> shape;  // valid; nullptr: nothing is left of it
    std::string change;                  // "1 part became 2", "nothing is left"; "" where parts and holes stay as many
};

// Whether a repair of `own` has taken its m values, which GEOS drops; and what says so of so many features.
bool lost_measures(const OGRGeometry& own, const OGRGeometry* repaired);
void warn_of_lost_measures(gdalmcp::call&, GIntBig features);

// By gdal::valid_form. Throws unusable when GEOS fails.
repaired repair(const OGRGeometry&, const std::string& reason);

// For a polygon that a repair leaves nothing of: throws unusable where a shell encloses an area, which its holes take
// away. Others are walls: the plan of their rings is a line.
void require_wall(const OGRGeometry&, const std::string& reason);

}  // namespace gdalmcp_vector
