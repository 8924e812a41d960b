#include <cmath>

#include "flow_index.hpp"
#include "hydrology/flow_grid.hpp"
#include "tools.hpp"

namespace gdalmcp_hydrology_more::hydro_index {
namespace {

const gdalmcp::arg<gdalmcp::choice> measure{
    .name = "measure",
    .about =
        "hand: height above the stream it drains to; twi: ln(a / tan b), spi: a tan b, a = area by cell width; "
        "flow_length: to the stream, without 'streams' to the end.",
    .values = {"hand", "twi", "spi", "flow_length"},
    .synonyms = {{"height_above_nearest_drainage", "hand"},
                 {"topographic_wetness_index", "twi"},
                 {"stream_power_index", "spi"}}};
const gdalmcp::arg<std::optional<gdalmcp::raster>> dem{.name = "dem",
                                                       .about = "Heights, conditioned. Required but for flow_length."};
const gdalmcp::arg<std::optional<gdalmcp::raster>> streams_uri{
    .name = "streams", .about = "Stream cells (hydro_streams, .tif). Required for hand."};
const gdalmcp::arg<std::optional<gdalmcp::raster>> accumulation_uri{
    .name = "accumulation", .about = "For twi, spi: in m (unit sca). Default: true areas."};
const gdalmcp::arg<double> min_slope{.name = "min_slope",
                                     .about = "For twi, spi: slope of flatter cells.",
                                     .unit = "m/m",
                                     .fallback = 0.001,
                                     .above = 0.0,
                                     .below = 1.0};

const terrain_fields fields;
const gdalmcp::field<std::string> unit_used{"unit", "Of the values: m, the DEM's unit if unknown, or ln(m)"};
const gdalmcp::field<std::int64_t> value_cells{"value_cells", "Cells with a value", "cells"};
const gdalmcp::field<double> least{"min", "Smallest value"};
const gdalmcp::field<double> mean{"mean", "Mean over cells"};
const gdalmcp::field<double> most{"max", "Largest value"};
const auto flat_cells =
    gdalmcp::field<std::int64_t>{"flat_cells", "twi, spi: cells that took min_slope", "cells"}.optional();
const auto climbing =
    gdalmcp::field<std::int64_t>{"negative_cells", "hand: cells below their stream", "cells"}.optional();

struct index_values {
    grid<double> cells;
    std::string unit;
};

struct index_ground {
    const gdal_raster& raster;
    const flow_grid& flow;
    const true_sizes& measured;
};

void check_arguments(const gdalmcp::call& call) {
    const auto wanted = call[measure].value;
    const auto need = [&](bool given, const char* name, const char* hint) {
        if (!given)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, wanted + " needs '" + name + "', which is not given", hint};
    };
    const auto refuse = [&](bool given, const char* name) {
        if (given)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, wanted + " does not use '" + name + "', which is given",
                                 "leave it out"};
    };
    const bool wet = wanted == "twi" || wanted == "spi";
    if (wanted != "flow_length")
        need(call.given(dem), "dem", "give the elevation model that the directions were made from");
    else
        refuse(call.given(dem), "dem");
    if (wanted == "hand") need(call.given(streams_uri), "streams", "make them with hydro_streams, output .tif");
    if (wet)
        refuse(call.given(streams_uri), "streams");
    else
        refuse(call.given(accumulation_uri), "accumulation");
}

// Heights in metres where the unit is known, and the unit they are in.
index_values read_heights(gdalmcp::call& call, const gdal_raster& on, bool as_metres) {
    const gdal_raster heights{*call[dem], {}};
    heights.require_heights();
    warn_of_heights(call, heights);
    const auto unit = heights.height_unit();
    const auto metres = metres_of(unit);
    if (!metres && as_metres)
        call.warn("the unit of the heights is " + (unit.empty() ? "not declared" : "'" + unit + "', unknown here") +
                  ": slopes take it for metres");
    auto values = read_values(heights, on, call.part(0.2, 0.35, "reading"));
    if (metres)
        for (std::size_t i = 0; i < values.size(); ++i) values[i] *= *metres;
    return {std::move(values), metres ? "m" : unit.empty() ? "unknown" : unit};
}

// Specific catchment area in m: the accumulation given, or true areas by the width of a square cell of the same area.
grid<double> specific_area(gdalmcp::call& call, const index_ground& g) {
    if (call[accumulation_uri]) {
        const gdal_raster given{*call[accumulation_uri], 1};
        const std::string unit = given.band().GetUnitType();
        if (unit != "m")
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 given.path() + " is in " + (unit.empty() ? "an undeclared unit" : unit) +
                                     ", and the index needs specific catchment area in m",
                                 "accumulate with unit sca, or leave accumulation out"};
        return read_accumulated(given, g.raster, g.flow.directions, call.part(0.35, 0.6, "reading"));
    }
    const true_areas areas{g.raster, g.measured.sizes};
    warn_of_contour_width(call, g.raster, g.measured.sizes);
    auto area = contributing_area(g.raster, g.flow, areas, call.part(0.35, 0.6, "accumulating")).values;
    for (std::size_t i = 0; i < area.size(); ++i)
        if (g.flow.directions[i] != no_terrain) area[i] /= std::sqrt(areas.of(i));
    return area;
}

