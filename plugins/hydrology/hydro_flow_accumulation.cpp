#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "d8.hpp"
#include "flow_grid.hpp"
#include "flow_totals.hpp"
#include "memory_room.hpp"
#include "raster/gdal_amounts.hpp"
#include "terrain.hpp"
#include "tiled_accumulation.hpp"
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
    const std::string own = wanted == "sca" ? "m" : wanted;
    if (!call[weights]) return own;
    const std::string of_weights = gdal_raster{*call[weights], {}}.band().GetUnitType();
    return (of_weights.empty() ? "weight" : of_weights) + " x " + own;
}

grid<std::uint8_t> terrain_of(const grid<std::uint8_t>& directions) {
    grid<std::uint8_t> terrain{directions.extent()};
    for (std::size_t i = 0; i < terrain.size(); ++i) terrain[i] = directions[i] != no_terrain;
    return terrain;
}

flow_grid direct(gdalmcp::call& call, const gdal_raster& dem, const cell_sizes& sizes) {
    if (!dem.tag(encoding_tag).empty())
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            "method is for a DEM, but " + dem.path() + " is tagged as flow directions (" + dem.tag(encoding_tag) + ")",
            "leave method out"};
    dem.require_heights();
    warn_of_heights(call, dem);
    const auto way = call[method]->value;
    return with_type(dem.type(), [&](auto zero) {
        auto [surface, valid] = dem.read<decltype(zero)>(call.part(0, 0.1, "reading"));
        const auto use = survey(call, dem, std::exchange(valid, {}));
        warn_of_look(call, dem, look_of(surface, use.land, whole_team()));
        d8_report report;
        flow_grid flow;
        flow.directions = d8(surface, use.land, sizes, report, call.part(0.1, 0.3, "directing"), whole_team());
        const auto tick = call.part(0.3, 0.35, "directing");
        if (way == "dinf") flow = angle_flow(d_infinity(surface, flow.directions, sizes, tick, whole_team()), sizes);
        if (way == "mfd") {
            auto all = multiple_flow(surface, flow.directions, sizes, default_exponent, tick, whole_team());
            flow = share_flow(std::move(all), terrain_of(flow.directions));
        }
        flow.holes = use.holes;
        flow.undrained = report.undrained;
        flow.cells = use.cells;
        return flow;
    });
}

// Counts the cells that have a direction and no weight, or one below 0.
struct doubtful_weights {
    std::size_t count = 0, first = off_grid, negative = 0;

    // cell: index in the raster.
    void look_at(std::uint8_t direction, double weight, std::size_t cell) {
        if (direction == no_terrain) return;
        negative += weight < 0;
        if (std::isfinite(weight)) return;
        ++count;
        first = std::min(first, cell);
    }
    void refuse(const gdal_raster& weight, const gdal_raster& raster) const {
        if (count > 0)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 weight.path() + " has no weight for " + std::to_string(count) +
                                     " cells that have a direction, the first at " + raster.cell_text(first),
                                 "fill the weights there (0 = contributes nothing), or clip the directions to them"};
    }
    void warn(gdalmcp::call& call, const gdal_raster& weight) const {
        if (negative > 0)
            call.warn(std::to_string(negative) + " weights of " + weight.path() +
                      " are below 0 and take away from what flows through their cells: if they should contribute "
                      "nothing, give max(A, 0) of raster_calc");
    }
};

gdal_raster open_weights(gdalmcp::call& call) {
    gdal_raster weight{*call[weights], {}};
    gdalmcp_raster::warn_of_no_amounts(call, weight.path(), weight.band(), "weight");
    return weight;
}

grid<double> read_weights(gdalmcp::call& call, const gdal_raster& raster, const flow_grid& flow) {
    const auto weight = open_weights(call);
    auto values = read_values(weight, raster, call.part(0.35, 0.4, "reading weights"));
    doubtful_weights doubts;
    for (std::size_t i = 0; i < values.size(); ++i) doubts.look_at(flow.directions[i], values[i], i);
    doubts.refuse(weight, raster);
    doubts.warn(call, weight);
    return values;
}

