// gdal_sample_frame.hpp — the cells a sample may be drawn from: those with a finite value in every band, inside the
// area, in strata by their class.
#pragma once
#include <functional>
#include <optional>

#include "cell_sample.hpp"
#include "gdal_class_codes.hpp"
#include "gdal_zone_mask.hpp"
#include "statistics.hpp"

namespace gdalmcp_raster {

// Bands and strata are on one grid. Without strata all cells are in stratum 0.
struct sample_frame {
    std::vector<GDALRasterBand*> bands;
    std::optional<class_codes> strata;
    const zone_mask* zone = nullptr;

    // Cells and, with areas, m² of each stratum. Refused: more than 4096 strata.
    std::map<std::int64_t, class_size> measure(const class_areas* areas, const std::function<void(double)>& progress);

    // sizes: wanted cells by stratum.
    std::vector<drawn_cell> draw(std::uint64_t seed, const std::map<std::int64_t, std::int64_t>& sizes,
                                 const std::function<void(double)>& progress);

    // Every step-th cell of every step-th row, from a random start.
    std::vector<drawn_cell> draw_systematic(std::uint64_t seed, std::int64_t step,
                                            const std::function<void(double)>& progress);

private:
    gdalmcp::gdal::block_job job();
    // By cell of a block: whether it belongs to the frame, and its stratum.
    struct cells {
        std::vector<unsigned char> inside;
        std::vector<std::int64_t> strata;
    };
    cells cells_of(const gdalmcp::gdal::block& b) const;
};

}  // namespace gdalmcp_raster
