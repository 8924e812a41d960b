#include "gdal_recoding.hpp"

#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/gdal_signed_bytes.hpp>

#include "datasets/gdal_output.hpp"

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

namespace {

// A value as stored in the type, with whether it fits.
struct stored {
    double value;
    bool outside, rounded;
};

stored as_type(double v, GDALDataType type) {
    int clamped = 0, rounded = 0;
    const double out = GDALAdjustValueToDataType(type, v, &clamped, &rounded);
    const bool lost = std::isnan(v) && whole_numbers(type);
    return {lost ? 0 : out, clamped != 0 || lost || (std::isinf(v) && whole_numbers(type)), out != v && !std::isnan(v)};
}

// " from 0 to 255"; empty: of a floating-point type.
std::string within(GDALDataType type) {
    if (!whole_numbers(type)) return {};
    return " from " + gdal::number_text(as_type(-1e300, type).value) + " to " +
           gdal::number_text(as_type(1e300, type).value);
}

struct tally {
    std::int64_t outside = 0, nodata = 0, unmarked = 0, clamped = 0;
    double example = 0;
};

// One band's way from stored values to new ones.
struct formula {
    double a = 1, b = 0;  // value = stored × a + b
    std::optional<std::array<double, 4>> scale;
    std::optional<double> nodata;
    bool declared = false;  // the source marks nothing: cells of this value count as missing from now on
    GDALDataType type = GDT_Unknown;

    double real(double stored) const { return stored * a + b; }
    bool within_scale(double v) const {
        return !scale || !(v < std::min((*scale)[0], (*scale)[1]) || v > std::max((*scale)[0], (*scale)[1]));
    }
    double operator()(double v) const {
        v = real(v);
        if (!scale) return v;
        const auto& [from, to, low, high] = *scale;
        const double scaled = low + (v - from) / (to - from) * (high - low);
        return std::clamp(scaled, std::min(low, high), std::max(low, high));
    }
};

// The imaginary parts of the cells of a window, which a recoding drops; empty: the band has none.
std::vector<double> imaginary_parts(GDALRasterBand& band, const window& w) {
    if (!GDALDataTypeIsComplex(band.GetRasterDataType())) return {};
    std::vector<double> parts(2 * static_cast<std::size_t>(w.cells()));
    if (band.RasterIO(GF_Read, w.column, w.row, w.width, w.height, parts.data(), w.width, w.height, GDT_CFloat64, 0, 0,
                      nullptr) != CE_None)
        gdal::raise_unreadable(band, w.row, w.height);
    for (std::size_t i = 0; i < parts.size() / 2; ++i) parts[i] = parts[2 * i + 1];
    parts.resize(parts.size() / 2);
    return parts;
}

// How finely a stored number tells real values apart: half a step of whole numbers, the spacing of Float32. 0: every
// bit counts.
double resolution(double stored, double step, GDALDataType from) {
    if (whole_numbers(from)) return std::abs(step) / 2;
    if (from != GDT_Float32) return 0;
    const auto v = std::abs(static_cast<float>(stored));
    return std::abs(step) * (static_cast<double>(std::nextafter(v, HUGE_VALF)) - v);
}

// Without the nodata value. An alpha band is not scaled.
formula formula_of(GDALRasterBand& from, const recoding& r, GDALDataType type) {
    formula f;
    f.type = type;
    if (!is_alpha(from)) f.scale = r.scale;
    if (r.unscale) f.a = from.GetScale(), f.b = from.GetOffset();
    f.declared = (from.GetMaskFlags() & GMF_ALL_VALID) != 0;
    return f;
}

void recode_strip(const formula& f, std::vector<double>& values, const std::vector<unsigned char>& valid, tally& t) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!valid[i]) {
            if (f.nodata) {
                values[i] = *f.nodata;
            } else {
                const auto s = as_type(values[i], f.type);
                t.unmarked += s.outside;
                values[i] = s.value;
            }
            continue;
        }
        const double before = values[i];
        const auto s = as_type(f(before), f.type);
        if (s.outside && ++t.outside == 1) t.example = f(before);
        t.nodata += f.nodata && s.value == *f.nodata;
        t.clamped += !f.within_scale(f.real(before));
        values[i] = s.value;
    }
}

