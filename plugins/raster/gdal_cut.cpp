#include "gdal_cut.hpp"

#include "datasets/gdal_output.hpp"
#include "gdal_cell_type.hpp"
#include "gdal_marking.hpp"
#include "spare_value.hpp"

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

int strip_rows(const window& w) {
    return std::clamp(4'000'000 / std::max(w.width, 1) / 256 * 256, 16, std::max(w.height, 16));
}

void read_strip(GDALRasterBand& band, const window& w, int first, int rows, std::vector<double>& values,
                std::vector<unsigned char>& valid) {
    const auto n = static_cast<std::size_t>(w.width) * rows;
    values.resize(n);
    valid.resize(n);
    const auto failed = [&](GDALRasterBand& b, void* to, GDALDataType type) {
        return b.RasterIO(GF_Read, w.column, w.row + first, w.width, rows, to, w.width, rows, type, 0, 0, nullptr) !=
               CE_None;
    };
    if (failed(band, values.data(), GDT_Float64) || failed(*band.GetMaskBand(), valid.data(), GDT_Byte))
        gdal::raise_unreadable(band, w.row + first, static_cast<int>(rows));
}

namespace {

struct plan {
    marking how = marking::none;
    std::optional<double> nodata;  // of the result
    bool one_nodata = true;        // every band of the source has the same, or none has any
    std::vector<int> bands;
    GDALDataType type = GDT_Unknown;  // holds the values of all bands
};

// Those of the whole raster, and the axes of all its bands, are not those of a part.
void copy_tags(GDALMajorObject& from, GDALMajorObject& to) {
    for (char** item = from.GetMetadata(); item && *item; ++item) {
        char* key = nullptr;
        const char* value = CPLParseNameValue(*item, &key);
        const std::string name = key ? key : "";
        CPLFree(key);
        const bool axes = name == "NETCDF_DIM_EXTRA" || name.ends_with("_DEF") || name.ends_with("_VALUES");
        if (value && name.rfind("STATISTICS_", 0) != 0 && !(name.rfind("NETCDF_DIM_", 0) == 0 && axes))
            to.SetMetadataItem(name.c_str(), value);
    }
}

// Whether the zone leaves any cell of its window out.
bool selects_all(const zone_mask& zone) {
    std::vector<unsigned char> mask;
    const auto& w = zone.bounds();
    const int step = strip_rows(w);
    for (int row = 0; row < w.height; row += step) {
        zone.read(row, std::min(step, w.height - row), mask);
        if (std::find(mask.begin(), mask.end(), 0) != mask.end()) return false;
    }
    return true;
}

std::optional<double> free_value(GDALDataset& source, const zone_mask& zone, const std::vector<int>& bands,
                                 GDALDataType type, const progress& report) {
    spare_value spare{cell_type_of(type)};
    std::vector<double> values;
    std::vector<unsigned char> valid;
    const auto& w = zone.bounds();
    const int step = strip_rows(w);
    for (int row = 0; row < w.height; row += step) {
        report(static_cast<double>(row) / w.height);
        for (const int b : bands) {
            read_strip(*source.GetRasterBand(b), w, row, std::min(step, w.height - row), values, valid);
            spare.see(values.data(), values.size());
        }
    }
    return spare.found();
}

plan plan_of(GDALDataset& source, const zone_mask& zone, const std::vector<int>& bands, const progress& report) {
    plan p;
    p.bands = bands;
    const auto first = nodata_of(*source.GetRasterBand(bands.front()));
    p.type = common_type(source, bands);
    for (const int b : bands) p.one_nodata = p.one_nodata && same_value(first, nodata_of(*source.GetRasterBand(b)));
    const bool alpha =
        is_alpha(*source.GetRasterBand(bands.back())) && alpha_hides(static_cast<int>(bands.size()), p.type);
    const int flags = source.GetRasterBand(bands.front())->GetMaskFlags();
    if (p.one_nodata && first && flags != GMF_PER_DATASET) {
        p.how = marking::nodata;
        p.nodata = first;
        return p;
    }
    // The cells of an alpha band that is not taken become a mask.
    const bool masked = flags == GMF_PER_DATASET || (flags & GMF_ALPHA && !alpha);
    if (masked) {
        p.how = marking::mask;
    } else if (alpha) {
        p.how = marking::alpha;
    } else if (p.one_nodata && selects_all(zone)) {
        p.how = marking::none;
    } else {
        p.nodata = free_value(source, zone, bands, p.type, report);
        p.how = p.nodata ? marking::nodata : marking::mask;
    }
    return p;
}

raster_output make(GDALDataset& source, const zone_mask& zone, const plan& p, const std::string& path) {
    const bool alpha_last = source.GetRasterBand(p.bands.back())->GetColorInterpretation() == GCI_AlphaBand;
    raster_output out{path, part_of(grid_of(source), zone.bounds()), p.type, static_cast<int>(p.bands.size()),
                      alpha_last ? std::vector<std::string>{"ALPHA=YES"} : std::vector<std::string>{}};
    copy_tags(source, out.dataset());
    for (std::size_t i = 0; i < p.bands.size(); ++i) {
        auto &from = *source.GetRasterBand(p.bands[i]), &to = out.band(static_cast<int>(i) + 1);
        copy_tags(from, to);
        copy_meaning(from, to, {.palette = p.bands.size() == 1});
    }
    if (p.nodata) out.nodata(*p.nodata);
    if (p.how == marking::mask) out.mask();
    return out;
}

// Rows of the window of a band in the type of the result, and where they go.
struct strip {
    const window& w;
    int first, rows;
    GDALDataType type;
    std::vector<unsigned char> cells, valid;

