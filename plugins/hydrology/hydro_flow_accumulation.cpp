#include <cmath>

#include "accumulation.hpp"
#include "d8.hpp"
#include "encoding.hpp"
#include "terrain.hpp"
#include "tools.hpp"

namespace gdalmcp_hydrology {
namespace {

const auto uri = gdalmcp::standard::described(
    gdalmcp::standard::raster_uri,
    "D8 directions (from hydro_flow_direction), or a DEM without depressions with 'method'.");

const gdalmcp::arg<std::optional<gdalmcp::choice>> method{
    .name = "method", .about = "Only for a DEM. d8: to the steepest neighbour.", .values = {"d8"}};

const gdalmcp::arg<std::optional<gdalmcp::choice>> codes{
    .name = "encoding",
    .about = "Codes of the directions. Default: the file's tag; required without one.",
    .values = {"esri", "whitebox", "taudem", "grass"}};

const gdalmcp::arg<std::optional<gdalmcp::raster>> weights{
    .name = "weights", .about = "Raster on the same grid: contribution of each cell. Default: 1."};

const gdalmcp::arg<gdalmcp::choice> unit{
    .name = "unit",
    .about = "km2: true area; sca: area in m2 by cell width, in m. A cell counts itself.",
    .fallback = gdalmcp::choice{"cells"},
    .values = {"cells", "km2", "sca"},
    .synonyms = {{"cell", "cells"}, {"km²", "km2"}, {"km^2", "km2"}, {"specific_catchment_area", "sca"}}};

const gdalmcp::arg<gdalmcp::choice> edges{
    .name = "edge_contamination",
    .about = "Cells that may miss inflow from beyond the edge. keep: marked in a second band; nodata: removed.",
    .fallback = gdalmcp::choice{"keep"},
    .values = {"keep", "nodata", "ignore"}};

const terrain_fields fields;
const gdalmcp::field<std::string> unit_used{"unit",
                                            "Unit of the values: cells, km2, m (specific catchment area), or the "
                                            "weights' unit times one of these"};
const gdalmcp::field<std::string> dtype{"dtype", "GDAL type of the output's band or bands"};
const gdalmcp::field<double> maximum{"maximum", "Greatest value over all cells, contaminated ones included, in 'unit'"};
const gdalmcp::field<std::vector<double>> maximum_at{"maximum_at",
                                                     "x and y of that cell's centre, in the result's CRS"};
const gdalmcp::field<std::int64_t> outlets{"outlets", "Cells whose flow leaves the terrain or ends", "cells"};
const gdalmcp::field<std::int64_t> undrained_cells{"undrained_cells", "Of these, cells with no way down", "cells"};
const gdalmcp::field<double> contaminated_share{
    "contaminated_share",
    "Share of the terrain cells that may miss inflow from beyond the edge or from nodata, 0 to 1"};
const gdalmcp::field<double> contributed{"contributed", "Sum of all contributions, in cells, km2 or m2 times weight"};
const gdalmcp::field<double> discharged{"discharged", "Sum arriving at all outlets, in the same unit"};
const gdalmcp::record conservation{"conservation",
                                   "Mass balance: both sums agree (to 1e-9 for areas, "
                                   "exactly for cells), or the call fails",
                                   {contributed, discharged}};

struct flow_grid {
    grid<std::uint8_t> directions;
    std::string holes = "none";
    std::size_t undrained = 0, cells = 0;
};

std::string unit_label(const gdalmcp::call& call) {
    const auto wanted = call[unit].value;
    return (call.given(weights) ? "weight x " : "") + (wanted == "sca" ? "m" : wanted);
}

encoding encoding_of(gdalmcp::call& call, const gdal_raster& raster) {
    const auto tagged = raster.tag(encoding_tag);
    const auto given = call[codes];
    if (given && !tagged.empty() && given->value != tagged)
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            "encoding is '" + given->value + "', but " + raster.path() + " is tagged as '" + tagged + "'",
            "leave encoding out, or set it to '" + tagged + "'"};
    const auto name = given ? given->value : tagged;
    if (name.empty())
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            raster.path() + " declares no encoding of its directions (no " + encoding_tag + " in its metadata)",
            "give encoding: 'esri' (ArcGIS, RichDEM, pysheds), 'whitebox', 'taudem' or 'grass'; or, if "
            "this is a DEM, give method: 'd8'"};
    const auto code = encoding_named(name);
    if (!code)
        throw gdalmcp::error{GDALMCP_UNSUPPORTED, raster.path() + " is tagged with the unknown encoding '" + name + "'",
                             "recompute the directions with hydro_flow_direction"};
    return *code;
}

