#include "routed_terrain.hpp"

#include <memory>
#include <utility>

#include "hydrology/d8.hpp"

namespace gdalmcp_hydrology_delineation {
namespace {

template <class T>
routed_terrain route(gdalmcp::call& call, const gdal_raster& dem, const cell_sizes& sizes) {
    auto [heights, valid] = dem.read<T>(call.part(0, 0.1, "reading"));
    const auto use = survey(call, dem, std::exchange(valid, {}));
    routed_terrain routed;
    routed.surface = condition_surface(call, dem, heights, use, sizes, false, 0.1, 0.35);
    warn_of_look(call, dem, look_of(heights, use.land, whole_team()));
    d8_report report;
    routed.flow.directions = d8(heights, use.land, sizes, report, call.part(0.35, 0.5, "directing"), whole_team());
    routed.flow.holes = use.holes;
    routed.flow.cells = use.cells;
    routed.flow.undrained = report.undrained;
    const auto kept = std::make_shared<const grid<T>>(std::move(heights));
    routed.height = [kept, scale = dem.scale(), offset = dem.band().GetOffset()](std::size_t cell) {
        return static_cast<double>((*kept)[cell]) * scale + offset;
    };
    return routed;
}

}  // namespace

routed_terrain route_terrain(gdalmcp::call& call, const gdal_raster& dem, const cell_sizes& sizes) {
    auto routed = with_type(dem.type(), [&](auto zero) { return route<decltype(zero)>(call, dem, sizes); });
    if (routed.flow.undrained > 0)
        call.warn(
            std::to_string(routed.flow.undrained) +
            " cells have no way down: flow ends there, and what lies above them is missing from the basins below");
    return routed;
}

}  // namespace gdalmcp_hydrology_delineation