index_values wet_index(gdalmcp::call& call, const index_ground& g) {
    const auto heights = read_heights(call, g.raster, true).cells;
    auto values = specific_area(call, g);
    const bool power = call[measure].value == "spi";
    const double flattest = call[min_slope];
    std::int64_t flat = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (g.flow.directions[i] == no_terrain || std::isnan(heights[i])) {
            values[i] = std::numeric_limits<double>::quiet_NaN();
            continue;
        }
        double slope = flow_slope(g.flow.directions, heights, g.measured.sizes, i);
        if (!(slope >= flattest)) slope = flattest, ++flat;
        values[i] = power ? stream_power(values[i], slope) : wetness(values[i], slope);
    }
    call.put(flat_cells, flat);
    return {std::move(values), power ? "m" : "ln(m)"};
}

index_values hand(gdalmcp::call& call, const index_ground& g) {
    const auto [heights, unit] = read_heights(call, g.raster, false);
    const auto channels = read_channels(call, {*call[streams_uri], 1}, g.raster, call.part(0.35, 0.45, "reading"));
    auto values =
        height_above_channel(g.flow.directions, heights, channels, call.part(0.45, 0.8, "following the flow"));
    std::int64_t below = 0;
    for (std::size_t i = 0; i < values.size(); ++i) below += values[i] < 0;
    if (below > 0)
        call.warn(std::to_string(below) +
                  " cells lie below the stream they drain to: give the DEM that the directions were made from");
    call.put(climbing, below);
    return {std::move(values), unit};
}

index_values lengths(gdalmcp::call& call, const index_ground& g) {
    grid<std::uint8_t> channels;
    if (call[streams_uri])
        channels = read_channels(call, {*call[streams_uri], 1}, g.raster, call.part(0.2, 0.4, "reading"));
    return {flow_length(g.flow.directions, g.measured.sizes, channels, call.part(0.4, 0.8, "following the flow")), "m"};
}

index_values measured_index(gdalmcp::call& call, const index_ground& g) {
    const auto wanted = call[measure].value;
    try {
        if (wanted == "hand") return hand(call, g);
        if (wanted == "flow_length") return lengths(call, g);
        return wet_index(call, g);
    } catch (const flow_loop& loop) {
        refuse_loop(g.raster, loop.cell);
    }
}

void put_statistics(gdalmcp::call& call, const grid<double>& values, std::size_t terrain_cells) {
    std::int64_t count = 0;
    double low = 0, high = 0, sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) continue;
        low = count ? std::min(low, values[i]) : values[i];
        high = count ? std::max(high, values[i]) : values[i];
        sum += values[i];
        ++count;
    }
    if (count == 0)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "no cell has a value: none drains to a stream",
                             "check that 'streams' and 'directions' are of the same terrain"};
    if (const auto without = static_cast<std::int64_t>(terrain_cells) - count; without > 0 && call[streams_uri])
        call.warn(std::to_string(without) + " of " + std::to_string(terrain_cells) +
                  " terrain cells drain to no stream, and have no value");
    call.put(value_cells, count);
    call.put(least, low);
    call.put(mean, sum / static_cast<double>(count));
    call.put(most, high);
}

void write_index(gdalmcp::call& call, const gdal_raster& raster) {
    const auto measured = measure_cells(raster);
    if (!measured.note.empty()) call.warn(measured.note);
    const auto flow = read_directions(call, raster, call.part(0, 0.2, "reading"));
    warn_of_undrained(call, flow.undrained);
    const index_ground ground{raster, flow, measured};
    const auto found = measured_index(call, ground);
    fields.put(call, raster, flow.cells);
    call.put(unit_used, found.unit);
    put_statistics(call, found.cells, flow.cells);
    gdal_output written{call[output].path, raster, GDT_Float64, 1};
    const double none = std::numeric_limits<double>::quiet_NaN();
    written.nodata(none);
    written.band(1).SetDescription(call[measure].value.c_str());
    if (found.unit != "unknown") written.band(1).SetUnitType(found.unit.c_str());
    written.write(1, found.cells, call.part(0.85, 1, "writing"));
    written.close();
    expect_grid(call, raster, GDT_Float64, 1);
}

void run(gdalmcp::call& call) {
    check_arguments(call);
    const auto raster = open_directions(call[directions_uri]);
    in_memory(raster, [&] { write_index(call, raster); });
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "hydro_index",
     .title = "Terrain indices along the flow",
     .about = "Height above the nearest drainage, topographic wetness, stream power, or length of the flow path, along "
              "D8 directions. The slope b is that towards the next cell of the flow; where it leaves, that from the "
              "cell behind.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {measure, directions_uri, dem, streams_uri, accumulation_uri, min_slope, codes, output, overwrite},
    {fields.crs.all, fields.width, fields.height, fields.terrain_cells, unit_used, value_cells, least, mean, most,
     flat_cells, climbing}};

}  // namespace gdalmcp_hydrology_more::hydro_index