flow_grid read_directions(gdalmcp::call& call, const gdal_raster& raster) {
    const auto code = encoding_of(call, raster);
    const auto values = raster.read<float>(call.part(0, 0.3, "reading"));
    const auto valid = read_valid(raster, values);
    flow_grid flow;
    flow.directions = grid<std::uint8_t>{raster.extent(), no_terrain};
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!valid[i]) continue;
        const auto d = decode(code, values[i]);
        if (!d)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "the value " + gdalmcp::gdal::number_text(values[i]) + " at " + raster.cell_text(i) +
                                     " is not a direction in the " + std::string{name_of(code)} + " encoding",
                                 "check which program wrote the grid and give its encoding, and the nodata value"};
        flow.directions[i] = *d;
        flow.undrained += *d == undrained;
        ++flow.cells;
    }
    if (flow.cells == 0)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, raster.path() + " has no cell with a direction: all are nodata",
                             "check the file with raster_info"};
    return flow;
}

flow_grid direct(gdalmcp::call& call, const gdal_raster& dem, const cell_sizes& sizes) {
    dem.require_heights();
    if (!dem.tag(encoding_tag).empty())
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            "method is for a DEM, but " + dem.path() + " is tagged as flow directions (" + dem.tag(encoding_tag) + ")",
            "leave method out"};
    if (call[codes])
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "encoding and method are both given",
                             "give encoding for a raster of directions, method for a DEM"};
    return with_type(dem.type(), [&](auto zero) {
        const auto surface = dem.read<decltype(zero)>(call.part(0, 0.1, "reading"));
        const auto use = survey(call, dem, read_valid(dem, surface));
        d8_report report;
        flow_grid flow;
        flow.directions = d8(surface, use.land, sizes, report, call.part(0.1, 0.35, "directing"));
        flow.holes = use.holes;
        flow.undrained = report.undrained;
        flow.cells = use.cells;
        return flow;
    });
}

grid<double> read_weights(gdalmcp::call& call, const gdal_raster& raster, const flow_grid& flow) {
    const gdal_raster weight{*call[weights], {}};
    raster.require_same_grid(weight);
    if (weight.south_up() != raster.south_up())
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "one of " + raster.path() + " and " + weight.path() + " is south-up",
                             "resample the weights to the grid with raster_reproject and align_to"};
    auto values = weight.read<double>(call.part(0.35, 0.4, "reading weights"));
    const auto valid = read_valid(weight, values);
    std::size_t missing = 0, first = off_grid;
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = values[i] * weight.scale() + weight.band().GetOffset();
        if (flow.directions[i] == no_terrain || valid[i]) continue;
        if (missing++ == 0) first = i;
    }
    if (missing > 0)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             weight.path() + " has no weight for " + std::to_string(missing) +
                                 " cells that have a direction, the first at " + raster.cell_text(first),
                             "fill the weights there (0 = contributes nothing), or clip the directions to them"};
    return values;
}

// The contribution of each cell, except for plain cell counts: m² times weight, or weight alone.
grid<double> contributions(gdalmcp::call& call, const gdal_raster& raster, const true_areas& areas,
                           const flow_grid& flow) {
    const bool by_area = call[unit].value != "cells";
    auto own = call.given(weights) ? read_weights(call, raster, flow) : grid<double>{raster.extent(), 1.0};
    for (std::size_t i = 0; by_area && i < own.size(); ++i) own[i] *= areas.of(i);
    return own;
}

template <class V>
void require_sound(const gdal_raster& raster, const accumulation<V>& flow) {
    if (flow.cycle)
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            "the flow directions form a loop through " + raster.cell_text(*flow.cycle) + " of " + raster.path(),
            "check that the encoding is the one the grid was written in, or recompute the directions"};
    const auto in = static_cast<double>(flow.contributed), out = static_cast<double>(flow.discharged);
    if (std::abs(in - out) > 1e-9 * std::max(std::abs(in), static_cast<double>(flow.terrain_cells)))
        throw gdalmcp::error{GDALMCP_INTERNAL, "the cells contribute " + gdalmcp::gdal::number_text(in) + " but " +
                                                   gdalmcp::gdal::number_text(out) + " arrives at the outlets"};
}