void refuse_losses(const tally& t, const formula& f, int band) {
    const std::string where = " cells of band " + std::to_string(band) + " ";
    if (t.outside)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::to_string(t.outside) + where + "lie outside " + dtype_name(f.type) + " (for example " +
                        gdal::number_text(t.example) + ")",
                    "choose a wider 'dtype', or map the range with 'scale': [from, to, to_from, to_to]"};
    if (t.nodata && !f.declared)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::to_string(t.nodata) + where + "are data but would equal the nodata value " +
                        gdal::number_text(*f.nodata),
                    "choose a 'nodata' value that does not occur; if those cells lack data, raster_calc marks them: "
                    "where(A == value, nodata(), A)"};
    if (t.unmarked)
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            std::to_string(t.unmarked) + where + "have no data, and their value does not fit " + dtype_name(f.type),
            "give 'nodata' a value" + within(f.type) + " that no cell has"};
}

// The nodata value of the result: the new one, or the old one where the type holds it.
std::optional<double> nodata_for(GDALRasterBand& band, const recoding& r, GDALDataType type) {
    int has = 0;
    const double own = band.GetNoDataValue(&has);
    const auto fits = [&](double v) {
        const auto s = as_type(v, type);
        return !s.outside && (!s.rounded || !whole_numbers(type));
    };
    if (r.nodata) {
        if (!fits(*r.nodata))
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "nodata " + gdal::number_text(*r.nodata) + " cannot be stored as " + dtype_name(type),
                        "give 'nodata' a value" + within(type) + " that no cell has, or a 'dtype' that holds " +
                            gdal::number_text(*r.nodata)};
        return r.nodata;
    }
    if (!has) return std::nullopt;
    if (fits(own)) return own;
    throw error{GDALMCP_INVALID_ARGUMENT,
                "the nodata value " + gdal::number_text(own) + " of the raster cannot be stored as " + dtype_name(type),
                "give 'nodata' a value" + within(type) + " that no cell has, or a 'dtype' that holds " +
                    gdal::number_text(own) + "; where the data fill the type, 'scale' can leave a value free for it"};
}

raster_output make(GDALDataset& source, const recoding& r, GDALDataType type, const std::string& path) {
    raster_output out{path, grid_of(source), type, source.GetRasterCount()};
    if (source.GetGCPCount() > 0)
        out.dataset().SetGCPs(source.GetGCPCount(), source.GetGCPs(), source.GetGCPSpatialRef());
    out.tag_as(source);
    for (int i = 1; i <= source.GetRasterCount(); ++i)
        copy_meaning(*source.GetRasterBand(i), out.band(i),
                     {.scale = !r.unscale && !r.scale, .palette = r.keeps_palette(type), .unit = !r.scale});
    return out;
}

}  // namespace

bool holds_real_value(const scaled_value& v, double written, GDALDataType type) {
    const double real = v.stored * v.scale + v.offset;
    if (written == real || (std::isnan(written) && std::isnan(real))) return true;
    return !whole_numbers(type) && std::abs(written - real) < resolution(v.stored, v.scale, v.type);
}

void check_nodata(GDALDataset& source, const recoding& r, GDALDataType type) {
    for (auto&& band : source.GetBands())
        if (!is_alpha(*band)) nodata_for(*band, r, type);
}

GDALDataType type_of_result(GDALDataset& source, const recoding& r) {
    if (r.type != GDT_Unknown) return r.type;
    return r.unscale ? GDT_Float64 : source.GetRasterBand(1)->GetRasterDataType();
}

void recoding_loss::add(const recoding_loss& other) {
    cells += other.cells;
    changed += other.changed;
    hidden += other.hidden;
    refused += other.refused;
    outside += other.outside;
    not_a_number += other.not_a_number;
    greatest_change = std::max(greatest_change, other.greatest_change);
}

bool keeps_every_value(GDALRasterBand& band, const recoding& r, GDALDataType type) {
    if (!r.changes()) return true;
    if (GDALDataTypeIsComplex(band.GetRasterDataType())) return false;
    const bool wide = whole_numbers_of_64_bits(band.GetRasterDataType());
    const auto f = formula_of(band, r, type);
    if (f.scale || (r.nodata && !is_alpha(band))) return false;
    if (type == GDT_Float64) return !wide;
    const bool as_stored = f.a == 1 && f.b == 0 && !gdal::detail::stored_as_signed_bytes(band);
    return as_stored && GDALDataTypeUnion(type, band.GetRasterDataType()) == type;
}

