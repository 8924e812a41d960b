#include "gdal_series_cells.hpp"

#include <cmath>

namespace gdalmcp_aggregation_more {

using gdalmcp_aggregation::read_block;

namespace {

// Marks the cells outside of a file as not valid. there: its cells on the common grid.
void cut(block_values& cells, const window& block, const gdalmcp::gdal::window& there) {
    const auto top = static_cast<std::size_t>(std::max(0, there.row)),
               left = static_cast<std::size_t>(std::max(0, there.column));
    const window file{top, left, static_cast<std::size_t>(std::max(0, there.row + there.height)) - top,
                      static_cast<std::size_t>(std::max(0, there.column + there.width)) - left};
    const auto inside = gdalmcp_aggregation::common(file, block);
    if (inside == block) return;
    for (std::size_t i = 0; i < cells.valid.size(); ++i) {
        const window cell{block.row + i / block.width, block.column + i % block.width, 1, 1};
        if (gdalmcp_aggregation::common(inside, cell).size() == 0) cells.valid[i] = 0;
    }
}

}  // namespace

block_values series_cells::read(std::size_t observation, const window& block) {
    const auto& o = set_.all[observation];
    const auto& file = set_.files[o.file];
    auto cells = read_block(set_.band(o, 0), block, true, file.path);
    cut(cells, block, file.there);
    for (std::size_t i = 0; i < cells.value.size(); ++i) {
        if (cells.valid[i] && std::isfinite(cells.value[i])) continue;
        met_infinite_ = met_infinite_ || (cells.valid[i] && std::isinf(cells.value[i]));
        cells.valid[i] = 0;
        cells.value[i] = 0;  // no mark of those below
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