template <class V>
void write_flow(gdalmcp::call& call, const gdal_raster& raster, const accumulation<V>& flow,
                const grid<std::uint8_t>& directions, grid<double> values, double nodata) {
    constexpr auto type = std::is_same_v<V, double> ? GDT_Float64 : GDT_UInt32;
    const auto edge = call[edges].value;
    const int bands = edge == "keep" ? 2 : 1;
    gdal_output written{call[output].path, raster, type, bands};
    for (std::size_t i = 0; i < values.size(); ++i)
        if (directions[i] == no_terrain || (edge == "nodata" && flow.contaminated[i])) values[i] = nodata;
    written.nodata(nodata);
    written.band(1).SetDescription("flow accumulation");
    written.band(1).SetUnitType(unit_label(call).c_str());
    if (bands == 2) written.band(2).SetDescription("edge contamination, 1 = may miss inflow");
    written.write(1, values, call.part(0.8, 0.95, "writing"));
    if (bands == 2) written.write(2, flow.contaminated, call.part(0.95, 1, "writing"));
    written.close();
    expect_grid(call, raster, type, bands);
    call.put(dtype, GDALGetDataTypeName(type));
}

// V: std::uint64_t for plain cell counts, double for areas and weights. in_unit turns the sum of a cell into the unit.
template <class V, class InUnit>
void accumulate_and_write(gdalmcp::call& call, const gdal_raster& raster, const flow_grid& flow, const grid<V>& own,
                          double nodata, InUnit in_unit) {
    const auto found = accumulate(flow.directions, own, call.part(0.4, 0.75, "accumulating"));
    require_sound(raster, found);
    grid<double> values{raster.extent()};
    std::size_t most = off_grid;
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = in_unit(static_cast<double>(found.values[i]), i);
        if (flow.directions[i] != no_terrain && (most == off_grid || values[i] > values[most])) most = i;
    }
    const double greatest = values[most];
    const auto [x, y] = raster.centre(values.extent().row(most), values.extent().column(most));
    call.put(maximum, greatest);
    call.put(maximum_at, {x, y});
    call.put(outlets, static_cast<std::int64_t>(found.outlets));
    call.put(undrained_cells, static_cast<std::int64_t>(flow.undrained));
    const auto share = static_cast<double>(found.contaminated_cells) / static_cast<double>(flow.cells);
    call.put(contaminated_share, share);
    const double per_sum = call[unit].value == "km2" ? 1e-6 : 1;
    call.at(conservation).put(contributed, static_cast<double>(found.contributed) * per_sum);
    call.at(conservation).put(discharged, static_cast<double>(found.discharged) * per_sum);
    write_flow(call, raster, found, flow.directions, std::move(values), nodata);
    call.say("Accumulated " + std::to_string(flow.cells) + " cells; the greatest value is " +
             gdalmcp::gdal::number_text(greatest) + " " + unit_label(call) + " at x " + gdalmcp::gdal::number_text(x) +
             ", y " + gdalmcp::gdal::number_text(y) + ".");
}

void run(gdalmcp::call& call) {
    const gdal_raster raster{call[uri], call[band]};
    const auto wanted = call[unit].value;
    const auto measured = measure_cells(raster);
    const auto flow = call[method] ? direct(call, raster, measured.sizes) : read_directions(call, raster);
    if (!measured.note.empty() && (wanted != "cells" || call[method])) call.warn(measured.note);
    if (flow.undrained > 0)
        call.warn(
            std::to_string(flow.undrained) +
            " cells have no way down and keep what reaches them: run hydro_condition before directing flow if they "
            "should drain");
    fields.put(call, raster, flow.cells);
    call.put(fields.nodata_holes, flow.holes);
    call.put(unit_used, unit_label(call));

    const auto same = [](double sum, std::size_t) { return sum; };
    if (wanted == "cells" && !call.given(weights)) {
        accumulate_and_write(call, raster, flow, grid<std::uint64_t>{}, 0, same);
        return;
    }
    const true_areas areas{raster, measured.sizes};
    const auto own = contributions(call, raster, areas, flow);
    const double none = std::numeric_limits<double>::quiet_NaN();
    if (wanted == "km2")
        accumulate_and_write(call, raster, flow, own, none, [](double m2, std::size_t) { return m2 / 1e6; });
    else if (wanted == "sca")
        accumulate_and_write(call, raster, flow, own, none,
                             [&](double m2, std::size_t cell) { return m2 / std::sqrt(areas.of(cell)); });
    else
        accumulate_and_write(call, raster, flow, own, none, same);
}

}  // namespace

const gdalmcp::tool hydro_flow_accumulation{
    {.name = "hydro_flow_accumulation",
     .title = "Flow accumulation",
     .about = "Contributing cells or true area upstream of each cell. Report no area where the second band is 1 "
              "(inflow from beyond the edge may be missing). A gauge rarely lies on the computed channel: look for the "
              "greatest value nearby.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, method, codes, weights, unit, edges, holes, band, output, overwrite},
    {fields.crs.all, fields.width, fields.height, fields.terrain_cells, fields.nodata_holes, unit_used, dtype, maximum,
     maximum_at, outlets, undrained_cells, contaminated_share, conservation}};

}  // namespace gdalmcp_hydrology
