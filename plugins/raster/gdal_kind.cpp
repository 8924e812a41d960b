#include "gdal_kind.hpp"

#include <cctype>
#include <gdalmcp/gdal_kind.hpp>

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

kind kind_of(GDALRasterBand& band) {
    const auto k = gdal::kind_of(band).kind;
    return k == gdal::value_kind::classes || k == gdal::value_kind::qa_bits ? kind::classes : kind::continuous;
}

const char* overview_resampling(kind k) { return k == kind::classes ? "MODE" : "AVERAGE"; }

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
