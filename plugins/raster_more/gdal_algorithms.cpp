#include "gdal_algorithms.hpp"

#include <gdal_alg.h>

#include <exception>

namespace gdalmcp_raster_more {
namespace {

namespace gdal = gdalmcp::gdal;

// Runs a GDAL function with a C progress callback; what `report` throws stops it and is thrown again.
template <class F>
void run(const char* doing, const progress& report, F&& work) {
    struct state {
        const progress& report;
        std::exception_ptr stopped{};
        static int CPL_STDCALL heard(double fraction, const char*, void* self) {
            auto& s = *static_cast<state*>(self);
            try {
                s.report(fraction);
                return TRUE;
            } catch (...) {
                s.stopped = std::current_exception();
                return FALSE;
            }
        }
    } s{report};
    CPLErrorReset();
    const bool done = work(&state::heard, &s);
    if (s.stopped) std::rethrow_exception(s.stopped);
    if (!done || CPLGetLastErrorType() >= CE_Failure) gdal::raise(doing);
}

}  // namespace

void sieve(GDALRasterBand& from, GDALRasterBand* mask, GDALRasterBand& to, int size, int connectedness,
           const progress& report) {
    run("cannot sieve", report, [&](GDALProgressFunc heard, void* self) {
        return GDALSieveFilter(&from, mask, &to, size, connectedness, nullptr, heard, self) == CE_None;
    });
}

void distance_to_targets(GDALRasterBand& targets, GDALRasterBand& distances, std::optional<double> max_distance,
                         double none, const progress& report) {
    gdal::words options{"DISTUNITS=GEO", "NODATA=" + gdal::number_text(none)};
    if (max_distance) options.add("MAXDIST=" + gdal::number_text(*max_distance));
    run("cannot measure distances", report, [&](GDALProgressFunc heard, void* self) {
        return GDALComputeProximity(&targets, &distances, options.get(), heard, self) == CE_None;
    });
}

bool fills_with_nearest() { return GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 9, 0); }

void fill(GDALRasterBand& band, GDALRasterBand& valid, const filling& how, const std::string& folder,
          const progress& report) {
    gdal::words options;
    if (how.nearest) options.add("INTERPOLATION=NEAREST");
    const CPLConfigOptionSetter temporary{"CPL_TMPDIR", folder.c_str(), false};
    run("cannot fill", report, [&](GDALProgressFunc heard, void* self) {
        return GDALFillNodata(&band, &valid, how.max_distance, 0, how.smoothing, options.get(), heard, self) == CE_None;
    });
}

void contours(GDALRasterBand& band, OGRLayer& into, const contour_levels& at, bool areas, const progress& report) {
    gdal::words options{"ID_FIELD=0"};
    if (areas)
        options.add("POLYGONIZE=YES", "ELEV_FIELD_MIN=1", "ELEV_FIELD_MAX=2");
    else
        options.add("ELEV_FIELD=1");
    if (at.levels.empty()) {
        options.add("LEVEL_INTERVAL=" + gdal::number_text(at.interval), "LEVEL_BASE=" + gdal::number_text(at.base));
    } else {
        std::string levels;
        for (const double v : at.levels) levels += (levels.empty() ? "" : ",") + gdal::number_text(v);
        options.add("FIXED_LEVELS=" + levels);
    }
    run("cannot draw contours", report, [&](GDALProgressFunc heard, void* self) {
        return GDALContourGenerateEx(&band, OGRLayer::ToHandle(&into), options.get(), heard, self) == CE_None;
    });
}

void burn_shapes(GDALDataset& target, const std::vector<OGRGeometry*>& shapes, const std::vector<double>& values,
                 bool all_touched, bool add, const progress& report) {
    gdal::words options;
    if (all_touched) options.add("ALL_TOUCHED=TRUE");
    if (add) options.add("MERGE_ALG=ADD");
    std::vector<OGRGeometryH> handles;
    for (auto* s : shapes) handles.push_back(OGRGeometry::ToHandle(s));
    int band = 1;
    run("cannot rasterize", report, [&](GDALProgressFunc heard, void* self) {
        return GDALRasterizeGeometries(GDALDataset::ToHandle(&target), 1, &band, static_cast<int>(handles.size()),
                                       handles.data(), nullptr, nullptr, values.data(), options.get(), heard,
                                       self) == CE_None;
    });
}

}  // namespace gdalmcp_raster_more
