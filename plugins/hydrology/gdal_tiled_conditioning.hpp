// gdal_tiled_conditioning.hpp — the filling of a DEM that does not fit in memory, tile by tile from the file.
#pragma once
#include "gdal_raster.hpp"
#include "tiled_depressions.hpp"
#include "tiled_fill.hpp"
#include "tiled_holes.hpp"

namespace gdalmcp_hydrology {

// Bytes per cell: of fill() and its input in memory, and of the work on a tile.
template <class T>
constexpr std::size_t fill_bytes = 2 * sizeof(T) + (std::is_same_v<T, filled_as<T>> ? 0 : sizeof(filled_as<T>)) + 6;
template <class T>
constexpr std::size_t tiled_fill_bytes = 2 * sizeof(T) + 3 * sizeof(filled_as<T>) + 16;

// Its phases are called in their order, fill_but_deep() only with a limit of depth; each reads the DEM once.
template <class T>
class tiled_conditioning {
public:
    // sizes must outlive this.
    tiled_conditioning(const gdal_raster& dem, const cell_sizes& sizes, const tiling& tiles,
                       std::optional<double> max_depth, std::size_t threads)
        : dem_{dem},
          sizes_{sizes},
          tiles_{tiles},
          threads_{threads},
          holes_{tiles},
          levels_{tiles},
          depressions_{tiles, max_depth} {}

    void survey(const progress& tick) {
        each_tile(tick, [&](std::size_t t, const progress&) {
            holes_.add(t, find_holes(dem_.read_tile<T>(tiles_.at(t)).valid));
        });
    }
    hole_count found_holes() { return holes_.count(); }
    std::size_t terrain_cells() const { return holes_.terrain_cells(); }

    // holes: what found_holes() are.
    void find_levels(nodata_holes holes, const progress& tick) {
        meaning_ = holes;
        each_tile(tick, [&](std::size_t t, const progress& part) {
            auto [heights, valid] = dem_.read_tile<T>(tiles_.at(t));
            const auto land = holes_.trace(t, valid, meaning_);
            levels_.add(t, find_spills(as_filled(std::move(heights)), land, threads_, part));
        });
        levels_.solve();
    }

    // visit(tile, heights, valid); report() is known afterwards.
    template <class Visit>
    void fill(const progress& tick, Visit&& visit) {
        std::size_t enclosed = 0;
        each_tile(tick, [&](std::size_t t, const progress& part) {
            const auto [terrain, valid] = dem_.read_tile<T>(tiles_.at(t));
            auto heights = terrain;
            enclosed += fill_one(t, heights, valid, part);
            depressions_.add(t, measure_depressions(terrain, heights, tiles_, t, sizes_));
            visit(tiles_.at(t), heights, valid);
        });
        report_ = depressions_.solve();
        report_.cells_without_outlet = enclosed;
    }

    // The same with the depressions deeper than the limit left as they are.
    template <class Visit>
    void fill_but_deep(const progress& tick, Visit&& visit) {
        each_tile(tick, [&](std::size_t t, const progress& part) {
            const auto [terrain, valid] = dem_.read_tile<T>(tiles_.at(t));
            auto heights = terrain;
            fill_one(t, heights, valid, part);
            depressions_.restore_deep(t, terrain, heights);
            visit(tiles_.at(t), heights, valid);
        });
    }

    const fill_report& report() const { return report_; }

private:
    using filled = filled_as<T>;

    template <class Work>
    void each_tile(const progress& tick, Work&& work) const {
        const auto count = static_cast<double>(tiles_.count());
        for (std::size_t t = 0; t < tiles_.count(); ++t) {
            const auto part = [&, t](double done) { tick((static_cast<double>(t) + done) / count); };
            part(0);
            work(t, part);
        }
    }

    static grid<filled> as_filled(grid<T> heights) {
        if constexpr (std::is_same_v<T, filled>) {
            return heights;
        } else {
            grid<filled> same{heights.extent()};
            for (std::size_t i = 0; i < same.size(); ++i) same[i] = static_cast<filled>(heights[i]);
            return same;
        }
    }

    std::size_t fill_one(std::size_t t, grid<T>& heights, const grid<std::uint8_t>& valid, const progress& tick) {
        auto land = holes_.trace(t, valid, meaning_);
        return fill_tile(heights, land, levels_.of(t), threads_, tick);
    }

    const gdal_raster& dem_;
    const cell_sizes& sizes_;
    tiling tiles_;
    std::size_t threads_;
    nodata_holes meaning_ = nodata_holes::missing;
    tiled_holes holes_;
    tiled_levels<filled> levels_;
    tiled_depressions depressions_;
    fill_report report_;
};

}  // namespace gdalmcp_hydrology
