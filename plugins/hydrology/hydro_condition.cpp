#include <utility>

#include "conditioning.hpp"
#include "gdal_tiled_conditioning.hpp"
#include "memory_room.hpp"
#include "tools.hpp"

namespace gdalmcp_hydrology::hydro_condition {
namespace {

const auto uri = gdalmcp::standard::described(gdalmcp::standard::raster_uri, "DEM, heights in one band.");

const gdalmcp::arg<bool> epsilon{
    .name = "epsilon",
    .about = "Tilt flats towards their outlet by the type's smallest step; needs a floating-point DEM.",
    .fallback = false};

const terrain_fields fields;
const gdalmcp::field<std::string> height_unit{"height_unit", "Unit of the heights; 'unknown' if the DEM declares none"};
const gdalmcp::field<std::int64_t> cells_raised{"cells_raised", "Cells whose height was raised", "cells"};
const gdalmcp::field<std::int64_t> breached_pits{"breached", "Pits drained by a cut"};
const gdalmcp::field<std::int64_t> unbreached_pits{"unbreached", "Pits that no cut within the limits drains"};
const gdalmcp::field<std::int64_t> cells_lowered{"cells_lowered", "Cells in cuts", "cells"};
const gdalmcp::field<double> deepest_cut{"deepest_cut", "In the height unit"};
const gdalmcp::field<double> longest_cut{"longest_cut_m", "Along its path", "m"};
const auto cuts = gdalmcp::record{
    "cuts",
    "Of breach and hybrid; counts pits, of which a depression may have several",
    {breached_pits, unbreached_pits, cells_lowered, deepest_cut,
     longest_cut}}.optional();
const gdalmcp::field<std::int64_t> no_outlet{
    "cells_without_outlet", "Terrain enclosed by missing data: it drains nowhere and was left as it is", "cells"};

const gdalmcp::field<std::int64_t> count{"count", "Depressions found: connected regions below their spill level"};
const gdalmcp::field<std::int64_t> left{"left", "Depressions of the output: deeper than max_depth, or not breached"};
const gdalmcp::field<std::int64_t> cells{"cells", "Cells in depressions", "cells"};
const gdalmcp::field<double> area{"area_m2", "True area of all depressions", "m2"};
const auto volume =
    gdalmcp::field<double>{"volume_m3",
                           "Volume between terrain and spill levels; absent when the height unit is unknown", "m3"}
        .optional();
const auto raw_volume =
    gdalmcp::field<double>{"volume_height_unit_m2", "The same in height units times square metres"}.measured();
const gdalmcp::field<double> deepest{"deepest", "Greatest depth below a spill level, in the height unit"};
const auto deepest_at =
    gdalmcp::field<std::vector<double>>{
        "deepest_at", "x and y of that cell's centre, in the result's CRS; absent when there is no depression"}
        .optional();
const gdalmcp::record depressions{"depressions",
                                  "The depressions of the DEM as it was given",
                                  {count, left, cells, area, volume, raw_volume, deepest, deepest_at}};

// The value written for cells without a height, where there are any: the DEM's own nodata value, else NaN, else the
// lowest value of the type.
template <class T>
class written_nodata {
public:
    // needed: the DEM has cells without a height.
    written_nodata(const gdal_raster& dem, bool needed) : dem_{dem} {
        int has = 0;
        const double own = dem.band().GetNoDataValue(&has);
        declared_ = has != 0;
        if (declared_)
            value_ = static_cast<T>(own);
        else if (needed)
            value_ =
                std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::lowest();
    }

