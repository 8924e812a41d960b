#include "gdal_series_cells.hpp"

#include <cmath>

namespace gdalmcp_aggregation_more {

using gdalmcp_aggregation::read_block;

block_values series_cells::read(std::size_t observation, const window& block) {
    const auto& o = set_.all[observation];
    const auto& file = set_.files[o.file];
    auto cells = read_block(set_.band(o, 0), block, true, file.path);
    const auto inside = [](std::size_t at, int from, int length) {
        const auto place = static_cast<std::int64_t>(at);
        return place >= from && place < std::int64_t{from} + length;
    };
    for (std::size_t i = 0; i < cells.value.size(); ++i) {
        auto& valid = cells.valid[i];
        valid = valid && inside(block.row + i / block.width, file.there.row, file.there.height) &&
                inside(block.column + i % block.width, file.there.column, file.there.width);
        met_infinite_ = met_infinite_ || (valid && std::isinf(cells.value[i]));
        valid = valid && std::isfinite(cells.value[i]);
        if (!valid) cells.value[i] = 0;  // no mark of those below
    }
    if (quality_) exclude(o, block, cells);
    return cells;
}

void series_cells::exclude(const gdalmcp_temporal::observation& o, const window& block, block_values& cells) const {
    auto& band = quality_->of(set_, o);
    const auto quality = read_block(band, block, false, quality_->path_of(set_, o));
    for (std::size_t i = 0; i < cells.value.size(); ++i) {
        if (!cells.valid[i]) continue;
        if (!quality.valid[i] || std::isnan(quality.value[i]))
            cells.value[i] = without_quality;
        else if (quality_->rule().excludes(quality.value[i]))
            cells.value[i] = excluded;
    }
}

window series_cells::stored_block(std::size_t observation) const {
    return gdalmcp_aggregation::stored_block_of(set_.band(set_.all[observation], 0));
}

}  // namespace gdalmcp_aggregation_more
