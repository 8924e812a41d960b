// gdal_class_areas.hpp — true areas of the cells of a raster, as statistics of classes want them.
#pragma once
#include <gdalmcp/gdal_cell_area.hpp>

#include <atomic>

#include "datasets/gdal_grid.hpp"
#include "statistics.hpp"

namespace gdalmcp_raster {

using namespace gdalmcp_datasets;

struct true_areas final : class_areas {
    explicit true_areas(const gdalmcp::gdal::cell_areas& c) : cells{c} {}
    double of(cell_place first, std::int64_t n) const override;
    // Warns of cells that were asked for and have no area.
    void tell_missing(gdalmcp::call& call) const;
    const gdalmcp::gdal::cell_areas& cells;

private:
    mutable std::atomic<bool> missing_{false};
};

// nullopt, with a warning of the call that says why classes have no area, where the grid has no place on the Earth.
std::optional<gdalmcp::gdal::cell_areas> areas_of(gdalmcp::call& call, const grid& g);

}  // namespace gdalmcp_raster
