#include "d8.hpp"
#include "encoding.hpp"
#include "terrain.hpp"
#include "tools.hpp"

namespace gdalmcp_hydrology {
namespace {

const auto uri = gdalmcp::standard::described(
    gdalmcp::standard::raster_uri,
    "DEM without depressions (from hydro_condition): path, file:// or query://result/{id}.");

const gdalmcp::arg<gdalmcp::choice> method{
    .name = "method", .about = "d8: all flow to the neighbour with the steepest drop.", .values = {"d8"}};

const gdalmcp::arg<gdalmcp::choice> codes{
    .name = "encoding",
    .about =
        "Codes for E, SE, S, SW, W, NW, N, NE. esri: 1 2 4 8 16 32 64 128; whitebox: 2 4 8 16 32 64 128 1; taudem: 1 8 "
        "7 6 5 4 3 2; grass: 8 7 6 5 4 3 2 1.",
    .fallback = gdalmcp::choice{"esri"},
    .values = {"esri", "whitebox", "taudem", "grass"}};

const terrain_fields fields;
const gdalmcp::field<std::string> encoding_used{"encoding", "Encoding of the codes: esri, whitebox, taudem or grass"};
const gdalmcp::field<std::int64_t> nodata{"nodata", "Value of cells without terrain"};
const gdalmcp::field<std::int64_t> flats{"flats_resolved", "Flats that drain, each a connected region of equal height"};
const gdalmcp::field<std::int64_t> flat_cells{
    "flat_cells_resolved", "Cells of these without a lower neighbour, directed across the flat to its outlet", "cells"};
const gdalmcp::field<std::int64_t> undrained_cells{
    "undrained_cells", "Cells with no way down: floors of depressions that were not removed", "cells"};

void write_codes(gdalmcp::call& call, const gdal_raster& dem, const grid<std::uint8_t>& directions, encoding code,
                 const std::string& holes_used) {
    const auto type = code == encoding::esri ? GDT_Byte : GDT_Int16;
    gdal_output written{call[output].path, dem, type, 1};
    grid<std::int16_t> values{directions.extent(), static_cast<std::int16_t>(nodata_of(code))};
    for (std::size_t i = 0; i < directions.size(); ++i) {
        if (directions[i] == no_terrain) continue;
        bool leaves = false;
        if (directions[i] != undrained) {
            const auto n = directions.extent().neighbour(i, directions[i]);
            leaves = n == off_grid || directions[n] == no_terrain;
        }
        values[i] = static_cast<std::int16_t>(encode(code, directions[i], leaves));
    }
    written.nodata(nodata_of(code));
    written.band(1).SetDescription(("flow direction, d8, " + std::string{name_of(code)}).c_str());
    written.tag({{encoding_tag, std::string{name_of(code)}}, {method_tag, "d8"}});
    if (holes_used != "none") written.tag({{holes_tag, holes_used}});
    written.write(1, values, call.part(0.85, 1, "writing"));
    written.close();
    expect_grid(call, dem, type, 1);
}

template <class T>
void direct(gdalmcp::call& call, const gdal_raster& dem) {
    const auto measured = measure_cells(dem);
    if (!measured.note.empty()) call.warn(measured.note);
    const auto surface = dem.read<T>(call.part(0, 0.15, "reading"));
    const auto use = survey(call, dem, read_valid(dem, surface));
    d8_report report;
    const auto directions = d8(surface, use.land, measured.sizes, report, call.part(0.15, 0.85, "directing"));
    if (report.undrained > 0)
        call.warn(
            std::to_string(report.undrained) +
            " cells have no way down and are coded 0: flow ends there; run hydro_condition first if it should not");

    const auto code = *encoding_named(call[codes].value);
    fields.put(call, dem, use.cells);
    call.put(fields.nodata_holes, use.holes);
    call.put(encoding_used, std::string{name_of(code)});
    call.put(nodata, nodata_of(code));
    call.put(flats, static_cast<std::int64_t>(report.flats_resolved));
    call.put(flat_cells, static_cast<std::int64_t>(report.flat_cells_resolved));
    call.put(undrained_cells, static_cast<std::int64_t>(report.undrained));
    write_codes(call, dem, directions, code, use.holes);
    call.say("Directed " + std::to_string(use.cells) + " cells (d8, " + std::string{name_of(code)} + " codes); " +
             std::to_string(report.flat_cells_resolved) + " of them across flats, " + std::to_string(report.undrained) +
             " undrained.");
}

void run(gdalmcp::call& call) {
    const gdal_raster dem{call[uri], call[band]};
    dem.require_heights();
    if (!dem.tag(encoding_tag).empty())
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            dem.path() + " is tagged as flow directions (" + dem.tag(encoding_tag) + "), not as heights",
            "give the DEM; hydro_flow_accumulation takes the directions as they are"};
    with_type(dem.type(), [&](auto zero) { direct<decltype(zero)>(call, dem); });
}

}  // namespace

const gdalmcp::tool hydro_flow_direction{
    {.name = "hydro_flow_direction",
     .title = "Flow directions",
     .about = "Flow directions of a DEM without depressions. Flats drain towards lower and away from higher terrain "
              "(Barnes 2014). Directions are labels: never resample or reproject them.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, method, codes, holes, band, output, overwrite},
    {fields.crs.all, fields.width, fields.height, fields.terrain_cells, fields.nodata_holes, encoding_used, nodata,
     flats, flat_cells, undrained_cells}};

}  // namespace gdalmcp_hydrology
