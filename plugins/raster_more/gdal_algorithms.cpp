#include "gdal_algorithms.hpp"

#include <gdal_alg.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
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

namespace {

// Of a raster, the cells around a shape.
struct part_around {
    std::array<double, 6> transform{};  // of the part
    int column = 0, row = 0, width = 0, height = 0;
};

part_around part_of(GDALDataset& raster, const OGRGeometry& shape) {
    part_around p;
    std::array<double, 6> back{};
    OGREnvelope box;
    shape.getEnvelope(&box);
    if (raster.GetGeoTransform(p.transform.data()) != CE_None || !GDALInvGeoTransform(p.transform.data(), back.data()))
        return p;
    OGREnvelope cells;
    for (const double x : {box.MinX, box.MaxX})
        for (const double y : {box.MinY, box.MaxY})
            cells.Merge(back[0] + x * back[1] + y * back[2], back[3] + x * back[4] + y * back[5]);
    const auto clamped = [](double at, int most) { return static_cast<int>(std::clamp(at, 0.0, 1.0 * most)); };
    p.column = clamped(std::floor(cells.MinX) - 1, raster.GetRasterXSize());
    p.row = clamped(std::floor(cells.MinY) - 1, raster.GetRasterYSize());
    p.width = clamped(std::ceil(cells.MaxX) + 1, raster.GetRasterXSize()) - p.column;
    p.height = clamped(std::ceil(cells.MaxY) + 1, raster.GetRasterYSize()) - p.row;
    p.transform[0] += p.column * p.transform[1] + p.row * p.transform[2];
    p.transform[3] += p.column * p.transform[4] + p.row * p.transform[5];
    return p;
}

void add_once(GDALDataset& target, OGRGeometry& shape, double value, bool all_touched, const part_around& p) {
    const gdal::dataset_ptr mask{
        GetGDALDriverManager()->GetDriverByName("MEM")->Create("", p.width, p.height, 1, GDT_Byte, nullptr)};
    auto transform = p.transform;
    if (!mask || mask->SetGeoTransform(transform.data()) != CE_None) gdal::raise("cannot rasterize");
    burn_shapes(*mask, {&shape}, {1}, all_touched, false, [](double) {});
    const auto n = static_cast<std::size_t>(p.width) * static_cast<std::size_t>(p.height);
    std::vector<std::uint8_t> burnt(n);
    std::vector<double> cells(n);
    auto& band = *target.GetRasterBand(1);
    const auto move = [&](GDALRasterBand& of, GDALRWFlag way, int column, int row, void* data, GDALDataType type) {
        if (of.RasterIO(way, column, row, p.width, p.height, data, p.width, p.height, type, 0, 0, nullptr) != CE_None)
            gdal::raise("cannot rasterize");
    };
    move(*mask->GetRasterBand(1), GF_Read, 0, 0, burnt.data(), GDT_Byte);
    move(band, GF_Read, p.column, p.row, cells.data(), GDT_Float64);
    for (std::size_t i = 0; i < n; ++i)
        if (burnt[i]) cells[i] += value;
    move(band, GF_Write, p.column, p.row, cells.data(), GDT_Float64);
}

// To each cell of the shape once: GDAL's ALL_TOUCHED adds once for the inside and once more for each edge, and a line
// that comes back to a cell adds to it again.
void add_once(GDALDataset& target, OGRGeometry& shape, double value, bool all_touched) {
    constexpr int cells_at_once = 1 << 22;
    const auto whole = part_of(target, shape);
    if (whole.width <= 0) return;
    const int rows = std::max(1, cells_at_once / whole.width);
    for (int from = 0; from < whole.height; from += rows) {
        auto strip = whole;
        strip.row += from;
        strip.height = std::min(rows, whole.height - from);
        strip.transform[0] += from * strip.transform[2];
        strip.transform[3] += from * strip.transform[5];
        add_once(target, shape, value, all_touched, strip);
    }
}

}  // namespace

void burn_shapes(GDALDataset& target, const std::vector<OGRGeometry*>& shapes, const std::vector<double>& values,
                 bool all_touched, bool add, const progress& report) {
    gdal::words options;
    if (all_touched) options.add("ALL_TOUCHED=TRUE");
    if (add) options.add("MERGE_ALG=ADD");
    std::vector<OGRGeometryH> handles;
    std::vector<double> theirs;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        if (add && (all_touched || shapes[i]->getDimension() == 1)) {
            add_once(target, *shapes[i], values[i], all_touched);
            report(static_cast<double>(i + 1) / static_cast<double>(shapes.size()));
        } else {
            handles.push_back(OGRGeometry::ToHandle(shapes[i]));
            theirs.push_back(values[i]);
        }
    }
    if (handles.empty()) return;
    int band = 1;
    run("cannot rasterize", report, [&](GDALProgressFunc heard, void* self) {
        return GDALRasterizeGeometries(GDALDataset::ToHandle(&target), 1, &band, static_cast<int>(handles.size()),
                                       handles.data(), nullptr, nullptr, theirs.data(), options.get(), heard,
                                       self) == CE_None;
    });
}

}  // namespace gdalmcp_raster_more