// The contribution of each cell: m² times weight, or without areas the weight alone; empty for plain cell counts.
grid<double> contributions(gdalmcp::call& call, const gdal_raster& raster, const true_areas* areas,
                           const flow_grid& flow) {
    if (!call.given(weights)) return areas ? areas->of_all(whole_team()) : grid<double>{};
    auto own = read_weights(call, raster, flow);
    for (std::size_t i = 0; areas && i < own.size(); ++i) own[i] *= areas->of(i);
    return own;
}

template <class stored>
constexpr stored none = std::is_floating_point_v<stored> ? std::numeric_limits<stored>::quiet_NaN() : stored{};

// Of the second band: whether a cell may miss inflow.
template <class stored>
stored mark(std::uint8_t contaminated) {
    return contaminated != 0 ? stored{1} : none<stored>;
}

template <class stored>
gdal_output create_flow(gdalmcp::call& call, const gdal_raster& raster) {
    const int bands = call[edges].value == "keep" ? 2 : 1;
    constexpr auto type = gdal_type<stored>();
    gdal_output written{call[output].path, raster, type, bands};
    written.nodata(static_cast<double>(none<stored>));
    written.band(1).SetDescription(accumulation_name);
    written.band(1).SetUnitType(unit_label(call).c_str());
    if (bands == 2) written.band(2).SetDescription("edge contamination, 1 = may miss inflow, else none");
    expect_grid(call, raster, type, bands);
    call.put(dtype, GDALGetDataTypeName(type));
    return written;
}

// totals: of the whole raster. Its grids are not read.
template <class V>
void put_flow(gdalmcp::call& call, const gdal_raster& raster, const accumulation<V>& totals, std::size_t undrained,
              const greatest_value& greatest) {
    const auto [x, y] = raster.centre(raster.extent().row(greatest.cell), raster.extent().column(greatest.cell));
    call.put(maximum, greatest.value);
    call.put(maximum_at, {x, y});
    call.put(outlets, static_cast<std::int64_t>(totals.outlets));
    call.put(undrained_cells, static_cast<std::int64_t>(undrained));
    call.put(contaminated_share,
             static_cast<double>(totals.contaminated_cells) / static_cast<double>(totals.terrain_cells));
    const double per_sum = call[unit].value == "km2" ? 1e-6 : 1;
    call.at(conservation).put(contributed, static_cast<double>(totals.contributed) * per_sum);
    call.at(conservation).put(discharged, static_cast<double>(totals.discharged) * per_sum);
}

std::string flow_in_words(const gdalmcp::call& call, const gdal_raster& raster, std::size_t cells,
                          const greatest_value& greatest) {
    const auto [x, y] = raster.centre(raster.extent().row(greatest.cell), raster.extent().column(greatest.cell));
    return "Accumulated " + std::to_string(cells) + " cells; the greatest value is " +
           gdalmcp::gdal::number_text(greatest.value) + " " + unit_label(call) + " at x " +
           gdalmcp::gdal::number_text(x) + ", y " + gdalmcp::gdal::number_text(y) + ".";
}

// V: std::uint32_t for plain cell counts, double for areas and weights. in_unit(sum of a cell, cell): in the unit.
template <class V, class InUnit>
void accumulate_and_write(gdalmcp::call& call, const gdal_raster& raster, flow_grid& flow, grid<V> own,
                          InUnit in_unit) {
    using stored = std::conditional_t<std::is_same_v<V, double>, double, std::uint32_t>;
    const auto tick = call.part(0.4, 0.75, "accumulating");
    const auto found = [&] {
        if constexpr (std::is_same_v<V, double>) {
            if (auto* by = std::get_if<flow_by_angles>(&flow.shared))
                return accumulate_shares(std::move(*by), flow.directions, std::move(own), tick, whole_team());
            if (auto* by = std::get_if<flow_by_shares>(&flow.shared))
                return accumulate_shares(std::move(*by), flow.directions, std::move(own), tick, whole_team());
        }
        return accumulate(flow.directions, std::move(own), tick, whole_team());
    }();
    require_sound(raster, found);
    greatest_value greatest{static_cast<double>(in_unit(found.maximum, found.maximum_cell)), found.maximum_cell};
    if (call[unit].value == "sca")  // the only one that may turn the order of two cells around
        for (std::size_t i = 0; i < found.values.size(); ++i)
            if (flow.directions[i] != no_terrain) greatest.look_at(static_cast<double>(in_unit(found.values[i], i)), i);
    put_flow(call, raster, found, flow.undrained, greatest);

    const auto edge = call[edges].value;
    auto written = create_flow<stored>(call, raster);
    const auto& directions = flow.directions;
    written.template write_rows<stored>(1, call.part(0.8, 0.95, "writing"), [&](std::size_t row, stored* to) {
        for (std::size_t c = 0; c < directions.width(); ++c) {
            const auto i = row * directions.width() + c;
            const bool left_out = directions[i] == no_terrain || (edge == "nodata" && found.contaminated[i]);
            to[c] = left_out ? none<stored> : static_cast<stored>(in_unit(found.values[i], i));
        }
    });
    if (edge == "keep")
        written.template write_rows<stored>(2, call.part(0.95, 1, "writing"), [&](std::size_t row, stored* to) {
            std::transform(found.contaminated.row(row), found.contaminated.row(row) + directions.width(), to,
                           mark<stored>);
        });
    written.close();
    call.say(flow_in_words(call, raster, flow.cells, greatest));
}

