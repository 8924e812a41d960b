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

// Features of which a repair has taken m values, which GEOS drops, or z values, which the plan of a surface has none
// of.
struct taken_ordinates {
    GIntBig z = 0, m = 0;
    void see(const OGRGeometry& own, const OGRGeometry* repaired);
    void tell(gdalmcp::call&) const;
};

// By gdal::valid_form. Throws unusable when GEOS fails.
repaired repair(const OGRGeometry&, const std::string& reason);

// For a polygon that a repair leaves nothing of: throws unusable where a shell encloses an area, which its holes take
// away. Others are walls: the plan of their rings is a line.
void require_wall(const OGRGeometry&, const std::string& reason);

}  // namespace gdalmcp_vector