    // Fails the call where a height is the value. surface: or a tile of it; terrain(cell): it has a height.
    template <class Terrain>
    void put(grid<T>& surface, Terrain&& terrain) const {
        if (!value_) return;
        for (std::size_t i = 0; i < surface.size(); ++i) {
            if (!terrain(i))
                surface[i] = *value_;
            else if (!declared_ && surface[i] == *value_)
                throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                     dem_.path() + " masks cells but declares no nodata value, and " +
                                         std::to_string(*value_) + " is a height in it",
                                     "give it a nodata value with raster_convert first"};
        }
    }
    const std::optional<T>& value() const { return value_; }

private:
    const gdal_raster& dem_;
    bool declared_ = false;
    std::optional<T> value_;
};

template <class T>
gdal_output create_surface(const gdalmcp::call& call, const gdal_raster& dem, const written_nodata<T>& nodata,
                           const std::string& meaning_of_holes) {
    gdal_output written{call[output].path, dem, dem.type(), 1, true};
    if (nodata.value()) written.nodata(static_cast<double>(*nodata.value()));
    gdalmcp_datasets::copy_meaning(dem.band(), written.band(1), {.palette = false, .classes = false});
    if (meaning_of_holes != "none") written.tag({{holes_tag, meaning_of_holes}});
    return written;
}

void put_depressions(gdalmcp::call& call, const gdal_raster& dem, const fill_report& report) {
    const auto unit = dem.height_unit();
    const auto metres = metres_of(unit);
    if (unit.empty())
        call.warn("the DEM declares no height unit: depths are in its own unit, no volume in m3 is given");
    else if (!metres)
        call.warn("the height unit '" + unit + "' is unknown: no volume in m3 is given");
    call.put(height_unit, unit.empty() ? "unknown" : unit);
    auto at = call.at(depressions);
    at.put(count, static_cast<std::int64_t>(report.depressions));
    at.put(left, static_cast<std::int64_t>(report.depressions_left));
    at.put(cells, static_cast<std::int64_t>(report.cells_in_depressions));
    at.put(area, report.area);
    at.put(raw_volume, report.volume * dem.scale());
    if (metres) at.put(volume, report.volume * dem.scale() * *metres);
    at.put(deepest, report.deepest * dem.scale());
    if (report.deepest_cell == off_grid) return;
    const auto [x, y] = dem.centre(dem.extent().row(report.deepest_cell), dem.extent().column(report.deepest_cell));
    at.put(deepest_at, {x, y});
}

void put_cuts(gdalmcp::call& call, const breach_report& report, double scale) {
    auto at = call.at(cuts);
    at.put(breached_pits, static_cast<std::int64_t>(report.pits - report.left));
    at.put(unbreached_pits, static_cast<std::int64_t>(report.left));
    at.put(cells_lowered, static_cast<std::int64_t>(report.cells_lowered));
    at.put(deepest_cut, report.deepest * scale);
    at.put(longest_cut, report.longest);
}

void check_arguments(const gdalmcp::call& call) {
    check_conditioning(call);
    if (call[conditioning].value == "breach" && call[epsilon])
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "epsilon is true, but breach raises no cell",
                             "leave epsilon out (hydro_flow_direction resolves flat cuts), or use hybrid"};
}

void put_report(gdalmcp::call& call, const gdal_raster& dem, const fill_report& report, std::size_t cells,
                const std::string& meaning_of_holes) {
    fields.put(call, dem, cells, true);
    call.put(fields.nodata_holes, meaning_of_holes);
    call.put(cells_raised, static_cast<std::int64_t>(report.cells_changed));
    call.put(no_outlet, static_cast<std::int64_t>(report.cells_without_outlet));
    put_depressions(call, dem, report);
    expect_grid(call, dem, dem.type(), 1, true);
}

std::string in_words(const gdalmcp::call& call, const fill_report& report, std::size_t cells) {
    return call[conditioning].value + ": " + std::to_string(report.depressions) + " depressions, " +
           std::to_string(report.depressions_left) + " left; " + std::to_string(report.cells_changed) + " of " +
           std::to_string(cells) + " cells raised.";
}

