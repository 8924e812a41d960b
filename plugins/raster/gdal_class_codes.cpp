#include "gdal_class_codes.hpp"

#include <gdalmcp/gdal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "datasets/gdal_raster_source.hpp"

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

class_codes::class_codes(const std::string& path, GDALRasterBand& band, const std::string& instead)
    : band_{band}, path_{path} {
    gdalmcp_datasets::require_codes(path, band, instead);
    const auto type = band.GetRasterDataType();
    narrow_ = type != GDT_UInt32 && type != GDT_Int64 && type != GDT_UInt64;
}

void class_codes::read_in(gdal::block_job& job) { input_ = job.read(band_, narrow_ ? GDT_Int32 : GDT_Float64); }

void class_codes::get(const gdal::block& b, int row, std::int64_t* to) const {
    if (narrow_) {
        const auto* from = b.in<std::int32_t>(input_, row);
        std::copy(from, from + b.width, to);
        return;
    }
    constexpr auto lowest = static_cast<double>(std::numeric_limits<std::int32_t>::min());
    constexpr auto highest = static_cast<double>(std::numeric_limits<std::int32_t>::max());
    const auto* from = b.in<double>(input_, row);
    const auto* valid = b.valid(input_, row);
    for (int i = 0; i < b.width; ++i) {
        if (valid[i] && (from[i] < lowest || from[i] > highest))
            throw error{GDALMCP_UNSUPPORTED,
                        path_ + " has the value " + gdal::number_text(from[i]) + "; class codes are within " +
                            gdal::number_text(lowest) + " to " + gdal::number_text(highest),
                        "give the classes smaller codes first"};
        to[i] = valid[i] ? static_cast<std::int64_t>(from[i]) : 0;
    }
}

}  // namespace gdalmcp_raster