// Bytes per cell: in memory, and on a tile, of which so many are worked on at once whatever the number of threads,
// since sums of areas depend on the tiles in their last digits.
constexpr std::size_t flow_bytes = 12, tiles_at_once = 2, tiled_flow_bytes = 40 * tiles_at_once;

// D8 directions that do not fit in memory, tile by tile from the file; each is read twice.
template <class V>
class tiled_work {
public:
    // areas: nullptr where the contributions are no areas. All must outlive this.
    tiled_work(gdalmcp::call& call, const gdal_raster& raster, const tiling& tiles, const true_areas* areas)
        : call_{call}, raster_{raster}, tiles_{tiles}, areas_{areas}, directions_{call, raster}, flow_{tiles} {
        if (!call.given(weights)) return;
        weight_.emplace(open_weights(call));
        raster.require_same_grid(*weight_);
    }

    void find_flow() {
        doubtful_weights doubts;
        each_tile(
            0, 0.4, "linking tiles",
            [&](const placed_tile& at, const grid<std::uint8_t>& directions, const grid<V>& own) {
                for (std::size_t i = 0; i < directions.size(); ++i) {
                    undrained_ += directions[i] == undrained;
                    totals_.terrain_cells += directions[i] != no_terrain;
                    if constexpr (std::is_same_v<V, double>)
                        if (weight_) doubts.look_at(directions[i], own[i], in_raster(at, i));
                }
            },
            [](std::size_t, const placed_tile&, const grid<std::uint8_t>& directions, grid<V> own,
               const progress& tick) { return find_links(directions, std::move(own), tick); },
            [&](std::size_t t, const placed_tile&, flow_message<V> links) { flow_.add(t, std::move(links)); });
        if (weight_) doubts.refuse(*weight_, raster_);
        if (weight_) doubts.warn(call_, *weight_);
        require_directions(raster_, totals_.terrain_cells);
        if (const auto cell = flow_.solve()) refuse_loop(raster_, *cell);
    }

    // in_unit(sum of a cell, cell): in the unit.
    template <class stored, class InUnit>
    void write(InUnit in_unit) {
        auto written = create_flow<stored>(call_, raster_);
        const auto edge = call_[edges].value;
        struct made {
            accumulation<V> part;
            grid<stored> values;
            greatest_value greatest{};
        };
        each_tile(
            0.4, 1, "accumulating", [](const placed_tile&, const grid<std::uint8_t>&, const grid<V>&) {},
            [&](std::size_t t, const placed_tile& at, const grid<std::uint8_t>& directions, grid<V> own,
                const progress& running) {
                made m{accumulate_tile(directions, std::move(own), flow_.of(t), running),
                       grid<stored>{at.extent, none<stored>}};
                for (std::size_t i = 0; i < m.values.size(); ++i) {
                    if (directions[i] == no_terrain) continue;
                    const auto cell = in_raster(at, i);
                    const auto value = in_unit(m.part.values[i], cell);
                    m.greatest.look_at(static_cast<double>(value), cell);
                    if (edge != "nodata" || !m.part.contaminated[i]) m.values[i] = static_cast<stored>(value);
                }
                m.part.values = {};
                return m;
            },
            [&](std::size_t, const placed_tile& at, made m) {
                written.write(1, at, m.values);
                const auto& marks = m.part.contaminated;
                if (edge == "keep") {
                    std::transform(marks.row(0), marks.row(0) + marks.size(), m.values.row(0), mark<stored>);
                    written.write(2, at, m.values);
                }
                if (m.greatest.cell != off_grid) greatest_.look_at(m.greatest.value, m.greatest.cell);
                totals_.contaminated_cells += m.part.contaminated_cells;
                totals_.outlets += m.part.outlets;
                totals_.contributed += m.part.contributed;
                totals_.discharged += m.part.discharged;
            });
        require_sound(raster_, totals_);
        written.close();
        put_flow(call_, raster_, totals_, undrained_, greatest_);
        call_.say(flow_in_words(call_, raster_, totals_.terrain_cells, greatest_) +
                  " The directions do not fit in memory and were read in " + std::to_string(tiles_.count()) +
                  " tiles.");
    }

