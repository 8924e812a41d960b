#include "gdal_class_source.hpp"

#include <gdalmcp/gdal_extent.hpp>

#include "raster/gdal_common_window.hpp"
#include "raster/gdal_undeclared_nodata.hpp"
#include "raster/gdal_zone_mask.hpp"

namespace gdalmcp_aggregation {
namespace {

using gdalmcp::error;

const char* const instead =
    "make classes of measurements with raster_classify; whole numbers stored as floating point become integers with "
    "raster_convert and 'dtype'";

void require_classes(gdalmcp::call& call, const value_raster& values, int band) {
    values.require_band(band);
    auto& b = values.band(band);
    gdalmcp_datasets::require_codes(values.path(), b, instead);
    gdalmcp_raster::warn_of_undeclared_nodata(call, values.path(), b);
}

// As raster_compare takes two rasters, but for extents that differ.
void require_same_cells(gdalmcp::call& call, const value_raster& one, const value_raster& other) {
    const gdalmcp_datasets::named_grid first{one.path(), one.on()}, second{other.path(), other.on()};
    const auto common = gdalmcp_raster::common_window_of(first, second);
    for (const auto& line : common.said) call.warn(line);
    const auto is_all = [](const gdalmcp::gdal::window& w, const gdalmcp_datasets::grid& on) {
        return w == gdalmcp::gdal::window{0, 0, on.width, on.height};
    };
    if (is_all(common.first, first.on) && is_all(common.second, second.on)) return;
    throw error{GDALMCP_INVALID_ARGUMENT, "the extents differ: " + grid_text(first) + "; " + grid_text(second),
                "cut both to what they share, with raster_query and \"geometry\": " +
                    gdalmcp::gdal::box_text(gdalmcp_raster::part_of(first.on, common.first).extent())};
}

std::vector<std::int64_t> codes_of(const value_raster& values, int band, const window& block) {
    const auto cells = values.read(band, block);
    std::vector<std::int64_t> codes(block.size(), class_code::none);
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (!cells.valid[i]) continue;
        if (std::abs(cells.value[i]) > static_cast<double>(class_code::limit))
            throw error{GDALMCP_UNSUPPORTED,
                        values.path() + " has the value " + gdalmcp::gdal::number_text(cells.value[i]) +
                            "; class codes are within " + std::to_string(-class_code::limit) + " to " +
                            std::to_string(class_code::limit),
                        "declare it as nodata with raster_convert if it marks missing cells, or give the classes "
                        "smaller codes with raster_classify"};
        codes[i] = static_cast<std::int64_t>(cells.value[i]);
    }
    return codes;
}

}  // namespace

class_source::class_source(gdalmcp::call& call, const gdalmcp::raster& of,
                           const std::optional<gdalmcp::raster>& against, int band)
    : values_{of}, band_{band} {
    if (against) {
        against_.emplace(*against);
        require_same_cells(call, values_, *against_);
    }
    require_classes(call, values_, band);
    names_ = values_.class_names(band);
    if (!against_) return;
    require_classes(call, *against_, band);
    names_against_ = against_->class_names(band);
}

std::string class_source::path() const {
    return against_ ? values_.path() + " and " + against_->path() : values_.path();
}

block_values class_source::read(const window& block) const {
    const auto codes = codes_of(values_, band_, block);
    const auto others = against_ ? codes_of(*against_, band_, block) : std::vector<std::int64_t>{};
    block_values out{std::vector<double>(block.size()), {}, std::vector<unsigned char>(block.size(), 1)};
    for (std::size_t i = 0; i < codes.size(); ++i)
        out.value[i] = class_code{codes[i], against_ ? others[i] : class_code::none}.packed();
    return out;
}

}  // namespace gdalmcp_aggregation
