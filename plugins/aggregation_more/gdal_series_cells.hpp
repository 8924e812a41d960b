// gdal_series_cells.hpp — the cells of single observations, read block by block.
#pragma once
#include <limits>

#include "aggregation/gdal_zones.hpp"
#include "aggregation_temporal/gdal_quality.hpp"

namespace gdalmcp_aggregation_more {

using gdalmcp_aggregation::block_values;
using gdalmcp_aggregation::window;

class series_cells {
public:
    // set, quality: on common cells, see bring_together(), one band for each observation; both outlive this. quality:
    // nullptr: every cell with a value counts.
    series_cells(const gdalmcp_temporal::observation_set& set, const gdalmcp_temporal::quality_bands* quality)
        : set_{set}, quality_{quality} {}

    // How a cell with a value is marked that does not count: the quality rule excludes it, or its quality is nodata.
    static constexpr double excluded = std::numeric_limits<double>::infinity();
    static constexpr double without_quality = std::numeric_limits<double>::quiet_NaN();

    // A block of common cells: true values, or the marks above. Not valid is a cell without a value: nodata, NaN,
    // infinite, or outside of its file.
    block_values read(std::size_t observation, const window& block);
    // Height and width of the blocks that the observation is stored in.
    window stored_block(std::size_t observation) const;

    std::size_t observations() const { return set_.all.size(); }
    bool met_infinite() const { return met_infinite_; }  // values, in what was read; they count as missing

private:
    void exclude(const gdalmcp_temporal::observation& o, const window& block, block_values& cells) const;

    const gdalmcp_temporal::observation_set& set_;
    const gdalmcp_temporal::quality_bands* quality_;
    bool met_infinite_ = false;
};

}  // namespace gdalmcp_aggregation_more