    std::size_t terrain_cells() const { return totals_.terrain_cells; }
    std::size_t undrained_cells() const { return undrained_; }

private:
    std::size_t in_raster(const placed_tile& at, std::size_t cell) const {
        return (at.row + at.extent.row(cell)) * tiles_.whole().width + at.column + at.extent.column(cell);
    }

    grid<V> own_of(const grid<std::uint8_t>& directions, const placed_tile& at) const {
        if constexpr (std::is_same_v<V, double>) {
            auto own = weight_ ? read_values(*weight_, at) : grid<double>{at.extent, 1.0};
            for (std::size_t i = 0; areas_ && i < own.size(); ++i)
                if (directions[i] != no_terrain) own[i] *= areas_->of(in_raster(at, i));
            return own;
        } else {
            return {};
        }
    }

    // Tiles in their order: look(tile, directions, contributions) and take_in(number, tile, result) in this thread, and
    // work(number, tile, directions, contributions, progress) in others, of as many tiles at once as tiled_flow_bytes
    // counts. Where this thread is stopped the others are.
    template <class Look, class Work, class TakeIn>
    void each_tile(double from, double to, const char* what, Look&& look, Work&& work, TakeIn&& take_in) {
        using result = std::invoke_result_t<Work, std::size_t, const placed_tile&, const grid<std::uint8_t>&, grid<V>,
                                            const progress&>;
        const auto tick = call_.part(from, to, what);
        std::size_t taken = 0;
        const auto tell = [&] { tick(static_cast<double>(taken) / static_cast<double>(tiles_.count())); };
        std::atomic<bool> stopped{false};
        const bool apart = whole_team().threads > 0;
        const progress running = [&](double) {
            if (!apart) tell();
            if (stopped) throw std::runtime_error{"stopped"};  // which nobody waits for
        };
        std::deque<std::future<result>> under_way;
        const struct at_end {
            std::atomic<bool>& flag;
            ~at_end() { flag = true; }
        } stop{stopped};  // before the others are waited for
        for (std::size_t t = 0; taken < tiles_.count();) {
            tell();
            if (t < tiles_.count()) {
                const auto at = tiles_.at(t);
                auto directions = directions_.read(at);
                auto own = own_of(directions, at);
                look(at, directions, std::as_const(own));
                under_way.push_back(std::async(
                    apart ? std::launch::async : std::launch::deferred,
                    [&work, &running, t, at, directions = std::move(directions), own = std::move(own)]() mutable {
                        return work(t, at, directions, std::move(own), running);
                    }));
                ++t;
            }
            if (under_way.size() < tiles_at_once && t < tiles_.count()) continue;
            auto& first = under_way.front();
            while (first.wait_for(std::chrono::milliseconds{100}) == std::future_status::timeout) tell();
            auto done = first.get();
            under_way.pop_front();
            take_in(taken, tiles_.at(taken), std::move(done));
            ++taken;
        }
    }

    gdalmcp::call& call_;
    const gdal_raster& raster_;
    tiling tiles_;
    const true_areas* areas_;
    std::optional<gdal_raster> weight_;
    direction_codes directions_;
    tiled_flow<V> flow_;
    accumulation<V> totals_;  // without its grids
    greatest_value greatest_;
    std::size_t undrained_ = 0;
};

