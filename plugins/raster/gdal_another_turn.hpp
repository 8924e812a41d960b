// gdal_another_turn.hpp — longitudes from 0 to 360 beside those from -180 to 180.
#pragma once
#include <optional>
#include <string>

#include "datasets/gdal_grid.hpp"

namespace gdalmcp_raster {

using namespace gdalmcp_datasets;

inline constexpr double rounding_of_degrees = 1e-6;

// Whether longitudes do not lie from -180 to 180.
bool beyond_half_turn(const OGREnvelope& degrees);

// Whether the warper may find cells of a source a turn away, beyond the outline of a map of the world, where the
// inverse of a projection still has longitudes: of one beyond 180 degrees, and of a world where the caller fixes the
// extent; else GDALWarp() looks after that itself. CHECK_WITH_INVERT_PROJ takes them out.
bool may_repeat(const grid& source, const OGRSpatialReference& target, bool extent_given);

// Takes these cells out while it lives, for all threads of the warper.
class outline_kept {
public:
    explicit outline_kept(bool repeats) : set_{repeats} {
        if (set_) CPLSetConfigOption(option, "YES");
    }
    ~outline_kept() {
        if (set_) CPLSetConfigOption(option, nullptr);
    }
    outline_kept(const outline_kept&) = delete;
    outline_kept& operator=(const outline_kept&) = delete;

private:
    static constexpr const char* option = "CHECK_WITH_INVERT_PROJ";
    const bool set_;
};

// Refuses a raster that reaches beyond 180 degrees and has places of another grid a turn away from where that has them.
void refuse_a_turn_apart(const std::string& path, const grid& source, const grid& other);

// Refuses a raster whose cells lie, or may lie, a turn around the Earth away from where the target has them: GDAL's
// sums take cells only where they are stored, and the others would come out as 0. box: of the target, if known.
void refuse_another_turn(const std::string& path, const grid& source, const OGRSpatialReference& target,
                         const std::optional<OGREnvelope>& box);

}  // namespace gdalmcp_raster
