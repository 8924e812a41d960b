#include "gdal_mosaic_source.hpp"

#include <set>

#include "datasets/gdal_finite_view.hpp"
#include "datasets/gdal_programs.hpp"
#include "gdal_common_window.hpp"
#include "gdal_warp_request.hpp"
#include "resampling.hpp"

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

lattice mosaic_source::cells() const {
    const auto& t = on.geotransform;
    const double top = south_up() ? t[3] + on.height * t[5] : t[3];
    return {t[0], top, t[1], std::abs(t[5]), on.width, on.height};
}

namespace {

void require_place(const std::string& path, const grid& on) {
    if (!on.georeferenced)
        throw error{GDALMCP_UNSUPPORTED, path + " has no geotransform, so its place is unknown",
                    "georeference it first, or leave it out"};
    if (on.rotated() || on.geotransform[1] <= 0 || on.geotransform[5] == 0)
        throw error{GDALMCP_UNSUPPORTED, path + " lies on a rotated or mirrored grid",
                    "bring it to a north-up grid of its own CRS with raster_reproject"};
}

// What is assumed about the CRS of `other`.
std::vector<std::string> require_same_place(const mosaic_source& first, const mosaic_source& other) {
    const auto code = gdal::crs_code(first.on.crs);
    const std::string hint = R"(bring it there first: raster_reproject {"uri": )" + gdal::json_quote(other.path) +
                             R"(, "dst_crs": )" + gdal::json_quote(code.empty() ? gdal::crs_text(first.on.crs) : code) +
                             R"(, "resampling": "nearest"} (bilinear for measurements), and join its output)";
    if (first.on.crs.IsEmpty() != other.on.crs.IsEmpty()) {
        const auto& silent = first.on.crs.IsEmpty() ? first : other;
        throw error{GDALMCP_INVALID_ARGUMENT,
                    silent.path + " has no CRS, " + (&silent == &first ? other : first).path + " has " +
                        gdal::crs_label((&silent == &first ? other : first).on.crs),
                    "state its CRS first, with raster_reproject and 'src_crs'"};
    }
    return require_same_crs({first.path, first.on}, {other.path, other.on}, hint);
}

// Doubles, by which overlaps are compared, hold all others.
void require_comparable(const std::string& path, GDALRasterBand& band) {
    require_real(band);
    if (const auto type = band.GetRasterDataType(); type == GDT_Int64 || type == GDT_UInt64)
        throw error{GDALMCP_UNSUPPORTED,
                    "band " + std::to_string(band.GetBand()) + " of " + path + " is " + dtype_name(type),
                    "convert it with raster_convert to Int32, UInt32 or Float64"};
}

}  // namespace

std::vector<mosaic_source> open_sources(const std::vector<gdalmcp::raster>& rasters,
                                        const std::optional<std::vector<std::int64_t>>& bands, bool stacked,
                                        std::vector<std::string>& said) {
    std::vector<mosaic_source> all;
    std::set<std::string> seen;
    for (const auto& r : rasters) {
        if (!seen.insert(r.path).second) said.push_back(r.path + " is given more than once");
        mosaic_source s;
        s.path = r.path;
        s.dataset = open_raster(r);
        s.on = grid_of(*s.dataset);
        s.bands = band_numbers(*s.dataset, bands);
        require_place(s.path, s.on);
        for (std::size_t i = 0; i < s.bands.size(); ++i) require_comparable(s.path, s.band(i));
        if (!all.empty())
            for (auto& line : require_same_place(all.front(), s)) said.push_back(std::move(line));
        if (!all.empty() && !stacked && s.bands.size() != all.front().bands.size())
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "the numbers of bands differ: " + all.front().path + " has " +
                            std::to_string(all.front().bands.size()) + ", " + s.path + " has " +
                            std::to_string(s.bands.size()),
                        "choose with 'bands' those they share"};
        all.push_back(std::move(s));
    }
    return all;
}

mosaic_band::mosaic_band(const mosaic_source& source, std::size_t band, const placement& place, const grid& mosaic,
                         const std::string& method)
    : source_{source}, place_{place}, cells_{&source.band(band)}, flip_{source.south_up()} {
    // A transparent cell is one without data, in the alpha band as well.
    alpha_ = is_alpha(*cells_) && has_hiding_alpha(*source.dataset);
    if (!place.aligned) {
        warp(method, mosaic);
        return;
    }
    const auto rule = gdal::nodata_rule_of(*cells_);
    missing_ = rule.range;
    if (rule.by_mask) mask_ = cells_->GetMaskBand();
}

