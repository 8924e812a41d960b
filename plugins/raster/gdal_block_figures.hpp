// gdal_block_figures.hpp — statistics of what a block job makes, as its blocks are made or when they are written.
#pragma once
#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/tool.hpp>

#include "gdal_cell_type.hpp"
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

// Reads a band that is written. report: fraction done.
inline std::unique_ptr<statistics> figures_of(GDALRasterBand& band, const std::function<void(double)>& report) {
    const auto type = cell_type_of(band);
    auto figures = statistics_of(type);
    gdalmcp::gdal::block_job job;
    job.read(band, gdal_type(type));
    const auto size = job.size();
    figures->begin(size.blocks, size.workers, false);
    job.run(report,
            [&](const gdalmcp::gdal::block& b) { add_block(*figures, b, b.in<unsigned char>(0, 0), b.valid(0, 0)); });
    figures->end();
    return figures;
}

// Warns if a job with infinite_missing met infinite cells. path: of its raster.
inline void report_infinite(gdalmcp::call& call, const gdalmcp::gdal::block_job& job, const std::string& path) {
    if (job.met_infinite())
        call.warn(path + " has infinite values, which count as cells without data, as in raster_stats");
}

}  // namespace gdalmcp_raster