template <class V, class stored, class InUnit>
void accumulate_by_tiles(gdalmcp::call& call, const gdal_raster& raster, const true_areas* areas, std::uint64_t room,
                         InUnit in_unit) {
    limit_block_cache(std::int64_t{64} << 20);
    tiled_work<V> work{call, raster, tiles_within(raster.extent(), tiled_flow_bytes, room), areas};
    work.find_flow();
    warn_of_undrained(call, work.undrained_cells());
    fields.put(call, raster, work.terrain_cells());
    call.put(fields.nodata_holes, holes_of_directions(call, raster));
    call.put(unit_used, unit_label(call));
    work.template write<stored>(in_unit);
}

// Calls work(V{}, in_unit) as the unit and the weights of the call want it, V a Count for plain cell counts. areas:
// nullptr if the unit is no area.
template <class Count, class Work>
void with_unit(const gdalmcp::call& call, const true_areas* areas, bool whole_cells, Work&& work) {
    const auto wanted = call[unit].value;
    const auto same = [](auto sum, std::size_t) { return sum; };
    if (wanted == "km2")
        work(double{}, [](double m2, std::size_t) { return m2 / 1e6; });
    else if (wanted == "sca")
        work(double{}, [areas](double m2, std::size_t cell) { return m2 / std::sqrt(areas->of(cell)); });
    else if (whole_cells && !call.given(weights))
        work(Count{}, same);
    else
        work(double{}, same);
}

// The whole raster at once: directions of any method, or a DEM.
void accumulate_in_memory(gdalmcp::call& call, const gdal_raster& raster, const cell_sizes& sizes,
                          const true_areas* areas, const std::optional<std::string>& stated, bool from_dem) {
    const bool counts = call[unit].value == "cells" && !call.given(weights) && flow_method(raster, stated) == "d8";
    std::optional<memory_to_come> sums_to_come{
        std::in_place, whole_team(), raster.extent().size() * (counts ? sizeof(std::uint32_t) : sizeof(double))};
    auto flow =
        from_dem ? direct(call, raster, sizes) : read_flow(call, raster, stated, sizes, call.part(0, 0.3, "reading"));
    sums_to_come.reset();
    warn_of_undrained(call, flow.undrained);
    fields.put(call, raster, flow.cells);
    call.put(fields.nodata_holes, flow.holes);
    call.put(unit_used, unit_label(call));
    const bool by_cell = std::holds_alternative<std::monostate>(flow.shared);
    with_unit<std::uint32_t>(call, areas, by_cell, [&]<class V>(V, auto in_unit) {
        grid<V> own;  // empty: 1 per cell
        if constexpr (std::is_same_v<V, double>) own = contributions(call, raster, areas, flow);
        accumulate_and_write(call, raster, flow, std::move(own), in_unit);
    });
}

void run(gdalmcp::call& call) {
    const auto raster = call[band] ? gdal_raster{call[uri], call[band]} : open_directions(call[uri]);
    const auto measured = measure_cells(raster);
    std::optional<true_areas> measured_areas;
    if (call[unit].value != "cells") measured_areas.emplace(raster, measured.sizes);
    const auto* areas = measured_areas ? &*measured_areas : nullptr;
    if (call[unit].value == "sca") warn_of_contour_width(call, raster, measured.sizes);
    const bool from_dem = call[method] && !call[codes] && raster.tag(method_tag).empty();
    const auto stated = call[method] ? std::optional{call[method]->value} : std::nullopt;
    if (!measured.note.empty() && (areas || from_dem)) call.warn(measured.note);
    const auto room = memory_room();
    if (from_dem || flow_method(raster, stated) != "d8" || fits_in_memory(raster.extent(), flow_bytes, room)) {
        in_memory(raster, [&] { accumulate_in_memory(call, raster, measured.sizes, areas, stated, from_dem); });
        return;
    }
    with_unit<std::uint64_t>(call, areas, true, [&]<class V>(V, auto in_unit) {
        if (std::is_same_v<V, double> || raster.extent().size() > std::numeric_limits<std::uint32_t>::max())
            accumulate_by_tiles<V, double>(call, raster, areas, room, in_unit);
        else
            accumulate_by_tiles<V, std::uint32_t>(call, raster, areas, room, in_unit);
    });
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
