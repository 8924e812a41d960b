#include "basin_outlets.hpp"

#include <gdalmcp/evidence.hpp>
#include <limits>
#include <map>
#include <optional>

#include "basins.hpp"

namespace gdalmcp_hydrology {
namespace {

snap_to snap_rule(const std::string& name) {
    return name == "nearest_stream"     ? snap_to::nearest_channel
           : name == "downstream"       ? snap_to::downstream
           : name == "max_accumulation" ? snap_to::most_flow
                                        : snap_to::nothing;
}

std::string km2(double square_metres) { return gdalmcp::evidence::text(square_metres / 1e6) + " km2"; }

std::string place_text(const gdal_raster& raster, const grid<double>& area, std::size_t cell) {
    return km2(area[cell]) + " at " + raster.cell_text(cell);
}

void refuse_rival(const gdal_raster& raster, const grid<double>& area, const placed_point& point,
                  const snapped_point& found) {
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         point.name + " is ambiguous: snapping finds " + place_text(raster, area, found.cell) +
                             ", but the point itself drains to another stream, " +
                             place_text(raster, area, *found.rival),
                         "give known_area, a smaller snap_distance, or move the point onto the stream that is meant"};
}

basin snapped_basin(const gdal_raster& raster, const snapping_ground& ground, const placed_point& point,
                    const snap_wish& wish) {
    const auto found = snap(ground, point.cell, wish);
    const auto& name = point.name;
    if (found.cell == off_grid)
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            name + " has no stream within snap_distance " + gdalmcp::gdal::number_text(wish.radius) + " m",
            "raise snap_distance, or move the point"};
    if (found.rival) refuse_rival(raster, ground.area, point, found);
    if (wish.known_area) {
        const double ratio = ground.area[found.cell] / *wish.known_area;
        if (ratio > ambiguous_ratio || ratio < 1 / ambiguous_ratio)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 name + ": known_area is " + km2(*wish.known_area) +
                                     ", but the best match within snap_distance is " +
                                     place_text(raster, ground.area, found.cell),
                                 "check the point and the area, or raise snap_distance"};
    }
    return {point, found.cell, found.moved, 0, wish.known_area};
}

void refuse_shared_outlets(const gdal_raster& raster, const std::vector<basin>& basins) {
    std::map<std::size_t, std::string> taken;
    for (const auto& b : basins) {
        const auto [at, fresh] = taken.emplace(b.outlet, b.point->name);
        if (!fresh)
            throw gdalmcp::error{
                GDALMCP_INVALID_ARGUMENT,
                at->second + " and " + b.point->name + " have the same outlet, " + raster.cell_text(b.outlet),
                "leave one out, or lower snap_distance"};
    }
}

}  // namespace

void check_snapping(const gdalmcp::call& call, bool points, bool channels) {
    const auto rule = call[snapping].value;
    const auto fail = [](const std::string& message, const std::string& hint) {
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, message, hint};
    };
    if (rule == "none") {
        if (call.given(snap_distance) || call.given(known_area))
            fail("snap_distance or known_area is given, but snap is none", "say how to snap, or leave them out");
        return;
    }
    if (!points) fail("snap is " + rule + ", but there are no pour_points", "leave snap out");
    if (!call.given(snap_distance)) fail("snap is " + rule + " without snap_distance", "give snap_distance in m");
    if (rule != "max_accumulation" && !channels)
        fail("snap is " + rule + " without 'streams'", "give streams, from hydro_streams with an output .tif");
    if (rule == "downstream" && call.given(known_area))
        fail("snap is downstream, and known_area is given: downstream there is no choice",
             "snap to nearest_stream or max_accumulation");
}

std::vector<basin> place_basins(gdalmcp::call& call, const gdalmcp::vector& layer, const gdal_raster& raster,
                                const snapping_ground& ground) {
    const auto rule = snap_rule(call[snapping].value);
    const bool searches = rule == snap_to::nearest_channel || rule == snap_to::most_flow;
    const auto points =
        read_points(call, layer, raster, ground.directions, searches ? footing::anywhere : footing::terrain);
    const auto known = call[known_area];
    if (known && known->size() != points.size())
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "known_area has " + std::to_string(known->size()) + " values for " +
                                 std::to_string(points.size()) + " points",
                             "give one for each point, in their order"};
    std::vector<basin> basins;
    for (std::size_t i = 0; i < points.size(); ++i) {
        snap_wish wish{rule, call[snap_distance].value_or(0), {}, points[i].right, points[i].down};
        if (known) wish.known_area = (*known)[i] * 1e6;
        basins.push_back(snapped_basin(raster, ground, points[i], wish));
    }
    refuse_shared_outlets(raster, basins);
    return basins;
}