void mosaic_band::warp(const std::string& method, const grid& mosaic) {
    // Each band by itself: gdalwarp has one alpha band for all, and nodata may differ from band to band. Of a raster
    // with an alpha band, that one comes along.
    gdal::words pick{"-of", "VRT", "-b", std::to_string(cells_->GetBand())};
    if (cells_->GetMaskFlags() & GMF_ALPHA)
        for (int i = 1; i <= source_.dataset->GetRasterCount(); ++i)
            if (source_.dataset->GetRasterBand(i)->GetColorInterpretation() == GCI_AlphaBand)
                pick.add("-b", std::to_string(i));
    one_ = method != "nearest" && holds_only_floats(*source_.dataset)
               ? finite_view(*source_.dataset, {cells_->GetBand()})
               : translate(*source_.dataset, "", std::move(pick));
    if (!one_) gdal::raise("cannot read " + source_.path);
    if (alpha_) one_->GetRasterBand(1)->SetColorInterpretation(GCI_Undefined);
    const auto& t = mosaic.geotransform;
    const auto x = [&](std::int64_t column) { return gdal::number_text(t[0] + static_cast<double>(column) * t[1]); };
    const auto y = [&](std::int64_t row) { return gdal::number_text(t[3] + static_cast<double>(row) * t[5]); };
    // Exact, and from the cells themselves: overviews may have been made by another method.
    gdal::words words{"-of", "VRT", "-dstalpha", "-et", "0", "-ovr", "NONE", "-r", warp_resampling(method)};
    words.add("-te", x(place_.column), y(place_.row + place_.rows), x(place_.column + place_.columns), y(place_.row));
    words.add("-ts", std::to_string(place_.columns), std::to_string(place_.rows));
    // GDAL would take the ratio from each piece it warps, edges included: cells would depend on how it is cut.
    const auto own = source_.cells();
    words.add("-wo", "XSCALE=" + gdal::number_text(own.cell_width / t[1]), "-wo",
              "YSCALE=" + gdal::number_text(own.cell_height / -t[5]));
    if (method == "mode" && counts_minus_one_as_none(cells_->GetRasterDataType())) words.add("-wt", "Float32");
    if (widens(method, cells_->GetRasterDataType())) words.add("-ot", "Float64");
    warped_ = warp_by_program({one_.get()}, "", std::move(words));
    if (!warped_) gdal::raise("cannot resample " + source_.path);
    cells_ = warped_->GetRasterBand(1);
    mask_ = warped_->GetRasterBand(2);
    flip_ = false;
}

std::optional<cell_patch> mosaic_band::read(const gdal::window& w, std::vector<double>& values,
                                            std::vector<unsigned char>& valid) const {
    // Of the mosaic; it has fewer than 2^31 columns and rows.
    const int left = std::max(w.column, static_cast<int>(place_.column)),
              top = std::max(w.row, static_cast<int>(place_.row)),
              right = std::min(w.column + w.width, static_cast<int>(place_.column + place_.columns)),
              bottom = std::min(w.row + w.height, static_cast<int>(place_.row + place_.rows));
    if (left >= right || top >= bottom) return std::nullopt;
    cell_patch p{left - w.column, top - w.row, right - left, bottom - top};
    const auto size = static_cast<std::size_t>(p.width) * static_cast<std::size_t>(p.height);
    values.resize(size);
    valid.assign(size, 1);
    const int column = left - static_cast<int>(place_.column);
    int row = top - static_cast<int>(place_.row);
    if (flip_) row = static_cast<int>(place_.rows) - row - p.height;
    const auto fill = [&](GDALRasterBand& band, void* to, GDALDataType type) {
        CPLErrorReset();
        if (band.RasterIO(GF_Read, column, row, p.width, p.height, to, p.width, p.height, type, 0, 0, nullptr) !=
            CE_None)
            gdal::raise("cannot read rows " + std::to_string(row) + " to " + std::to_string(row + p.height - 1) +
                        " of " + source_.path);
    };
    fill(*cells_, values.data(), GDT_Float64);
    if (mask_) fill(*mask_, valid.data(), GDT_Byte);
    for (std::size_t i = 0; i < size; ++i)
        if ((values[i] >= missing_.lowest && values[i] <= missing_.highest) || std::isnan(values[i]) ||
            (alpha_ && values[i] == 0))
            valid[i] = 0;
    for (int i = 0; flip_ && i < p.height / 2; ++i) {
        const auto upper = static_cast<std::ptrdiff_t>(i) * p.width,
                   lower = static_cast<std::ptrdiff_t>(p.height - 1 - i) * p.width;
        std::swap_ranges(values.begin() + upper, values.begin() + upper + p.width, values.begin() + lower);
        std::swap_ranges(valid.begin() + upper, valid.begin() + upper + p.width, valid.begin() + lower);
    }
    p.values = values.data();
    p.valid = valid.data();
    return p;
}

}  // namespace gdalmcp_raster
