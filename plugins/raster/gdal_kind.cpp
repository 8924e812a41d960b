#include "gdal_kind.hpp"

#include <gdalmcp/gdal_kind.hpp>

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

kind kind_of(GDALRasterBand& band) {
    const auto k = gdal::kind_of(band).kind;
    return k == gdal::value_kind::classes || k == gdal::value_kind::qa_bits ? kind::classes : kind::continuous;
}

const char* overview_resampling(kind k) { return k == kind::classes ? "MODE" : "AVERAGE"; }

const char* mask_kind(GDALRasterBand& band) {
    const int flags = band.GetMaskFlags();
    return flags & GMF_ALL_VALID ? "all_valid"
           : flags & GMF_NODATA  ? "nodata"
           : flags & GMF_ALPHA   ? "alpha"
                                 : "mask_band";
}

}  // namespace gdalmcp_raster
