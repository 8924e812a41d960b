#include <utility>

#include "d8.hpp"
#include "flow_grid.hpp"
#include "flow_path.hpp"
#include "terrain.hpp"
#include "tools.hpp"

namespace gdalmcp_hydrology::hydro_flow_direction {
namespace {

const auto uri =
    gdalmcp::standard::described(gdalmcp::standard::raster_uri, "DEM without depressions (from hydro_condition).");

const gdalmcp::arg<gdalmcp::choice> method{
    .name = "method",
    .about =
        "d8: all to the steepest drop; dinf: an angle, shared by two neighbours (Tarboton 1997); mfd: shares of all "
        "lower neighbours, 8 bands E, SE, ... NE (Freeman 1991).",
    .values = {"d8", "dinf", "mfd"},
    .synonyms = {{"d_infinity", "dinf"}, {"d-infinity", "dinf"}}};

const gdalmcp::arg<std::optional<gdalmcp::choice>> written_codes{
    .name = "encoding",
    .about =
        "d8: esri (default; E = 1, clockwise, doubling), whitebox, grass (NE = 1), taudem (E = 1, counter-clockwise, "
        "by one). dinf: taudem (default; radians from east), whitebox (degrees from north).",
    .values = {"esri", "whitebox", "taudem", "grass"}};

const gdalmcp::arg<std::optional<double>> exponent{
    .name = "exponent", .about = "mfd: power of the slope. Default: 1.1.", .max = 100.0, .above = 0.0};

const terrain_fields fields;
const gdalmcp::field<std::string> encoding_used{"encoding", "Encoding: esri, whitebox, taudem, grass, or shares (mfd)"};
const gdalmcp::field<std::int64_t> nodata{"nodata", "Value of cells without terrain"};
const gdalmcp::field<std::int64_t> flats{"flats_resolved",
                                         "Flats that drain: connected cells of one height without a lower neighbour"};
const gdalmcp::field<std::int64_t> flat_cells{
    "flat_cells_resolved", "Cells of these without a lower neighbour, directed across the flat to its outlet", "cells"};
const gdalmcp::field<std::int64_t> undrained_cells{
    "undrained_cells", "Cells with no way down: floors of depressions that were not removed", "cells"};

std::string encoding_name(const gdalmcp::call& call) {
    const auto way = call[method].value;
    const auto given = call[written_codes];
    if (way != "mfd" && call.given(exponent))
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "exponent is given, but method is " + way, "leave exponent out"};
    if (way == "mfd" && given)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "encoding is given, but mfd writes shares",
                             "leave encoding out"};
    if (way == "dinf" && given && given->value != "taudem" && given->value != "whitebox")
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "encoding is " + given->value + ", but method is dinf",
                             "give taudem (radians) or whitebox (degrees)"};
    return way == "mfd" ? "shares" : given ? given->value : way == "dinf" ? "taudem" : "esri";
}

// An output with what all methods declare about it.
gdal_output open_output(gdalmcp::call& call, const gdal_raster& dem, GDALDataType type, int bands, double no_data,
                        const std::string& holes_used) {
    const auto way = call[method].value, code = encoding_name(call);
    gdal_output written{call[output].path, dem, type, bands};
    written.nodata(no_data);
    written.band(1).SetDescription(("flow direction, " + way + ", " + code).c_str());
    written.tag({{encoding_tag, code},
                 {method_tag, way},
                 {gdalmcp_datasets::flow_grid_tag, gdalmcp_datasets::flow_grid_text(dem.on())}});
    if (holes_used != "none") written.tag({{holes_tag, holes_used}});
    expect_grid(call, dem, type, bands);
    return written;
}

template <class stored>
void write_codes(gdalmcp::call& call, const gdal_raster& dem, const grid<std::uint8_t>& directions, encoding code,
                 const std::string& holes_used) {
    const auto& extent = directions.extent();
    auto written = open_output(call, dem, gdal_type<stored>(), 1, nodata_of(code), holes_used);
    written.template write_rows<stored>(1, call.part(0.85, 1, "writing"), [&](std::size_t row, stored* to) {
        for (std::size_t c = 0; c < extent.width; ++c) {
            const auto i = row * extent.width + c;
            const bool leaves = directions[i] < undrained && receiver(directions, i) == off_grid;
            const int value = directions[i] == no_terrain ? nodata_of(code) : encode(code, directions[i], leaves);
            to[c] = static_cast<stored>(value);
        }
    });
    written.close();
}