recoding_loss loss_of(GDALRasterBand& band, const recoding& r, GDALDataType type, const window& w) {
    const auto stored = band.GetRasterDataType();
    // Whole numbers beyond 2^53 have no double of their own: 2^53 + 1 is read as 2^53.
    const double exact = whole_numbers_of_64_bits(stored) ? 9007199254740992.0 : HUGE_VAL;
    recoding_loss loss;
    loss.cells = w.cells();
    if (keeps_every_value(band, r, type)) return loss;
    const auto f = formula_of(band, r, type);
    int has = 0;
    const double own = band.GetNoDataValue(&has), nodata = r.nodata.value_or(own);
    const bool marks = !is_alpha(band) && (r.nodata || has);
    std::vector<double> values;
    std::vector<unsigned char> valid;
    read_strip(band, w, 0, w.height, values, valid);
    const auto imaginary = imaginary_parts(band, w);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!valid[i]) continue;
        const double dropped = imaginary.empty() ? 0 : std::abs(imaginary[i]);
        const double stands_for = f.real(values[i]);
        const auto s = as_type(f(values[i]), type);
        const bool outside = s.outside || !f.within_scale(stands_for);
        const bool hidden = marks && s.value == nodata;
        loss.hidden += hidden && !outside;
        loss.refused += hidden && !f.declared;
        loss.outside += outside;
        loss.not_a_number += s.outside && std::isnan(stands_for);
        const double change = std::max(std::abs(s.value - stands_for), dropped);
        const bool kept = r.unscale && !r.scale ? holds_real_value({values[i], f.a, f.b, stored}, s.value, type)
                                                : s.value == stands_for;
        const bool both_nan = std::isnan(s.value) && std::isnan(stands_for);
        if ((both_nan || (kept && !outside && !hidden && !(std::abs(values[i]) >= exact))) && dropped == 0) continue;
        ++loss.changed;
        if (!s.outside && std::isfinite(stands_for)) loss.greatest_change = std::max(loss.greatest_change, change);
    }
    return loss;
}

recoded recode(GDALDataset& source, const recoding& r, const std::string& path, const progress& report) {
    const auto type = type_of_result(source, r);
    auto out = make(source, r, type, path);
    recoded result;
    const bool masked = source.GetRasterBand(1)->GetMaskFlags() == GMF_PER_DATASET;
    if (masked) out.mask();
    const window w{0, 0, source.GetRasterXSize(), source.GetRasterYSize()};
    std::vector<double> values;
    std::vector<unsigned char> valid;
    const int n = source.GetRasterCount(), step = strip_rows(w);
    for (int i = 1; i <= n; ++i) {
        auto& from = *source.GetRasterBand(i);
        auto& to = out.band(i);
        auto f = formula_of(from, r, type);
        if (!is_alpha(from)) f.nodata = nodata_for(from, r, type);
        if (f.nodata) to.SetNoDataValue(*f.nodata);
        tally t;
        for (int row = 0; row < w.height; row += step) {
            report((i - 1 + static_cast<double>(row) / w.height) / n);
            const int rows = std::min(step, w.height - row);
            read_strip(from, w, row, rows, values, valid);
            if (masked && i == 1 &&
                out.band(1).GetMaskBand()->RasterIO(GF_Write, 0, row, w.width, rows, valid.data(), w.width, rows,
                                                    GDT_Byte, 0, 0, nullptr) != CE_None)
                gdal::raise("cannot write " + path);
            recode_strip(f, values, valid, t);
            if (to.RasterIO(GF_Write, 0, row, w.width, rows, values.data(), w.width, rows, GDT_Float64, 0, 0,
                            nullptr) != CE_None)
                gdal::raise("cannot write " + path);
        }
        refuse_losses(t, f, i);
        result.clamped += t.clamped;
        if (f.declared) result.declared += t.nodata;
    }
    result.dataset = out.flushed();
    return result;
}

}  // namespace gdalmcp_raster
