#include <gdalmcp/gdal_geometry.hpp>

#include "arguments.hpp"
#include "datasets/gdal_cell_size.hpp"
#include "gdal_ground.hpp"
#include "least_cost.hpp"
#include "raster/gdal_amounts.hpp"
#include "raster/gdal_sample_points.hpp"
#include "tools.hpp"

namespace gdalmcp_raster_more::raster_cost {
namespace {

constexpr double none = -9999;
constexpr double max_cells = 20e6;           // held in memory, some 40 bytes each
constexpr std::size_t max_vertices = 1'000;  // of all ways shown

const auto costs = standard::described(uri, "Cost of a metre in each cell, 0 or more; nodata is a barrier.");
const arg<gdalmcp::geometry> sources{
    .name = "geometry", .about = "Where travel starts: a GeoJSON Point or MultiPoint, or a dataset of points."};
const arg<std::optional<gdalmcp::geometry>> targets{
    .name = "targets", .about = "Points, given likewise: the least-cost way to each is shown."};
const arg<std::optional<std::vector<double>>> barriers{.name = "barriers",
                                                       .about = "Values of further cells not to be crossed.",
                                                       .min_items = 1,
                                                       .max_items = 1000,
                                                       .or_single = true};

const field<double> nodata{"nodata", "Of barriers and cells that cannot be reached"};
const field<std::int64_t> source_count{"source_count", "Cells where travel starts", "cells"};
const field<std::int64_t> barrier_count{"barrier_count", "Cells without a cost, or barriers", "cells"};
const field<std::int64_t> unreached_count{"unreached_count", "Other cells that cannot be reached", "cells"};
const field<std::vector<double>> target_place{"target", "[x, y] in 'crs', as given"};
const field<bool> reached{"reached", "Whether there is a way"};
const auto way_cost = field<double>{"cost", "Of the way; absent if there is none"}.optional();
const auto way_length = field<double>{"length_m", "On the ground, between cell centres", "m"}.measured().optional();
const auto way_line = field<gdalmcp::json_text>{"way", "GeoJSON, longitude and latitude"}.optional();
const auto ways =
    gdalmcp::table{"ways", "With 'targets'", {target_place, reached, way_cost, way_length, way_line}}.optional();

struct travel_point {
    double x = 0, y = 0;
    std::size_t cell = 0;
};

void points_of(const OGRGeometry& shape, std::vector<travel_point>& into, const char* argument) {
    if (wkbFlatten(shape.getGeometryType()) == wkbPoint) {
        into.push_back({shape.toPoint()->getX(), shape.toPoint()->getY(), 0});
    } else if (OGR_GT_IsSubClassOf(wkbFlatten(shape.getGeometryType()), wkbGeometryCollection) &&
               wkbFlatten(shape.getGeometryType()) != wkbMultiPolygon) {
        for (const auto* part : *shape.toGeometryCollection()) points_of(*part, into, argument);
    } else {
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::string{"'"} + argument + "' holds a " + shape.getGeometryName() + ", and points are needed",
                    "give points"};
    }
}

std::vector<travel_point> placed(gdalmcp::call& call, const gdalmcp::geometry& given, const char* argument,
                                 const grid& on, const travel_costs& over) {
    const auto shape = gdal::place_geometry(given, call[standard::geometry_crs], {on.crs, on.extent()});
    shape.tell(call);
    std::vector<travel_point> all;
    points_of(*shape.shape, all, argument);
    for (auto& p : all) {
        const auto where =
            "the point " + gdal::coordinate_text(p.x) + ", " + gdal::coordinate_text(p.y) + " of '" + argument + "' ";
        const auto cell = cell_of(on, p.x, p.y);
        if (!cell)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        where + "is not on the raster, which extends over " + gdal::extent_text(on.extent(), on.crs),
                        "give points on the raster"};
        p.cell = static_cast<std::size_t>(cell->row) * static_cast<std::size_t>(on.width) +
                 static_cast<std::size_t>(cell->column);
        if (std::isnan(over.per_metre[p.cell]))
            throw error{GDALMCP_INVALID_ARGUMENT, where + "lies on a barrier or a cell without data",
                        "move it to an open cell"};
    }
    return all;
}

// Of speeds, the least sum leads through the slowest cells.
void warn_of_speed(gdalmcp::call& call, const std::string& path, GDALRasterBand& band) {
    const std::string unit = band.GetUnitType();
    static const std::set<std::string> speeds{"km/h", "kmh", "km h-1", "kph",   "m/s",  "m s-1",
                                              "mph",  "kn",  "kt",     "knots", "ft/s", "m/min"};
    if (speeds.contains(CPLString{unit}.tolower()))
        call.warn(path + " is in " + unit +
                  ", a speed, so the cheapest ways lead through the slowest cells: give the "
                  "time of a metre, 1 / A of raster_calc");
}