template <class T>
void write_angles(gdalmcp::call& call, const gdal_raster& dem, const grid<T>& surface,
                  const grid<std::uint8_t>& directions, const cell_sizes& sizes, const std::string& holes_used) {
    const auto angles = d_infinity(surface, directions, sizes, call.part(0.6, 0.85, "angles"), whole_team());
    const bool degrees = encoding_name(call) == "whitebox";
    auto written = open_output(call, dem, GDT_Float32, 1, angle_nodata, holes_used);
    written.band(1).SetUnitType(degrees ? "degree" : "radian");
    written.write_rows<float>(1, call.part(0.85, 1, "writing"), [&](std::size_t row, float* to) {
        for (std::size_t c = 0; c < angles.width(); ++c) {
            const float angle = angles(row, c);
            to[c] = angle == no_angle ? angle_nodata : degrees ? to_degrees(angle) : angle;
        }
    });
    written.close();
}

template <class T>
void write_shares(gdalmcp::call& call, const gdal_raster& dem, const grid<T>& surface,
                  const grid<std::uint8_t>& directions, const cell_sizes& sizes, const std::string& holes_used) {
    const double power = call[exponent].value_or(default_exponent);
    const auto all = multiple_flow(surface, directions, sizes, power, call.part(0.6, 0.8, "shares"), whole_team());
    auto written = open_output(call, dem, GDT_Float32, 8, angle_nodata, holes_used);
    written.tag({{"GDALMCP_FLOW_EXPONENT", gdalmcp::gdal::number_text(power)}});
    constexpr std::array names{"E", "SE", "S", "SW", "W", "NW", "N", "NE"};
    for (std::size_t d = 0; d < 8; ++d) {
        const double from = 0.8 + 0.025 * static_cast<double>(d);
        if (d > 0)
            written.band(static_cast<int>(d) + 1).SetDescription(("flow share, " + std::string{names[d]}).c_str());
        written.write_rows<float>(static_cast<int>(d) + 1, call.part(from, from + 0.025, "writing"),
                                  [&](std::size_t row, float* to) {
                                      for (std::size_t c = 0; c < directions.width(); ++c) {
                                          const auto i = row * directions.width() + c;
                                          to[c] = directions[i] == no_terrain ? angle_nodata : all[i][d];
                                      }
                                  });
    }
    written.close();
}

template <class T>
void direct(gdalmcp::call& call, const gdal_raster& dem) {
    const auto way = call[method].value, code = encoding_name(call);
    const auto measured = measure_cells(dem);
    if (!measured.note.empty()) call.warn(measured.note);
    auto [surface, valid] = dem.read<T>(call.part(0, 0.15, "reading"));
    const auto use = survey(call, dem, std::exchange(valid, {}));
    warn_of_look(call, dem, look_of(surface, use.land, whole_team()));
    d8_report report;
    const auto directions =
        d8(surface, use.land, measured.sizes, report, call.part(0.15, 0.6, "directing"), whole_team());
    if (report.undrained > 0)
        call.warn(std::to_string(report.undrained) +
                  " cells have no way down: flow ends there; run hydro_condition first if it should not");
    fields.put(call, dem, use.cells);
    call.put(fields.nodata_holes, use.holes);
    call.put(encoding_used, code);
    call.put(nodata, way == "d8" ? nodata_of(*encoding_named(code)) : static_cast<std::int64_t>(angle_nodata));
    call.put(flats, static_cast<std::int64_t>(report.flats_resolved));
    call.put(flat_cells, static_cast<std::int64_t>(report.flat_cells_resolved));
    call.put(undrained_cells, static_cast<std::int64_t>(report.undrained));
    if (way == "d8") {
        const auto codes = *encoding_named(code);
        codes == encoding::esri ? write_codes<std::uint8_t>(call, dem, directions, codes, use.holes)
                                : write_codes<std::int16_t>(call, dem, directions, codes, use.holes);
    }
    if (way == "dinf") write_angles(call, dem, surface, directions, measured.sizes, use.holes);
    if (way == "mfd") write_shares(call, dem, surface, directions, measured.sizes, use.holes);
    call.say("Directed " + std::to_string(use.cells) + " cells (" + way + ", " + code + "); " +
             std::to_string(report.flat_cells_resolved) + " of them across flats, " + std::to_string(report.undrained) +
             " undrained.");
}

void run(gdalmcp::call& call) {
    const gdal_raster dem{call[uri], call[band]};
    dem.require_heights();
    warn_of_heights(call, dem);
    in_memory(dem, [&] { with_type(dem.type(), [&](auto zero) { direct<decltype(zero)>(call, dem); }); });
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "hydro_flow_direction",
     .title = "Flow directions",
     .about = "Flow directions of a DEM without depressions. Flats drain towards lower and away from higher terrain "
              "(Barnes 2014).",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, method, written_codes, exponent, holes, band, output, overwrite},
    {fields.crs.all, fields.width, fields.height, fields.terrain_cells, fields.nodata_holes, encoding_used, nodata,
     flats, flat_cells, undrained_cells}};

}  // namespace gdalmcp_hydrology::hydro_flow_direction
