// zone_book.hpp — the zones of a call: their positions on the grid, their outlines while needed, and their results.
#pragma once
#include <gdalmcp/tool.hpp>
#include <set>

#include "gdal_zones.hpp"
#include "zone_result.hpp"

namespace gdalmcp_aggregation {

class zone_book {
public:
    // Reads all zones of the layer. All of the arguments outlive the book.
    zone_book(gdalmcp::call& call, zone_layer& layer, const value_raster& values, const sweep_request& asked);
    zone_book(const zone_book&) = delete;
    zone_book& operator=(const zone_book&) = delete;

    const sweep_zones& zones() const { return zones_; }                   // for the sweep, which fills the results
    const std::vector<zone_result>& results() const { return results_; }  // in the order of the layer
    std::vector<double> classes() const;                                  // for frac: of all bands and zones, by value
    bool any_on_raster() const;

private:
    void seen(std::size_t n, std::vector<zone_statistics>& found, bool whole);
    void check_classes(const zone_statistics& found, bool whole, std::size_t band);

    zone_layer& layer_;
    const sweep_request& asked_;
    sweep_zones zones_;
    std::vector<zone_result> results_;
    std::size_t vertices_ = 0;
    std::vector<zone> outlines_;
    std::vector<std::int64_t> fids_;
    std::vector<std::set<double>> classes_;  // by band, of completed zones
};

}  // namespace gdalmcp_aggregation
