// zone_book.hpp — the zones of a call: their positions on the grid, their outlines while needed, and their results.
#pragma once
#include <gdalmcp/tool.hpp>
#include <set>

#include "gdal_zones.hpp"
#include "zone_result.hpp"

namespace gdalmcp_aggregation {

// How many different values (statistic::frac) a band may have in all zones together, and the refusal of more.
struct class_limit {
    std::size_t most;
    std::function<gdalmcp::error(std::size_t distinct, int band)> refusal;
};

class zone_book {
public:
    // Reads all zones of the layer. All of the arguments outlive the book.
    zone_book(gdalmcp::call& call, zone_layer& layer, const value_raster& values, const sweep_request& asked,
              class_limit limit);
    // Zones of no layer.
    zone_book(std::vector<zone_layer::placed_zone> zones, const value_raster& values, const sweep_request& asked,
              class_limit limit);
    zone_book(const zone_book&) = delete;
    zone_book& operator=(const zone_book&) = delete;

    const sweep_zones& zones() const { return zones_; }                   // for the sweep, which fills the results
    const std::vector<zone_result>& results() const { return results_; }  // in the order of the layer
    std::vector<double> classes() const;                                  // for frac: of all bands and zones, by value
    // Fails the call if no zone has a usable outline, or none touches the raster.
    void require_zones(const value_raster& values) const;

private:
    void add(zone_layer::placed_zone&& z, const value_raster& values, bool reads_again);
    void serve_sweep();
    std::string way_onto(const value_raster& values) const;
    void seen(std::size_t n, std::vector<zone_statistics>& found, bool whole);
    void check_classes(const zone_statistics& found, bool whole, std::size_t band);

    zone_layer* layer_ = nullptr;  // nullptr: all outlines are kept
    const sweep_request& asked_;
    class_limit limit_;
    sweep_zones zones_;
    std::vector<zone_result> results_;
    std::size_t vertices_ = 0;
    std::vector<zone> outlines_;
    std::vector<std::int64_t> fids_;
    std::vector<std::set<double>> classes_;  // by band, of completed zones
};

struct counted_area {
    const zone_result* of;
    double area;  // m², of all its cells: their true areas, each weighed by its covered share
};

// A warning of the zone whose cells are least as large together as it is: they are so large that their parts are not
// even. "" where none differs by 0.1 %; zones that reach beyond the grid do not count.
std::string coarse_cells_text(const std::vector<counted_area>& zones);

// A warning of cells with a class that have no area, such as those beyond the outline of a map of the world; "" where
// all have one. without_class: how many of them may have none, such as cells without data.
std::string unplaced_text(const std::vector<zone_result>& zones, std::size_t without_class = 0);

// A warning for totals over zones; "" where none overlap.
std::string overlap_text(const sweep_overlaps& found);

}  // namespace gdalmcp_aggregation