// Sides of the cells on the ground: by the unit of a CRS that is true within 1 %, else on the ellipsoid row by row.
std::vector<row_size> row_sizes(gdalmcp::call& call, const std::string& path, const grid& on) {
    require_upright(path, on);
    if (on.crs.IsEmpty())
        throw error{GDALMCP_INVALID_ARGUMENT, path + " has no CRS, so the size of its cells is unknown",
                    "state it with raster_reproject and 'src_crs'"};
    const auto rows = static_cast<std::size_t>(on.height);
    if (on.crs.IsLocal()) {
        std::vector<std::string> notes;
        const double metre = ground_metres(path, on, notes);
        for (const auto& n : notes) call.warn(n);
        return std::vector<row_size>(rows, {on.cell_width() * metre, on.cell_height() * metre});
    }
    if (const auto ratios = length_ratios(on); ratios && (*ratios)[0] >= 0.99 && (*ratios)[1] <= 1.01) {
        const double metre = on.crs.GetLinearUnits();
        return std::vector<row_size>(rows, {on.cell_width() * metre, on.cell_height() * metre});
    }
    const auto ruler = cell_ruler::of(on);
    std::vector<row_size> sizes;
    for (int row = 0; row < on.height; ++row) {
        const auto size = ruler ? ruler->size(on.width / 2, row) : std::nullopt;
        if (!size)
            throw error{GDALMCP_UNSUPPORTED,
                        "the cells of row " + std::to_string(row) + " of " + path + " have no length in " +
                            gdal::crs_label(on.crs),
                        "reproject the raster to a projected CRS with raster_reproject"};
        sizes.push_back({size->width, size->height});
    }
    call.warn("each row has its true cell size on the ellipsoid, measured in the middle column");
    if (const double turn = 2 * 3.14159265358979323846 / on.crs.GetAngularUnits();
        std::abs(on.extent().MaxX - on.extent().MinX - turn) < on.cell_width() / 2)
        call.warn(
            "the grid goes around the Earth, but no way leads across its western and eastern edge: where they matter, "
            "cut out a grid that has them inside");
    return sizes;
}

travel_costs read_costs(gdalmcp::call& call, GDALRasterBand& band, const grid& on, const std::string& path) {
    travel_costs over{std::vector<double>(static_cast<std::size_t>(on.width) * static_cast<std::size_t>(on.height)),
                      on.width, on.height, row_sizes(call, path, on)};
    auto closed = call[barriers].value_or(std::vector<double>{});
    std::sort(closed.begin(), closed.end());
    const double scale = band.GetScale(), offset = band.GetOffset();
    gdal::block_job job;
    job.infinite_missing = true;
    job.read(band, GDT_Float64);
    std::vector<double> lowest(job.size().workers);
    job.run(call.part(0, 0.1, "reading"), [&](const gdal::block& b) {
        for (int row = 0; row < b.height; ++row) {
            const auto* cells = b.in<double>(0, row);
            const auto* valid = b.valid(0, row);
            auto* to = over.per_metre.data() + static_cast<std::ptrdiff_t>(b.row + row) * on.width + b.column;
            for (int i = 0; i < b.width; ++i) {
                const double cost = cells[i] * scale + offset;
                const bool open = valid[i] && !std::binary_search(closed.begin(), closed.end(), cost);
                to[i] = open ? cost : std::numeric_limits<double>::quiet_NaN();
                if (open) lowest[b.worker] = std::min(lowest[b.worker], cost);
            }
        }
    });
    report_infinite(call, job, path);
    if (const double low = *std::min_element(lowest.begin(), lowest.end()); low < 0)
        throw error{GDALMCP_INVALID_ARGUMENT, path + " has costs down to " + gdal::number_text(low) + ", below 0",
                    "shift them with raster_calc, or name them as 'barriers'"};
    return over;
}

// A way as a GeoJSON line; simplified to `most` vertices.
std::optional<std::string> line_of(const grid& on, std::vector<std::size_t> way, std::size_t most, bool& simplified) {
    OGRLineString line;
    const auto columns = static_cast<std::size_t>(on.width);
    for (const auto cell : turns_of(way, on.width)) {
        const auto at =
            centre_of(on, {static_cast<std::int64_t>(cell / columns), static_cast<std::int64_t>(cell % columns)});
        line.addPoint(at[0], at[1]);
    }
    if (line.getNumPoints() < 2) return std::nullopt;
    std::unique_ptr<OGRGeometry> shown{line.clone()};
    double tolerance = std::min(on.cell_width(), on.cell_height());
    for (; shown->toLineString()->getNumPoints() > static_cast<int>(std::max<std::size_t>(most, 2)); tolerance *= 2) {
        shown.reset(line.Simplify(tolerance));
        simplified = true;
    }
    auto* points = shown->toLineString();
    std::vector<sample_row> rows(static_cast<std::size_t>(points->getNumPoints()));
    for (int i = 0; i < points->getNumPoints(); ++i)
        rows[static_cast<std::size_t>(i)].x = points->getX(i), rows[static_cast<std::size_t>(i)].y = points->getY(i);
    locate(on.crs, rows);
    std::string text = "{\"type\":\"LineString\",\"coordinates\":[";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!std::isfinite(rows[i].longitude)) return std::nullopt;
        text += CPLSPrintf("%s[%.7f,%.7f]", i ? "," : "", rows[i].longitude, rows[i].latitude);
    }
    return text + "]}";
}

