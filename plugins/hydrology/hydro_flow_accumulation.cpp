#include <utility>

#include "d8.hpp"
#include "flow_grid.hpp"
#include "terrain.hpp"
#include "tools.hpp"

namespace gdalmcp_hydrology::hydro_flow_accumulation {
namespace {

const auto uri = gdalmcp::standard::described(gdalmcp::standard::raster_uri,
                                              "Directions, or a DEM without depressions with 'method'.");

const gdalmcp::arg<std::optional<gdalmcp::choice>> method{
    .name = "method",
    .about = "For a DEM, as in hydro_flow_direction; with encoding, of untagged directions.",
    .values = {"d8", "dinf", "mfd"},
    .synonyms = {{"d_infinity", "dinf"}, {"d-infinity", "dinf"}}};

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

std::string unit_label(const gdalmcp::call& call) {
    const auto wanted = call[unit].value;
    return (call.given(weights) ? "weight x " : "") + (wanted == "sca" ? "m" : wanted);
}

grid<std::uint8_t> terrain_of(const grid<std::uint8_t>& directions) {
    grid<std::uint8_t> terrain{directions.extent()};
    for (std::size_t i = 0; i < terrain.size(); ++i) terrain[i] = directions[i] != no_terrain;
    return terrain;
}

flow_grid direct(gdalmcp::call& call, const gdal_raster& dem, const cell_sizes& sizes) {
    dem.require_heights();
    if (!dem.tag(encoding_tag).empty())
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            "method is for a DEM, but " + dem.path() + " is tagged as flow directions (" + dem.tag(encoding_tag) + ")",
            "leave method out"};
    const auto way = call[method]->value;
    return with_type(dem.type(), [&](auto zero) {
        auto [surface, valid] = dem.read<decltype(zero)>(call.part(0, 0.1, "reading"));
        const auto use = survey(call, dem, std::exchange(valid, {}));
        d8_report report;
        flow_grid flow;
        flow.directions = d8(surface, use.land, sizes, report, call.part(0.1, 0.3, "directing"));
        const auto tick = call.part(0.3, 0.35, "directing");
        if (way == "dinf") flow = angle_flow(d_infinity(surface, flow.directions, sizes, tick), sizes);
        if (way == "mfd") {
            const auto all = multiple_flow(surface, flow.directions, sizes, default_exponent, tick);
            flow = share_flow(all, terrain_of(flow.directions));
        }
        flow.holes = use.holes;
        flow.undrained = report.undrained;
        flow.cells = use.cells;
        return flow;
    });
}

grid<double> read_weights(gdalmcp::call& call, const gdal_raster& raster, const flow_grid& flow) {
    const gdal_raster weight{*call[weights], {}};
    auto values = read_values(weight, raster, call.part(0.35, 0.4, "reading weights"));
    std::size_t missing = 0, first = off_grid;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (flow.directions[i] == no_terrain || std::isfinite(values[i])) continue;
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

// V: std::uint64_t for plain cell counts, double for areas and weights. in_unit(sum of a cell, cell): in the unit.
template <class V, class InUnit>
void write_flow(gdalmcp::call& call, const gdal_raster& raster, const accumulation<V>& flow,
                const grid<std::uint8_t>& directions, InUnit in_unit) {
    using stored = std::conditional_t<std::is_same_v<V, double>, double, std::uint32_t>;
    constexpr auto type = gdal_type<stored>();
    constexpr stored none = std::is_same_v<V, double> ? std::numeric_limits<stored>::quiet_NaN() : stored{};
    const auto edge = call[edges].value;
    const int bands = edge == "keep" ? 2 : 1;
    gdal_output written{call[output].path, raster, type, bands};
    written.nodata(static_cast<double>(none));
    written.band(1).SetDescription("flow accumulation");
    written.band(1).SetUnitType(unit_label(call).c_str());
    if (bands == 2) written.band(2).SetDescription("edge contamination, 1 = may miss inflow");
    written.write_rows<stored>(1, call.part(0.8, 0.95, "writing"), [&](std::size_t row, stored* to) {
        for (std::size_t c = 0; c < directions.width(); ++c) {
            const auto i = row * directions.width() + c;
            const bool left_out = directions[i] == no_terrain || (edge == "nodata" && flow.contaminated[i]);
            to[c] = left_out ? none : static_cast<stored>(in_unit(flow.values[i], i));
        }
    });
    if (bands == 2) written.write(2, flow.contaminated, call.part(0.95, 1, "writing"));
    written.close();
    expect_grid(call, raster, type, bands);
    call.put(dtype, GDALGetDataTypeName(type));
}

template <class V, class InUnit>
void accumulate_and_write(gdalmcp::call& call, const gdal_raster& raster, const flow_grid& flow, grid<V> own,
                          InUnit in_unit) {
    const auto tick = call.part(0.4, 0.75, "accumulating");
    const auto found = [&] {
        if constexpr (std::is_same_v<V, double>)
            if (flow.shares_at)
                return accumulate_shares(flow.shares_at, terrain_of(flow.directions), std::move(own), tick);
        return accumulate(flow.directions, std::move(own), tick);
    }();
    require_sound(raster, found);
    std::size_t most = off_grid;
    double greatest = 0;
    for (std::size_t i = 0; i < found.values.size(); ++i) {
        if (flow.directions[i] == no_terrain) continue;
        const auto value = static_cast<double>(in_unit(found.values[i], i));
        if (most != off_grid && value <= greatest) continue;
        greatest = value;
        most = i;
    }
    const auto [x, y] = raster.centre(raster.extent().row(most), raster.extent().column(most));
    call.put(maximum, greatest);
    call.put(maximum_at, {x, y});
    call.put(outlets, static_cast<std::int64_t>(found.outlets));
    call.put(undrained_cells, static_cast<std::int64_t>(flow.undrained));
    const auto share = static_cast<double>(found.contaminated_cells) / static_cast<double>(flow.cells);
    call.put(contaminated_share, share);
    const double per_sum = call[unit].value == "km2" ? 1e-6 : 1;
    call.at(conservation).put(contributed, static_cast<double>(found.contributed) * per_sum);
    call.at(conservation).put(discharged, static_cast<double>(found.discharged) * per_sum);
    write_flow(call, raster, found, flow.directions, in_unit);
    call.say("Accumulated " + std::to_string(flow.cells) + " cells; the greatest value is " +
             gdalmcp::gdal::number_text(greatest) + " " + unit_label(call) + " at x " + gdalmcp::gdal::number_text(x) +
             ", y " + gdalmcp::gdal::number_text(y) + ".");
}

// Multiple flow is eight bands that are read together; of everything else one is.
gdal_raster open_flow(const gdalmcp::call& call) {
    if (call[band]) return {call[uri], call[band]};
    const gdal_raster first{call[uri], 1};
    return {call[uri], first.tag(method_tag) == "mfd" ? std::optional<std::int64_t>{1} : std::nullopt};
}

void run(gdalmcp::call& call) {
    const auto raster = open_flow(call);
    const auto wanted = call[unit].value;
    const auto measured = measure_cells(raster);
    const bool from_dem = call[method] && !call[codes] && raster.tag(method_tag).empty();
    const auto stated = call[method] ? std::optional{call[method]->value} : std::nullopt;
    const auto flow = from_dem ? direct(call, raster, measured.sizes)
                               : read_flow(call, raster, stated, measured.sizes, call.part(0, 0.3, "reading"));
    if (!measured.note.empty() && (wanted != "cells" || from_dem)) call.warn(measured.note);
    if (flow.undrained > 0)
        call.warn(
            std::to_string(flow.undrained) +
            " cells have no way down and keep what reaches them: run hydro_condition before directing flow if they "
            "should drain");
    fields.put(call, raster, flow.cells);
    call.put(fields.nodata_holes, flow.holes);
    call.put(unit_used, unit_label(call));

    const auto same = [](auto sum, std::size_t) { return sum; };
    if (wanted == "cells" && !call.given(weights) && !flow.shares_at) {
        accumulate_and_write(call, raster, flow, grid<std::uint64_t>{}, same);
        return;
    }
    const true_areas areas{raster, measured.sizes};
    auto own = contributions(call, raster, areas, flow);
    if (wanted == "km2")
        accumulate_and_write(call, raster, flow, std::move(own), [](double m2, std::size_t) { return m2 / 1e6; });
    else if (wanted == "sca")
        accumulate_and_write(call, raster, flow, std::move(own),
                             [&](double m2, std::size_t cell) { return m2 / std::sqrt(areas.of(cell)); });
    else
        accumulate_and_write(call, raster, flow, std::move(own), same);
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "hydro_flow_accumulation",
     .title = "Flow accumulation",
     .about = "Contributing cells or true area upstream of each cell. Report no area where the second band is 1.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, method, codes, weights, unit, edges, holes, band, output, overwrite},
    {fields.crs.all, fields.width, fields.height, fields.terrain_cells, fields.nodata_holes, unit_used, dtype, maximum,
     maximum_at, outlets, undrained_cells, contaminated_share, conservation}};

}  // namespace gdalmcp_hydrology::hydro_flow_accumulation
