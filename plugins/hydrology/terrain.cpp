#include "terrain.hpp"

#include <gdalmcp/evidence.hpp>

#include "datasets/gdal_raster_source.hpp"
#include "memory_room.hpp"
#include "raster/gdal_undeclared_nodata.hpp"

namespace gdalmcp_hydrology {

std::string meaning_of_holes(gdalmcp::call& call, const gdal_raster& dem, const hole_count& found) {
    const auto given = call[holes];
    const auto tagged = dem.tag(holes_tag);
    const auto wanted = given ? given->value : tagged;
    if (found.holes > 0 && !tagged.empty() && wanted != tagged)
        call.warn("nodata_holes is '" + wanted + "', but " + dem.path() + " was conditioned with '" + tagged +
                  "': around its " + std::to_string(found.holes) +
                  " holes the terrain need not drain; condition the DEM again, or leave nodata_holes out");
    if (found.holes > 0 && wanted != "outlet" && wanted != "missing")
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            dem.path() + " has " + std::to_string(found.holes) + " holes of nodata inside the terrain (" +
                std::to_string(found.cells) + " cells) and no tag says what they mean",
            "call again with nodata_holes: 'outlet' if water leaves there (lakes, sea, sinks to keep), "
            "or 'missing' if the data has gaps"};
    return found.holes == 0 ? "none" : wanted;
}

void warn_of_heights(gdalmcp::call& call, const gdal_raster& dem) {
    gdalmcp_raster::warn_of_undeclared_nodata(call, dem.path(), dem.band());
    gdalmcp_datasets::warn_of_place(call, dem.path(), dem.on());
}

void warn_of_look(gdalmcp::call& call, const gdal_raster& dem, const surface_look& seen) {
    constexpr double much = 0.05, hardly_any = 0.01, nearly_round = 6.1;
    constexpr std::size_t some = 100;
    const auto share = [&](std::size_t count) { return static_cast<double>(count) / static_cast<double>(seen.cells); };
    if (seen.in_plain > some && share(seen.in_plain) > much && share(seen.below) < hardly_any)
        call.warn(
            gdalmcp::evidence::percent(share(seen.in_plain)) + " of the terrain of " + dem.path() + " are " +
            gdalmcp::gdal::number_text(seen.plain * dem.scale() + dem.band().GetOffset()) +
            ", up to the edge and hardly anything lower: if that is the sea or a lake, flow and streams are led "
            "across it; make it nodata first (raster_convert with nodata, or where() and nodata() of raster_calc)");
    if (seen.may_be_angles && seen.highest > nearly_round)
        call.warn("all values of " + dem.path() + " lie from " + gdalmcp::gdal::number_text(seen.lowest) + " to " +
                  gdalmcp::gdal::number_text(seen.highest) +
                  ", as directions in radians do, and are taken for heights: hydro_flow_accumulation takes directions "
                  "with encoding");
}

void require_terrain(const gdal_raster& dem, std::size_t cells) {
    if (cells == 0)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, dem.path() + " has no cell with a height: all are nodata",
                             "check the file and its nodata value with raster_info and raster_stats"};
}

land_use survey(gdalmcp::call& call, const gdal_raster& dem, const grid<std::uint8_t>& valid) {
    land_use use;
    use.land = trace_footprint(valid, nodata_holes::missing, whole_team());
    const bool holed = count_cells(use.land, footprint::hole, whole_team()) > 0;
    use.holes = meaning_of_holes(call, dem, holed ? count_holes(use.land) : hole_count{});
    for (std::size_t i = 0; use.holes == "outlet" && i < use.land.size(); ++i)
        if (use.land[i] == footprint::hole) use.land[i] = footprint::outside;
    use.cells = count_cells(use.land, footprint::terrain, whole_team());
    require_terrain(dem, use.cells);
    return use;
}

void refuse_size(const gdal_raster& raster) {
    const auto extent = raster.extent();
    throw gdalmcp::error{GDALMCP_EXHAUSTED,
                         raster.path() + " has " + std::to_string(extent.width) + " x " +
                             std::to_string(extent.height) +
                             " cells, and the grids that this needs do not fit in the memory of a call, " +
                             std::to_string(memory_limit() >> 20) + " MiB",
                         "take a part of it, or raise --memory; filling without epsilon (hydro_condition) and "
                         "hydro_flow_accumulation of D8 directions work in tiles at any size"};
}

void warn_of_undrained(gdalmcp::call& call, std::size_t cells) {
    if (cells > 0)
        call.warn(
            std::to_string(cells) +
            " cells have no way down and keep what reaches them: run hydro_condition before directing flow if they "
            "should drain");
}

void expect_grid(gdalmcp::call& call, const gdal_raster& like, GDALDataType type, int bands, bool heights) {
    const auto on = heights ? like.on() : gdalmcp_datasets::without_heights(like.on());
    call.expect(output, gdalmcp_datasets::expected_raster(on, bands, GDALGetDataTypeName(type)));
}

}  // namespace gdalmcp_hydrology
