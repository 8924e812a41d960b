#include "gdal_kind.hpp"

#include <cctype>
#include <gdalmcp/gdal_kind.hpp>

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

namespace {

bool are_codes(gdal::value_kind k) { return k == gdal::value_kind::classes || k == gdal::value_kind::qa_bits; }

}  // namespace

kind kind_of(GDALRasterBand& band) { return are_codes(gdal::kind_of(band).kind) ? kind::classes : kind::continuous; }

bool may_hold_codes(GDALRasterBand& band) {
    const auto judged = gdal::kind_of(band);
    return are_codes(judged.kind) || judged.few;
}

const char* overview_resampling(GDALRasterBand& band) {
    if (gdal::kind_of(band).kind == gdal::value_kind::angle) return "NEAREST";  // 359° and 1° have no plain mean
    return may_hold_codes(band) ? "MODE" : "AVERAGE";
}

std::string gdal_spelling(const std::string& method) {
    std::string s;
    for (const char c : method)
        if (c != '_') s += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return s;
}

const char* mask_kind(GDALRasterBand& band) {
    const int flags = band.GetMaskFlags();
    return flags & GMF_ALL_VALID ? "all_valid"
           : flags & GMF_NODATA  ? "nodata"
           : flags & GMF_ALPHA   ? "alpha"
                                 : "mask_band";
}

}  // namespace gdalmcp_raster