    std::size_t size() const { return static_cast<std::size_t>(w.width) * rows; }
    void read(GDALRasterBand& band) {
        cells.resize(size() * GDALGetDataTypeSizeBytes(type));
        valid.resize(size());
        if (band.RasterIO(GF_Read, w.column, w.row + first, w.width, rows, cells.data(), w.width, rows, type, 0, 0,
                          nullptr) != CE_None ||
            band.GetMaskBand()->RasterIO(GF_Read, w.column, w.row + first, w.width, rows, valid.data(), w.width, rows,
                                         GDT_Byte, 0, 0, nullptr) != CE_None)
            gdal::raise_unreadable(band, w.row + first, static_cast<int>(rows));
    }
    void set(std::size_t cell, double value) {
        GDALCopyWords(&value, GDT_Float64, 0, cells.data() + cell * GDALGetDataTypeSizeBytes(type), type, 0, 1);
    }
    void write(GDALRasterBand& band, std::vector<unsigned char>& from, GDALDataType as) const {
        if (band.RasterIO(GF_Write, 0, first, w.width, rows, from.data(), w.width, rows, as, 0, 0, nullptr) != CE_None)
            gdal::raise("cannot write the result");
    }
};

// Marks the cells of one band outside the zone.
void mark(strip& s, const plan& p, const std::vector<unsigned char>& selected, bool alpha) {
    for (std::size_t k = 0; k < s.size(); ++k)
        if (p.how == marking::nodata && (!selected[k] || (!p.one_nodata && !s.valid[k])))
            s.set(k, *p.nodata);
        else if (p.how == marking::alpha && alpha && !selected[k])
            s.set(k, 0);
}

}  // namespace

cut_counts cut(GDALDataset& source, const zone_mask& zone, const std::vector<int>& bands, const std::string& path,
               const progress& report) {
    const plan p = plan_of(source, zone, bands, [&](double f) { report(0.4 * f); });
    auto out = make(source, zone, p, path);
    const auto& w = zone.bounds();
    const int step = strip_rows(w);
    cut_counts counts;
    counts.outside = name_of(p.how);
    counts.nodata = p.nodata;
    std::vector<unsigned char> selected;
    for (int row = 0; row < w.height; row += step) {
        report(0.4 + 0.6 * row / w.height);
        strip s{w, row, std::min(step, w.height - row), p.type, {}, {}};
        zone.read(row, s.rows, selected);
        for (std::size_t i = 0; i < p.bands.size(); ++i) {
            auto& from = *source.GetRasterBand(p.bands[i]);
            s.read(from);
            mark(s, p, selected, from.GetColorInterpretation() == GCI_AlphaBand);
            s.write(out.band(static_cast<int>(i) + 1), s.cells, p.type);
            if (i > 0) continue;
            for (std::size_t k = 0; k < s.size(); ++k) {
                counts.selected += selected[k];
                counts.missing += selected[k] && !s.valid[k];
                s.valid[k] = selected[k] && s.valid[k] ? 255 : 0;
            }
            if (p.how == marking::mask) s.write(*out.band(1).GetMaskBand(), s.valid, GDT_Byte);
        }
    }
    out.close();
    return counts;
}

}  // namespace gdalmcp_raster