basin_map map_basins(std::vector<basin> basins, const grid<std::uint8_t>& directions, const grid<double>& upstream,
                     const progress& tick) {
    std::vector<std::size_t> outlets;
    for (const auto& b : basins) outlets.push_back(b.outlet);
    basin_map map{std::move(basins), label_basins(directions, outlets, tick, whole_team()), {}};
    map.next = next_basins(directions, map.labels, outlets);
    for (auto& b : map.basins) b.own_area = upstream[b.outlet];
    for (std::size_t k = 0; k < map.basins.size(); ++k)
        if (const auto below = map.next[k]; below > 0)
            map.basins[static_cast<std::size_t>(below - 1)].own_area -= upstream[outlets[k]];
    for (const auto& b : map.basins) map.area += b.own_area;
    return map;
}

namespace {

// "basin 3", "basins 2, 5", "12 basins, 2, 5, 6, 8, 9 among them"
std::string names_of(const std::vector<std::size_t>& numbers) {
    constexpr std::size_t most = 5;
    std::string names;
    for (std::size_t i = 0; i < std::min(most, numbers.size()); ++i)
        names += (i ? ", " : "") + std::to_string(numbers[i] + 1);
    if (numbers.size() > most) return std::to_string(numbers.size()) + " basins, " + names + " among them,";
    return (numbers.size() == 1 ? "basin " : "basins ") + names;
}

// Of what drains to a cell, the least: the area of a cell.
double least_area(const grid<double>& values) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] > 0) least = std::min(least, values[i]);
    return least;
}

// The greatest value within 5 cells.
double greatest_near(const grid<double>& values, std::size_t cell) {
    constexpr std::size_t reach = 5;
    const auto& extent = values.extent();
    const auto row = extent.row(cell), column = extent.column(cell);
    double greatest = 0;
    for (auto r = row - std::min(row, reach); r < std::min(row + reach + 1, extent.height); ++r)
        for (auto c = column - std::min(column, reach); c < std::min(column + reach + 1, extent.width); ++c)
            greatest = std::max(greatest, values(r, c));
    return greatest;
}

}  // namespace

void warn_of_basins(gdalmcp::call& call, const basin_map& map, const accumulation<double>& area) {
    std::vector<std::size_t> open, cut;
    std::optional<double> cell_area;  // looked for once
    for (std::size_t k = 0; k < map.basins.size(); ++k) {
        const auto& b = map.basins[k];
        if (!b.point) continue;  // of all basins most reach the edge, which their rows say
        if (area.contaminated[b.outlet] != 0) open.push_back(k);
        const double found = area.values[b.outlet];
        if (found > b.own_area * (1 + 1e-9)) cut.push_back(k);
        const double own = area.values[b.point->cell];
        const bool moved_on = b.moved > 0 && !b.known_area && found > 10 * own;
        if (moved_on && !cell_area) cell_area = least_area(area.values);
        if (moved_on && own >= 100 * *cell_area)
            call.warn("basin " + std::to_string(k + 1) + ": its point lies on a stream of " + km2(own) +
                      ", and 'snap' moved it to one of " + km2(found) +
                      "; a smaller snap_distance, or known_area, keeps it");
        if (const double beside = greatest_near(area.values, b.outlet); !b.known_area && beside > 50 * found)
            call.warn("basin " + std::to_string(k + 1) + " has " + km2(found) +
                      ", and cells near its point have up to " + km2(beside) +
                      ": it may lie beside the stream that is meant; 'snap' moves it there");
        if (b.known_area && std::abs(found / *b.known_area - 1) > 0.1)
            call.warn("basin " + std::to_string(k + 1) + " has " + km2(found) + ", known_area is " +
                      km2(*b.known_area) + ": the point, the elevation model or the area is not what was meant");
    }
    if (!open.empty())
        call.warn(
            names_of(open) + (open.size() == 1 ? " reaches" : " reach") +
            " the edge of the data: unless that is water it flows into, inflow from beyond may be missing and the "
            "area is a lower bound");
    if (!cut.empty())
        call.warn(
            names_of(cut) +
            (cut.size() == 1 ? " ends at the outlet of another upstream" : " end at the outlets of others upstream") +
            ": " + (cut.size() == 1 ? "its" : "the") + " area is what lies between, " +
            km2(map.basins[cut.front()].own_area) + " of " + km2(area.values[map.basins[cut.front()].outlet]) +
            (cut.size() == 1 ? "" : " of the first") +
            "; for all that drains to an outlet, give it in a call of its own");
}

void put_basin(gdalmcp::place row, const basin_map& map, std::size_t number, const gdal_raster& raster,
               const accumulation<double>& area) {
    const auto& b = map.basins[number];
    const auto [x, y] = raster.centre(map.labels.extent().row(b.outlet), map.labels.extent().column(b.outlet));
    row.put(basin_id, static_cast<std::int64_t>(number + 1));
    row.put(outlet_at, {x, y});
    row.put(area_own, b.own_area / 1e6);
    row.put(area_total, area.values[b.outlet] / 1e6);
    row.put(next_down, map.next[number]);
    row.put(at_edge, area.contaminated[b.outlet] != 0);
    if (!b.point) return;
    row.put(row_point, b.point->feature);
    row.put(area_before, area.values[b.point->cell] / 1e6);
    row.put(moved_by, b.moved);
}

}  // namespace gdalmcp_hydrology
