#include "gdal_fidelity.hpp"

#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/gdal_kind.hpp>

#include <cstring>

#include "datasets/gdal_band_label.hpp"
#include "gdal_recoding.hpp"

namespace gdalmcp_raster {
namespace {

namespace gdal = gdalmcp::gdal;

// Cells of a strip in one type, and which of them are valid.
struct strip_cells {
    std::vector<unsigned char> cells, valid;

    // turned_over: rows are counted from the last one.
    void read(GDALRasterBand& band, GDALDataType type, int row, int rows, bool turned_over = false) {
        const int columns = band.GetXSize(), first = turned_over ? band.GetYSize() - row - rows : row;
        const auto n = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
        cells.resize(n * static_cast<std::size_t>(GDALGetDataTypeSizeBytes(type)));
        valid.resize(n);
        const auto failed = [&](GDALRasterBand& b, unsigned char* to, GDALDataType as) {
            const GSpacing line = GSpacing{columns} * GDALGetDataTypeSizeBytes(as);
            return b.RasterIO(GF_Read, 0, first, columns, rows, turned_over ? to + (rows - 1) * line : to, columns,
                              rows, as, 0, turned_over ? -line : line, nullptr) != CE_None;
        };
        if (failed(band, cells.data(), type) || failed(*band.GetMaskBand(), valid.data(), GDT_Byte))
            gdal::raise_unreadable(band, first, rows);
    }
};

// One type in which both can be compared.
GDALDataType common_type(GDALDataType a, GDALDataType b) {
    if (a == b) return a;
    return GDALDataTypeIsComplex(a) || GDALDataTypeIsComplex(b) ? GDT_CFloat64 : GDT_Float64;
}

template <class T>
bool equal_floats(const unsigned char* a, const unsigned char* b, std::size_t parts) {
    T p[2], q[2];
    std::memcpy(p, a, parts * sizeof(T));
    std::memcpy(q, b, parts * sizeof(T));
    for (std::size_t i = 0; i < parts; ++i)
        if (p[i] != q[i] && !(std::isnan(p[i]) && std::isnan(q[i]))) return false;
    return true;
}

bool equal_cells(const unsigned char* a, const unsigned char* b, GDALDataType type, std::size_t size) {
    if (std::memcmp(a, b, size) == 0) return true;
    switch (type) {  // NaNs differ in bits, and so do 0 and -0
        case GDT_Float32:
            return equal_floats<float>(a, b, 1);
        case GDT_Float64:
            return equal_floats<double>(a, b, 1);
        case GDT_CFloat32:
            return equal_floats<float>(a, b, 2);
        case GDT_CFloat64:
            return equal_floats<double>(a, b, 2);
        default:
            return false;
    }
}

bool is_nan(const unsigned char* cell, GDALDataType type) {
    float f = 0;
    double d = 0;
    if (type == GDT_Float32) std::memcpy(&f, cell, sizeof f);
    if (type == GDT_Float64) std::memcpy(&d, cell, sizeof d);
    return std::isnan(f) || std::isnan(d);
}

double double_at(const unsigned char* cell) {
    double v = 0;
    std::memcpy(&v, cell, sizeof v);
    return v;
}

// Whole numbers beyond 2^53 have no double of their own, so that the two cannot be told apart.
bool exact_as_double(const unsigned char* cell, GDALDataType stored) {
    return !whole_numbers_of_64_bits(stored) || std::abs(double_at(cell)) < 9007199254740992.0;
}

// Some formats hold rows from north to south alone: the same cells in another order.
bool turned_over(const grid& a, const grid& b) {
    const auto &g = a.geotransform, &h = b.geotransform;
    const double close = 1e-6 * a.cell_width();
    return a.georeferenced && b.georeferenced && a.height == b.height && !a.rotated() && !b.rotated() &&
           std::abs(g[5] + h[5]) <= close && std::abs(g[3] + a.height * g[5] - h[3]) <= close &&
           std::abs(g[0] - h[0]) <= close && std::abs(g[1] - h[1]) <= close;
}

}  // namespace

fidelity compare(GDALDataset& source, GDALDataset& written, const progress& report, bool unscaled) {
    fidelity f;
    const window w{0, 0, source.GetRasterXSize(), source.GetRasterYSize()};
    const int n = std::min(source.GetRasterCount(), written.GetRasterCount()), step = strip_rows(w);
    const bool turned = turned_over(grid_of(source), grid_of(written));
    strip_cells before, after;
    for (int i = 1; i <= n; ++i) {
        auto &a = *source.GetRasterBand(i), &b = *written.GetRasterBand(i);
        const auto stored = a.GetRasterDataType();
        const double scale = unscaled ? a.GetScale() : 1, offset = unscaled ? a.GetOffset() : 0;
        const bool by_real_value = scale != 1 || offset != 0;
        const auto type =
            by_real_value && !GDALDataTypeIsComplex(stored) ? GDT_Float64 : common_type(stored, b.GetRasterDataType());
        const auto equal = [&](const unsigned char* p, const unsigned char* q, std::size_t size) {
            return by_real_value && type == GDT_Float64
                       ? holds_real_value({double_at(p), scale, offset, stored}, double_at(q), b.GetRasterDataType())
                       : equal_cells(p, q, type, size);
        };
        const auto size = static_cast<std::size_t>(GDALGetDataTypeSizeBytes(type));
        for (int row = 0; row < w.height; row += step) {
            report((i - 1 + static_cast<double>(row) / w.height) / n);
            const int rows = std::min(step, w.height - row);
            before.read(a, type, row, rows);
            after.read(b, type, row, rows, turned);
            if (type == stored && !by_real_value && before.valid == after.valid && before.cells == after.cells)
                continue;
            for (std::size_t k = 0; k < before.valid.size(); ++k) {
                const auto *p = before.cells.data() + k * size, *q = after.cells.data() + k * size;
                if (!before.valid[k] || is_nan(p, type))  // NaN is no data, marked or not
                    f.revived += after.valid[k] != 0 && !is_nan(q, type);
                else if (!equal(p, q, size) || (type != stored && !exact_as_double(p, stored)))
                    ++f.changed;
                else
                    f.hidden += after.valid[k] == 0;
            }
        }
    }
    return f;
}

bool alpha_became_mask(GDALDataset& source, GDALDataset& written) {
    return source.GetRasterCount() == written.GetRasterCount() + 1 &&
           written.GetRasterBand(1)->GetMaskFlags() == GMF_PER_DATASET &&
           source.GetRasterBand(source.GetRasterCount())->GetColorInterpretation() == GCI_AlphaBand;
}

namespace {

// Bands of a picture, and its transparency; other interpretations are labels that change no reading.
bool of_a_picture(GDALColorInterp c) {
    return c == GCI_RedBand || c == GCI_GreenBand || c == GCI_BlueBand || c == GCI_AlphaBand;
}

// Whether a band of a netCDF cube lost its date, depth or level, or has that of another.
bool moved_along_axes(GDALRasterBand& before, GDALRasterBand& after) {
    for (char** item = before.GetMetadata(); item && *item; ++item) {
        const std::string entry = *item, key = entry.substr(0, entry.find('='));
        if (key.rfind("NETCDF_DIM_", 0) != 0) continue;
        const char* place = after.GetMetadataItem(key.c_str());
        if (!place || CPLAtof(place) != CPLAtof(before.GetMetadataItem(key.c_str()))) return true;
    }
    return false;
}

}  // namespace

std::vector<std::string> lost_facts(GDALDataset& source, GDALDataset& written) {
    std::vector<std::string> all;
    const auto lost = [&](bool is_lost, const std::string& what) {
        if (is_lost) all.push_back(what);
    };
    const grid g = grid_of(source), h = grid_of(written);
    lost(!g.crs.IsEmpty() && (h.crs.IsEmpty() || !gdal::detail::coincide(g.crs, h.crs)),
         "the CRS " + gdal::crs_text(g.crs));
    bool moved = g.georeferenced != h.georeferenced;
    for (std::size_t i = 0; i < 6; ++i)
        moved = moved || std::abs(g.geotransform[i] - h.geotransform[i]) > 1e-6 * g.cell_width();
    moved = moved && !turned_over(g, h);
    lost(g.georeferenced && moved, "the geotransform");
    lost(source.GetGCPCount() > 0 && written.GetGCPCount() == 0, "the ground control points");
    lost(source.GetMetadata("RPC") && !written.GetMetadata("RPC"), "the rational polynomial coefficients (RPC)");
    lost(source.GetMetadata("GEOLOCATION") && !written.GetMetadata("GEOLOCATION"), "the geolocation arrays");
    lost(source.GetRasterCount() != written.GetRasterCount() && !alpha_became_mask(source, written), "all bands");
    bool moved_on_axes = false;  // said of the first band
    for (int i = 1; i <= std::min(source.GetRasterCount(), written.GetRasterCount()); ++i) {
        auto &a = *source.GetRasterBand(i), &b = *written.GetRasterBand(i);
        const std::string band = " of band " + std::to_string(i);
        int has = 0, kept = 0;
        const double u = a.GetNoDataValue(&has), v = b.GetNoDataValue(&kept);
        const bool marks_itself = has && std::isnan(u) && GDALDataTypeIsFloating(b.GetRasterDataType());
        lost(has && !(marks_itself && !kept) && (!kept || (u != v && !(std::isnan(u) && std::isnan(v)))),
             "the nodata value" + band);
        lost(GDALDataTypeIsConversionLossy(a.GetRasterDataType(), b.GetRasterDataType()) != 0,
             std::string{"the data type "} + dtype_name(a.GetRasterDataType()) + band);
        lost(a.GetScale() != b.GetScale() || a.GetOffset() != b.GetOffset(), "scale and offset" + band);
        lost(a.GetColorTable() && !b.GetColorTable(), "the palette" + band);
        lost(of_a_picture(a.GetColorInterpretation()) && b.GetColorInterpretation() != a.GetColorInterpretation(),
             std::string{"the colour "} + GDALGetColorInterpretationName(a.GetColorInterpretation()) + band);
        lost(a.GetMaskFlags() == GMF_PER_DATASET && (b.GetMaskFlags() & GMF_PER_DATASET) == 0, "the mask" + band);
        lost(a.GetCategoryNames() && !b.GetCategoryNames(), "the category names" + band);
        lost(gdal::has_class_table(a) && !gdal::declares_classes(b), "the table of classes" + band);
        lost(a.GetDescription()[0] && !EQUAL(a.GetDescription(), b.GetDescription()), "the name" + band);
        lost(a.GetUnitType()[0] && !EQUAL(a.GetUnitType(), b.GetUnitType()), "the unit" + band);
        lost(!moved_on_axes && moved_along_axes(a, b), "the place" + band + " on other axes: " + band_label(a));
        moved_on_axes = moved_on_axes || moved_along_axes(a, b);
    }
    return all;
}

bool scale_is_beside(GDALDataset& written) {
    const auto scaled = [](GDALDataset& d) {
        auto& band = *d.GetRasterBand(1);
        return band.GetScale() != 1 || band.GetOffset() != 0;
    };
    if (!scaled(written)) return false;
    const CPLConfigOptionSetter without{"GDAL_PAM_ENABLED", "NO", false};
    const gdal::quiet silence;
    const gdal::dataset_ptr alone{GDALDataset::Open(written.GetDescription(), GDAL_OF_RASTER)};
    return alone && alone->GetRasterCount() > 0 && !scaled(*alone);
}

}  // namespace gdalmcp_raster
