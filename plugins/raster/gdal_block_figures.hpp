// gdal_block_figures.hpp — statistics of what a block job makes, as its blocks are made.
#pragma once
#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/tool.hpp>

#include "statistics.hpp"

namespace gdalmcp_raster {

// Adds the cells of a whole block, row by row. valid: 0 = no data; nullptr = all but those with a nodata value.
inline void add_block(statistics& figures, const gdalmcp::gdal::block& b, const void* cells,
                      const unsigned char* valid = nullptr) {
    cell_block done;
    done.cells = cells;
    done.valid = valid;
    done.first = {b.row, b.column};
    done.width = static_cast<std::size_t>(b.width);
    done.height = static_cast<std::size_t>(b.height);
    figures.add(done, b.index, b.worker);
}

// Warns if a job with infinite_missing met infinite cells. path: of its raster.
inline void report_infinite(gdalmcp::call& call, const gdalmcp::gdal::block_job& job, const std::string& path) {
    if (job.met_infinite())
        call.warn(path + " has infinite values, which count as cells without data, as in raster_stats");
}

}  // namespace gdalmcp_raster