void put_ways(gdalmcp::call& call, const grid& on, const travel_costs& over, const travelled& t,
              const std::vector<travel_point>& to) {
    bool simplified = false;
    std::int64_t cut_off = 0;
    call.begin(ways);
    for (const auto& p : to) {
        auto row = call.add(ways);
        row.put(target_place, {p.x, p.y});
        const bool found = std::isfinite(t.cost[p.cell]);
        row.put(reached, found);
        cut_off += !found;
        if (!found) continue;
        const auto way = way_to(t, on.width, p.cell);
        row.put(way_cost, t.cost[p.cell]);
        row.put(way_length, length_of(over, way));
        if (const auto line = line_of(on, way, max_vertices / to.size(), simplified)) row.put(way_line, {*line});
    }
    if (simplified) call.warn("ways are simplified to fit the result; costs and lengths are of the full ones");
    if (cut_off > 0)
        call.warn(std::to_string(cut_off) +
                  (cut_off == 1 ? " target cannot be reached" : " targets cannot be reached"));
}

void run(gdalmcp::call& call) {
    const auto& path = call[costs].path;
    const auto opened = open_band(call, call[costs]);
    const grid on = without_heights(opened.on);
    auto& band = opened.band;
    require_real(band);
    refuse_palette(path, band, "not costs", "give each class a cost with raster_calc first");
    warn_of_no_amounts(call, path, band, "cost");
    warn_of_place(call, path, on);
    warn_of_speed(call, path, band);
    const double cells = static_cast<double>(on.width) * on.height;
    if (cells > max_cells)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    path + " has " + gdal::number_text(cells) + " cells, more than " + gdal::number_text(max_cells),
                    "cut it with raster_convert, or take coarser cells with raster_reproject"};
    const auto over = read_costs(call, band, on, path);
    const auto from = placed(call, call[sources], "geometry", on, over);
    const auto to = call[targets] ? placed(call, *call[targets], "targets", on, over) : std::vector<travel_point>{};
    if (to.size() > 100)
        throw error{GDALMCP_INVALID_ARGUMENT, "'targets' has " + std::to_string(to.size()) + " points, more than 100",
                    "call several times, or read the costs at points with raster_sample"};
    std::vector<std::size_t> starts;
    for (const auto& p : from) starts.push_back(p.cell);
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    const auto t = accumulate(over, starts, call.part(0.1, 0.8, "travelling"));

    raster_output out{call[output].path, on, GDT_Float64, 1};
    out.nodata(none);
    out.band(1).SetDescription("cost");
    gdal::block_job job;
    job.write(out.band(1), GDT_Float64);
    job.run(call.part(0.8, 0.9, "writing"), [&](const gdal::block& b) {
        for (int row = 0; row < b.height; ++row) {
            const auto* cost = t.cost.data() + static_cast<std::ptrdiff_t>(b.row + row) * on.width + b.column;
            auto* cell = b.out<double>(0, row);
            for (int i = 0; i < b.width; ++i) cell[i] = std::isfinite(cost[i]) ? cost[i] : none;
        }
    });
    const auto figures = figures_of(out.band(1), call.part(0.9, 0.95));
    out.close();
    call.expect(output, expected_raster(on, 1, "Float64"));

    std::int64_t closed = 0;
    for (const double c : over.per_metre) closed += std::isnan(c);
    call.put(nodata, none);
    call.put(source_count, static_cast<std::int64_t>(starts.size()));
    call.put(barrier_count, closed);
    call.put(unreached_count, static_cast<std::int64_t>(t.cost.size()) - closed - figures->counts().valid);
    result_figures::put(call, *figures);
    if (!to.empty()) put_ways(call, on, over, t, to);
    put_grid(call, on);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_cost", "Cost distance",
     "The least cost of travel from points to every cell, and the ways to targets, in steps to 8 neighbours, each its "
     "length in metres times the mean cost of both cells; none leads diagonally between two barriers. Steps in 8 "
     "directions are up to 8.2 % longer than a straight way, more where cells are not square. A corridor is the sum of "
     "the results from both ends "
     "(raster_calc).",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {costs, sources, targets, standard::geometry_crs, barriers, standard::band, output, subdataset, overwrite},
    {nodata, source_count, barrier_count, unreached_count, result_figures::valid_count, result_figures::min,
     result_figures::max, result_figures::mean, result_figures::std_field, ways, crs.all, width, height}};

}  // namespace gdalmcp_raster_more::raster_cost
