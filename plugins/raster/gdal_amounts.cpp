#include "gdal_amounts.hpp"

#include <gdalmcp/gdal_kind.hpp>

#include "gdal_undeclared_nodata.hpp"

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

void warn_of_no_amounts(gdalmcp::call& call, const std::string& path, GDALRasterBand& band, const std::string& amount) {
    warn_of_undeclared_nodata(call, path, band);
    const auto kind = gdal::kind_of(band);
    const std::string name = "band " + std::to_string(band.GetBand()) + " of " + path;
    if (kind.kind == gdal::value_kind::angle)
        call.warn(name + " holds angles (" + kind.why + "), and a direction is no " + amount + ": compute the " +
                  amount + "s from it with raster_calc first");
    if (kind.kind != gdal::value_kind::classes && kind.kind != gdal::value_kind::qa_bits) return;
    call.warn(name + (kind.certain ? " holds codes (" : " looks like codes (") + kind.why + "), and a code is no " +
              amount + ": " + (kind.certain ? "" : "if so, ") + "give each class its " + amount +
              " with raster_calc first");
}

}  // namespace gdalmcp_raster
