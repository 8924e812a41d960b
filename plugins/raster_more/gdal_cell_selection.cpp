#include "gdal_cell_selection.hpp"

#include <cmath>

namespace gdalmcp_raster_more {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

namespace {

constexpr std::size_t max_values = 1'000'000;  // different ones

std::int64_t require_code(double v, int column, int row) {
    constexpr double exact = 9007199254740992;  // 2^53
    if (v == std::floor(v) && std::abs(v) <= exact) return static_cast<std::int64_t>(v);
    throw error{GDALMCP_UNSUPPORTED,
                "the cell in column " + std::to_string(column) + ", row " + std::to_string(row) + " is " +
                    gdal::number_text(v) + ", which is no whole number: polygons are made of class codes",
                "bring the values to classes with raster_classify first, or round them with raster_calc"};
}

}  // namespace

cell_selection::cell_selection(GDALRasterBand& band, GDALRasterBand* mask, const zone_mask* zone,
                               const std::optional<std::vector<std::int64_t>>& wanted)
    : band_{band}, mask_{mask}, zone_{zone} {
    if (wanted) wanted_ = std::set<std::int64_t>{wanted->begin(), wanted->end()};
}

cell_census cell_selection::write(const std::function<void(double)>& progress, const window& part, GDALRasterBand& to) {
    gdal::block_job job;
    job.memory = std::int64_t{1} << 26;
    job.part = part;
    job.read(band_, GDT_Float64);
    if (mask_) job.read(*mask_, GDT_Float64);
    job.write(to, GDT_Byte);
    job.run(progress, [&](const gdal::block& b) { select(b); });
    return found_;
}

void cell_selection::select(const gdal::block& b) {
    std::vector<unsigned char> inside;
    if (zone_) zone_->read(b.row - zone_->bounds().row, b.height, inside);
    cell_census here;
    auto last = here.end();
    std::optional<double> previous;  // neighbours are mostly alike
    bool taken = false;
    for (int row = 0; row < b.height; ++row) {
        const auto *value = b.in<double>(0, row), *other = mask_ ? b.in<double>(1, row) : nullptr;
        const auto *valid = b.valid(0, row), *other_valid = mask_ ? b.valid(1, row) : nullptr;
        const auto* in_zone = zone_ ? inside.data() + (static_cast<std::ptrdiff_t>(row) * zone_->bounds().width +
                                                       b.column - zone_->bounds().column)
                                    : nullptr;
        auto* out = b.out<unsigned char>(0, row);
        for (int i = 0; i < b.width; ++i) {
            out[i] = valid[i] && (!mask_ || (other_valid[i] && other[i] != 0)) && (!in_zone || in_zone[i]);
            if (!out[i]) continue;
            if (previous != value[i]) {
                const auto code = require_code(value[i], b.column + i, b.row + row);
                previous = value[i];
                taken = !wanted_ || wanted_->contains(code);
                if (taken) last = here.try_emplace(code, 0).first;
            }
            out[i] = taken;
            if (taken) ++last->second;
        }
    }
    const std::scoped_lock held{guard_};
    for (const auto& [code, n] : here) found_[code] += n;
    if (found_.size() > max_values)
        throw error{GDALMCP_EXHAUSTED, "the raster has more than " + std::to_string(max_values) + " different values",
                    "bring them to classes with raster_classify, or name some with 'values'"};
}

}  // namespace gdalmcp_raster_more