template <class T>
void condition_in_memory(gdalmcp::call& call, const gdal_raster& dem, const cell_sizes& sizes) {
    auto [surface, valid] = dem.read<T>(call.part(0, 0.15, "reading"));
    const auto use = survey(call, dem, std::exchange(valid, {}));
    const auto done = condition_surface(call, dem, surface, use, sizes, call[epsilon], 0.15, 0.8);
    if (done.cuts) put_cuts(call, *done.cuts, dem.scale());
    const written_nodata<T> nodata{dem, use.cells < dem.extent().size()};
    nodata.put(surface, [&](std::size_t cell) { return use.land[cell] == footprint::terrain; });
    auto written = create_surface(call, dem, nodata, use.holes);
    written.write(1, surface, call.part(0.85, 1, "writing"));
    written.close();
    put_report(call, dem, done.filled, use.cells, use.holes);
    call.say(in_words(call, done.filled, use.cells));
}

template <class T>
void fill_by_tiles(gdalmcp::call& call, const gdal_raster& dem, const cell_sizes& sizes, std::uint64_t room) {
    limit_block_cache(std::int64_t{64} << 20);
    const auto tiles = tiles_within(dem.extent(), tiled_fill_bytes<T>, room);
    const auto deepest = greatest_depth(call, dem);
    tiled_conditioning<T> work{dem, sizes, tiles, deepest, whole_team().threads};
    work.survey(call.part(0, 0.1, "reading"));
    const auto meaning = meaning_of_holes(call, dem, work.found_holes());
    const auto cells = work.terrain_cells();
    require_terrain(dem, cells);
    work.find_levels(meaning == "missing" ? nodata_holes::missing : nodata_holes::outlet,
                     call.part(0.1, 0.55, "finding levels"));
    const written_nodata<T> nodata{dem, cells < dem.extent().size()};
    auto written = create_surface(call, dem, nodata, meaning);
    const auto write = [&](const placed_tile& tile, grid<T>& heights, const grid<std::uint8_t>& valid) {
        nodata.put(heights, [&](std::size_t cell) { return valid[cell] != 0; });
        written.write(1, tile, heights);
    };
    if (deepest) {
        work.fill(call.part(0.55, 0.75, "measuring"), [](const auto&...) {});
        work.fill_but_deep(call.part(0.75, 1, "filling"), write);
    } else {
        work.fill(call.part(0.55, 1, "filling"), write);
    }
    written.close();
    warn_of_enclosed(call, work.report().cells_without_outlet);
    put_report(call, dem, work.report(), cells, meaning);
    call.say(in_words(call, work.report(), cells) + " The DEM does not fit in memory and was filled in " +
             std::to_string(tiles.count()) + " tiles.");
}

template <class T>
void condition(gdalmcp::call& call, const gdal_raster& dem) {
    if (call[epsilon] && !std::is_floating_point_v<T>)
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            "epsilon adds a gradient, but " + dem.path() + " holds whole numbers (" + GDALGetDataTypeName(dem.type()) +
                ")",
            "leave epsilon out (hydro_flow_direction resolves flats), or convert the DEM to Float32 with "
            "raster_convert first"};
    const auto measured = measure_cells(dem);
    if (!measured.note.empty()) call.warn(measured.note);
    const auto room = memory_room();
    const bool by_tiles = call[conditioning].value == "fill" && !call[epsilon];
    if (by_tiles && !fits_in_memory(dem.extent(), fill_bytes<T>, room))
        fill_by_tiles<T>(call, dem, measured.sizes, room);
    else
        in_memory(dem, [&] { condition_in_memory<T>(call, dem, measured.sizes); });
}

void run(gdalmcp::call& call) {
    const gdal_raster dem{call[uri], call[band]};
    dem.require_heights();
    warn_of_heights(call, dem);
    check_arguments(call);
    with_type(dem.type(), [&](auto zero) { condition<decltype(zero)>(call, dem); });
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "hydro_condition",
     .title = "Remove depressions",
     .about =
         "Removes the depressions of a DEM before flow directions, and reports them. Filling drains lakes and "
         "quarries too (keep deep ones with max_depth) and drowns valleys behind embankments, which breaching cuts.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, conditioning, epsilon, max_depth, max_length, holes, band, output, overwrite},
    {fields.crs.all, fields.width, fields.height, fields.terrain_cells, fields.nodata_holes, height_unit, cells_raised,
     cuts, no_outlet, depressions}};

}  // namespace gdalmcp_hydrology::hydro_condition
