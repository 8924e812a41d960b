#include "gdal_series_reading.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "aggregation/zone_result.hpp"

namespace gdalmcp_aggregation_more {
namespace {

using gdalmcp_aggregation::statistic;
using gdalmcp_aggregation::zone_grid;
using gdalmcp_aggregation::zone_statistics;

constexpr std::size_t most_rows_of_tile = 1024, most_columns_of_tile = 4096;
constexpr std::size_t cells_of_sweep = std::size_t{1} << 24;       // over all its observations
constexpr std::size_t statistics_of_sweep = std::size_t{1} << 19;  // over all its zones: about 256 MB
constexpr std::size_t values_of_sweep = std::size_t{1} << 25;      // different ones, for medians: about 2 GB

// The points of one tile of cells.
struct point_tile {
    window cells;  // the smallest that hold them
    std::vector<std::size_t> points;
};

// Tiles are blocks, of large ones parts. In the order of rows.
std::vector<point_tile> tiles_of(const series_points& points, const window& block) {
    const auto height = std::min(block.height, most_rows_of_tile), width = std::min(block.width, most_columns_of_tile);
    std::map<std::pair<std::size_t, std::size_t>, point_tile> tiles;
    for (std::size_t i = 0; i < points.cells.size(); ++i) {
        if (!points.cells[i]) continue;
        const auto row = static_cast<std::size_t>(points.cells[i]->row),
                   column = static_cast<std::size_t>(points.cells[i]->column);
        auto& tile = tiles[{row / height, column / width}];
        tile.cells = gdalmcp_aggregation::around(tile.cells, {row, column, 1, 1});
        tile.points.push_back(i);
    }
    std::vector<point_tile> all;
    for (auto& [unused, tile] : tiles) all.push_back(std::move(tile));
    return all;
}

void take(const block_values& cells, const point_tile& tile, const series_points& points, std::size_t observation,
          place_series& into) {
    for (const auto p : tile.points) {
        const auto row = static_cast<std::size_t>(points.cells[p]->row) - tile.cells.row,
                   column = static_cast<std::size_t>(points.cells[p]->column) - tile.cells.column;
        const auto i = row * tile.cells.width + column;
        if (!cells.valid[i]) continue;
        const auto at = into.at(p, observation);
        if (std::isfinite(cells.value[i])) {
            into.value[at] = cells.value[i];
            continue;
        }
        into.excluded[at] = 1;
        ++(std::isnan(cells.value[i]) ? into.without_quality : into.excluded_cells);
    }
}

// How many observations go through one coverage: their blocks stay in GDAL's cache, and the cells and statistics of all
// polygons in memory.
std::size_t observations_at_once(const series_cells& cells, const series_zones& zones, const zone_grid& raster,
                                 bool values_kept) {
    std::size_t block = 1, largest = 1;
    for (std::size_t o = 0; o < cells.observations(); ++o) {
        const auto stored = cells.stored_block(o);
        block = std::max(block, std::min(stored.height, raster.rows()) * std::min(stored.width, raster.columns()));
    }
    for (const auto& w : zones.where) largest = std::max(largest, w.size());
    auto most = std::min(cells_of_sweep / block, statistics_of_sweep / zones.where.size());
    if (values_kept) most = std::min(most, values_of_sweep / largest);
    return std::clamp<std::size_t>(most, 1, cells.observations());
}

class zone_reader {
public:
    zone_reader(series_cells& cells, const series_zones& zones, const zone_grid& raster, statistic what)
        : cells_{cells}, zones_{zones}, what_{what}, into_{zones.places.size(), cells.observations(), true} {
        asked_.wanted = {what};
        asked_.threads = gdalmcp::gdal::threads_of_call();
        source_.rows = raster.rows();
        source_.columns = raster.columns();
        source_.read = [this](int observation, const window& block, block_values& into) {
            into = cells_.read(static_cast<std::size_t>(observation), block);
        };
        swept_.where = zones.where;
        swept_.outline = [this](std::size_t n) { return zones_.outlines[n]; };
        swept_.seen = [this](std::size_t n, std::vector<zone_statistics>& found, bool whole) { seen(n, found, whole); };
    }

    // Observations [first, first + count).
    void read(std::size_t first, std::size_t count, const std::function<void(double)>& progress) {
        asked_.bands.clear();
        for (std::size_t o = first; o < first + count; ++o) asked_.bands.push_back(static_cast<int>(o));
        const auto stored = cells_.stored_block(first);
        source_.block_height = stored.height;
        source_.block_width = stored.width;
        gdalmcp_aggregation::sweep(source_, asked_, swept_, progress);
    }

    place_series result() { return std::move(into_); }

private:
    void seen(std::size_t n, std::vector<zone_statistics>& found, bool whole) {
        std::size_t distinct = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            distinct += found[i].distinct_values();
            if (whole) put(n, static_cast<std::size_t>(asked_.bands[i]), found[i]);
        }
        if (distinct > values_of_sweep)
            throw gdalmcp::error{GDALMCP_EXHAUSTED,
                                 "place " + zones_.places[n].id + " holds " + std::to_string(distinct) +
                                     " different values, too many to keep for a median",
                                 "use mean, or resample the rasters to coarser cells first"};
    }

    void put(std::size_t n, std::size_t observation, zone_statistics& s) {
        const auto at = into_.at(n, observation);
        // Shares of cells that are equal but for their last digits are ties to a trend.
        if (const auto value = s.value_of(what_))
            into_.value[at] = what_ == statistic::count ? std::round(*value * 1e6) / 1e6 : *value;
        into_.data_share[at] = gdalmcp_aggregation::share_of_zone(s.count(), zones_.in_cells[n]);
        // As series_cells marks them.
        into_.excluded[at] = gdalmcp_aggregation::share_of_zone(s.infinite() + s.nan(), zones_.in_cells[n]);
        into_.excluded_cells += s.infinite();
        into_.without_quality += s.nan();
    }

    series_cells& cells_;
    const series_zones& zones_;
    statistic what_;
    place_series into_;
    gdalmcp_aggregation::sweep_request asked_;
    gdalmcp_aggregation::sweep_source source_;
    gdalmcp_aggregation::sweep_zones swept_;
};

}  // namespace

place_series read_at_points(series_cells& cells, const series_points& points,
                            const std::function<void(double)>& progress) {
    place_series found{points.places.size(), cells.observations(), false};
    window block;
    std::vector<point_tile> tiles;
    for (std::size_t o = 0; o < cells.observations(); ++o) {
        if (const auto stored = cells.stored_block(o); stored != block) tiles = tiles_of(points, block = stored);
        for (std::size_t t = 0; t < tiles.size(); ++t) {
            progress((static_cast<double>(o) + static_cast<double>(t) / static_cast<double>(tiles.size())) /
                     static_cast<double>(cells.observations()));
            take(cells.read(o, tiles[t].cells), tiles[t], points, o, found);
        }
    }
    return found;
}

place_series read_in_zones(series_cells& cells, const series_zones& zones, const zone_grid& raster, statistic what,
                           const std::function<void(double)>& progress) {
    zone_reader reader{cells, zones, raster, what};
    const auto at_once = observations_at_once(cells, zones, raster, gdalmcp_aggregation::needs_values(what));
    const auto all = cells.observations();
    for (std::size_t o = 0; o < all; o += at_once) {
        const auto count = std::min(at_once, all - o);
        reader.read(o, count, [&](double f) {
            progress((static_cast<double>(o) + f * static_cast<double>(count)) / static_cast<double>(all));
        });
    }
    return reader.result();
}

}  // namespace gdalmcp_aggregation_more
