// gdal_recoding.hpp — the values of a raster in another data type, on another scale, with another nodata value.
#pragma once
#include "gdal_cut.hpp"

namespace gdalmcp_raster {

struct recoding {
    GDALDataType type = GDT_Unknown;               // unknown = as it is
    std::optional<std::array<double, 4>> scale{};  // from, to -> from, to
    bool unscale = false;                          // stored values × scale + offset of the band
    std::optional<double> nodata{};                // new value of missing cells
    // GeoTIFF has palettes of 8 and 16 bits. `written`: the type of the result.
    bool keeps_palette(GDALDataType written) const { return !scale && (written == GDT_Byte || written == GDT_UInt16); }
    bool changes() const { return type != GDT_Unknown || scale || unscale || nodata; }
};

struct recoded {
    gdalmcp::gdal::dataset_ptr dataset;  // a GeoTIFF
    std::int64_t clamped = 0;            // cells with data outside 'scale', which took the value of its end
    std::int64_t declared = 0;  // cells that had the new nodata value where none was declared: missing from now on
};

// Writes a GeoTIFF at `path`. Refused with the number of cells: valid values outside the new type (unless a scale is
// given, which clamps to its ends), valid values that equal
// the new nodata value (where the source declares none, the value is declared and its cells are counted), missing cells
// that could no longer be marked.
recoded recode(GDALDataset& source, const recoding& r, const std::string& path, const progress& report);

// Refused as by recode(): a nodata value, new or of the source, that the type does not hold.
void check_nodata(GDALDataset& source, const recoding& r, GDALDataType type);

// The type the cells of the result have: the one asked for, else Float64 for real values, else that of the first band.
GDALDataType type_of_result(GDALDataset& source, const recoding& r);

// A stored number, and the real value scale × stored + offset that it stands for.
struct scaled_value {
    double stored, scale, offset;
    GDALDataType type;
};

// Whether a number written as `type` is that real value. The rounding to a floating-point type is no change while it
// stays below what the stored numbers tell apart: half a step of whole numbers, and the spacing of Float32.
bool holds_real_value(const scaled_value& v, double written, GDALDataType type);

// What a recoding does to cells with data. A cell counts as changed if its value afterwards is not the one it stands
// for: the stored value, complex ones with their imaginary part, or with `unscale` the real value (holds_real_value).
struct recoding_loss {
    std::int64_t cells = 0;         // examined, with or without data
    std::int64_t changed = 0;       // those outside, and those that would read as nodata, included
    std::int64_t hidden = 0;        // have the new nodata value as data
    std::int64_t refused = 0;       // are data but would equal the nodata value, in a band that marks others
    std::int64_t outside = 0;       // the type, which is refused, or the scale, whose ends they take
    std::int64_t not_a_number = 0;  // of those outside
    double greatest_change = 0;     // of those that keep a value

    void add(const recoding_loss& other);
};

// Whether the type alone keeps every value a band can hold, so that no cell needs to be examined.
bool keeps_every_value(GDALRasterBand& band, const recoding& r, GDALDataType type);

// Of the cells of a window, without writing them.
recoding_loss loss_of(GDALRasterBand& band, const recoding& r, GDALDataType type, const window& w);

}  // namespace gdalmcp_raster
