// gdal_faithful_clones.hpp — lets the threads of GDAL's warper transform coordinates as its first transformer does.
//
// Where a target CRS does not survive the round trip to the source at the edges of the result (global rasters to Equal
// Earth, sinusoidal, Winkel tripel, …), GDALWarp() of GDAL 3.6 makes its transformer verify every point by the inverse
// projection (CHECK_WITH_INVERT_PROJ). It sets that option for its own thread and only for a moment; the threads of the
// kernel clone the transformer later, by serialising it, without the option. Their rows then take cells from places
// that the first transformer refuses, and which rows these are depends on which thread comes first.
//
//   const faithful_clones guard;
//   GDALWarp(…"-multi", "-wo", "NUM_THREADS=2", "-ovr", "NONE"…);
#pragma once
#include <gdal_priv.h>
#include <gdalmcp/gdal.hpp>

#include <string>
#include <vector>

namespace gdalmcp_raster {

// While it lives: reads the decision of GDALWarp() in this thread from its debug messages, and before the first chunk
// is warped sets the option for all threads, so that clones are made with it. Without the verification nothing is set.
// REQUIRES: one at a time in a process; -multi, which announces the first chunk; no choice of an overview, for which
// GDALWarp() makes the transformer anew.
class faithful_clones {
public:
    faithful_clones();
    ~faithful_clones();
    faithful_clones(const faithful_clones&) = delete;
    faithful_clones& operator=(const faithful_clones&) = delete;

    // Whether the warp verified points by the inverse projection.
    bool verified() const { return set_; }

private:
    static void CPL_STDCALL listen(CPLErr severity, CPLErrorNum number, const char* message);

    bool verifies_ = false;  // the first transformer does, as far as read
    bool set_ = false;
    bool had_debug_;
    std::string debug_;
    struct warning {
        CPLErrorNum number;
        std::string message;
    };
    std::vector<warning> warnings_;
    gdalmcp::gdal::lost_cells lost_;
};

// Threads for the warper's kernel: those of GDAL_NUM_THREADS where the source is placed by a geotransform, else one:
// clones of other transformers may differ.
std::string kernel_threads(GDALDataset& source);

}  // namespace gdalmcp_raster
