#include "flow_grid.hpp"

#include <algorithm>
#include "raster/gdal_common_window.hpp"

namespace gdalmcp_hydrology {
namespace {

constexpr float pi = 3.14159265F;

std::string encoding_name(gdalmcp::call& call, const gdal_raster& raster) {
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
            "give encoding: 'esri' (ArcGIS, pysheds), 'whitebox', 'taudem' or 'grass'; if this is a DEM, make "
            "directions of it with hydro_flow_direction"};
    return name;
}

encoding encoding_of(gdalmcp::call& call, const gdal_raster& raster) {
    const auto name = encoding_name(call, raster);
    const auto code = encoding_named(name);
    if (!code)
        throw gdalmcp::error{GDALMCP_UNSUPPORTED, raster.path() + " is tagged with the unknown encoding '" + name + "'",
                             "recompute the directions with hydro_flow_direction"};
    return *code;
}

flow_grid read_codes(gdalmcp::call& call, const gdal_raster& raster, const progress& tick) {
    const direction_codes codes_of{call, raster};
    flow_grid flow;
    flow.directions = grid<std::uint8_t>{raster.extent(), unset{}};
    const memory_ahead ahead{whole_team(), flow.directions.memory()};
    const auto width = raster.extent().width;
    const auto take = [&](std::size_t row, const auto* values, const std::uint8_t* valid) {
        auto* to = flow.directions.row(row);
        codes_of.decode_row(values, valid, {row, 0, {width, 1}}, to);
        flow.undrained += static_cast<std::size_t>(std::count(to, to + width, undrained));
        flow.cells += width - static_cast<std::size_t>(std::count(to, to + width, no_terrain));
    };
    if (raster.type() == GDT_Byte)
        raster.read_rows<std::uint8_t>(tick, take);
    else
        raster.read_rows<float>(tick, take);
    require_directions(raster, flow.cells);
    flow.holes = holes_of_directions(call, raster);
    return flow;
}

grid<float> read_angles(gdalmcp::call& call, const gdal_raster& raster, const progress& tick) {
    const auto name = encoding_name(call, raster);
    if (name != "taudem" && name != "whitebox")
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT, "encoding is '" + name + "', but " + raster.path() + " holds D-infinity angles",
            "give taudem (radians counter-clockwise from east) or whitebox (degrees clockwise from north)"};
    const bool degrees = name == "whitebox";
    const float whole = degrees ? 360 : 2 * pi + 1e-4F;
    float least = whole, most = 0;
    grid<float> angles{raster.extent(), unset{}};
    const memory_ahead ahead{whole_team(), angles.memory()};
    raster.read_rows<float>(tick, [&](std::size_t row, const float* values, const std::uint8_t* valid) {
        for (std::size_t c = 0; c < angles.width(); ++c) {
            if (!valid[c]) {
                angles(row, c) = no_angle;
                continue;
            }
            if (values[c] > whole || (values[c] < 0 && values[c] != undrained_angle))
                throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                     "the value " + gdalmcp::gdal::number_text(static_cast<double>(values[c])) +
                                         " at " + raster.cell_text(row * angles.width() + c) + " is no angle in " +
                                         (degrees ? "degrees" : "radians"),
                                     "check the encoding and the nodata value"};
            if (values[c] >= 0) {
                least = std::min(least, values[c]);
                most = std::max(most, values[c]);
            }
            angles(row, c) = degrees ? to_radians(values[c]) : values[c];
        }
    });
    // Of terrain that all slopes to the north within 6 degrees, the angles would hardly differ by half of them.
    if (degrees && most <= 2 * pi + 1e-4F && most - least > pi)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "encoding is 'whitebox' (degrees), but the angles of " + raster.path() + " range from " +
                                 gdalmcp::gdal::number_text(static_cast<double>(least)) + " to " +
                                 gdalmcp::gdal::number_text(static_cast<double>(most)) + ", as radians do",
                             "give encoding taudem (radians counter-clockwise from east)"};
    constexpr float some = 0.5F;
    if (degrees && most <= 2 * pi + 1e-4F && most - least > some)
        call.warn("no angle of " + raster.path() + " is above " +
                  gdalmcp::gdal::number_text(gdalmcp::significant(static_cast<double>(most), 5)) +
                  " degrees: if they are radians, encoding is taudem");
    return angles;
}

flow_grid read_shares(const gdal_raster& raster, const progress& tick) {
    grid<std::uint8_t> terrain{raster.extent()};
    std::vector<shares<float>> all(terrain.size());
    for (std::size_t d = 0; d < 8; ++d)
        raster.read_rows_of<float>(static_cast<int>(d) + 1, tick,
                                   [&](std::size_t row, const float* values, const std::uint8_t* valid) {
                                       for (std::size_t c = 0; c < terrain.width(); ++c) {
                                           if (!valid[c]) continue;
                                           terrain(row, c) = 1;
                                           all[row * terrain.width() + c][d] = values[c];
                                       }
                                   });
    return share_flow(std::move(all), terrain);
}

}  // namespace

std::string flow_method(const gdal_raster& raster, const std::optional<std::string>& stated) {
    const auto own = gdalmcp_datasets::tagged_flow_grid(raster.tag(gdalmcp_datasets::flow_grid_tag), raster.on());
    if (raster.tag(encoding_tag) == gdalmcp_datasets::moved_directions ||
        (own && !gdalmcp_raster::on_same_cells(*own, raster.on())))
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "the flow directions of " + raster.path() +
                                 " were moved to other cells than those they were computed on (reprojected or "
                                 "resampled): they lead astray",
                             "reproject or resample the DEM instead, with raster_reproject, and make directions of it "
                             "with hydro_flow_direction"};
    const auto tagged = raster.tag(method_tag);
    if (stated && !tagged.empty() && *stated != tagged)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "method is '" + *stated + "', but " + raster.path() + " is tagged as '" + tagged + "'",
                             "leave method out"};
    return !tagged.empty() ? tagged : stated.value_or("d8");
}

direction_codes::direction_codes(gdalmcp::call& call, const gdal_raster& raster)
    : raster_{raster}, code_{encoding_of(call, raster)} {
    for (std::size_t v = 0; v < decoded_.size(); ++v) decoded_[v] = decode(code_, static_cast<double>(v));
}

template <class V>
void direction_codes::decode_row(const V* values, const std::uint8_t* valid, const placed_tile& at,
                                 std::uint8_t* to) const {
    for (std::size_t c = 0; c < at.extent.width; ++c) {
        to[c] = no_terrain;
        if (!valid[c]) continue;
        const auto v = values[c];
        bool small = true;
        if constexpr (!std::is_same_v<V, std::uint8_t>)
            small = v >= 0 && v < 256 && v == static_cast<V>(static_cast<int>(v));
        const auto d = small ? decoded_[static_cast<std::size_t>(v)] : decode(code_, static_cast<double>(v));
        if (!d)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "the value " + gdalmcp::gdal::number_text(static_cast<double>(v)) + " at " +
                                     raster_.cell_text(at.row * raster_.extent().width + at.column + c) +
                                     " is not a direction in the " + std::string{name_of(code_)} + " encoding",
                                 "check which program wrote the grid and give its encoding, and the nodata value"};
        to[c] = *d;
    }
}

grid<std::uint8_t> direction_codes::read(const placed_tile& tile) const {
    const auto [values, valid] = raster_.read_tile<float>(tile);
    grid<std::uint8_t> directions{tile.extent};
    for (std::size_t r = 0; r < tile.extent.height; ++r)
        decode_row(values.row(r), valid.row(r), {tile.row + r, tile.column, {tile.extent.width, 1}}, directions.row(r));
    return directions;
}

void require_directions(const gdal_raster& raster, std::size_t cells) {
    if (cells == 0)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, raster.path() + " has no cell with a direction: all are nodata",
                             "check the file with raster_info"};
}

float to_degrees(float radians) {
    if (radians < 0) return radians;
    const float turned = std::fmod(450 - radians * 180 / pi, 360.0F);
    return turned < 0 ? turned + 360 : turned;
}
float to_radians(float degrees) {
    if (degrees < 0) return degrees;
    return std::fmod(450 - degrees, 360.0F) * pi / 180;
}

flow_grid angle_flow(grid<float> angles, const cell_sizes& sizes) {
    flow_grid flow;
    flow.directions = grid<std::uint8_t>{angles.extent(), unset{}};
    const strips parts{angles.extent(), whole_team()};
    std::vector<std::array<std::size_t, 2>> found(parts.count());  // cells, undrained ones
    parts.each({}, [&](const strip& s) {
        auto& [cells, stays] = found[s.number];
        for (auto i = s.first; i < s.last; ++i) {
            flow.directions[i] = angles[i] == no_angle ? no_terrain : angles[i] < 0 ? undrained : east;
            cells += angles[i] != no_angle;
            stays += angles[i] < 0 && angles[i] != no_angle;
        }
    });
    for (const auto& [cells, stays] : found) {
        flow.cells += cells;
        flow.undrained += stays;
    }
    flow.shared = flow_by_angles{std::move(angles), sizes};
    return flow;
}

flow_grid share_flow(std::vector<shares<float>> all, const grid<std::uint8_t>& terrain) {
    flow_grid flow;
    flow.directions = grid<std::uint8_t>{terrain.extent(), no_terrain};
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!terrain[i]) continue;
        const bool drains = std::any_of(all[i].begin(), all[i].end(), [](float share) { return share > 0; });
        flow.directions[i] = drains ? east : undrained;
        flow.undrained += !drains;
        ++flow.cells;
    }
    flow.shared = flow_by_shares{std::move(all)};
    return flow;
}

gdal_raster open_directions(const gdalmcp::raster& source) {
    const gdal_raster first{source, 1};
    return {source, first.tag(method_tag) == "mfd" ? std::optional<std::int64_t>{1} : std::nullopt};
}

flow_grid read_directions(gdalmcp::call& call, const gdal_raster& raster, const progress& tick) {
    if (const auto way = flow_method(raster, {}); way != "d8")
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             raster.path() + " is tagged as '" + way + "', and this tool follows D8 directions",
                             "make them with hydro_flow_direction and method d8"};
    return read_codes(call, raster, tick);
}

flow_grid read_flow(gdalmcp::call& call, const gdal_raster& raster, const std::optional<std::string>& stated,
                    const cell_sizes& sizes, const progress& tick) {
    const auto way = flow_method(raster, stated);
    if (way == "d8") return read_codes(call, raster, tick);
    auto flow = way == "dinf" ? angle_flow(read_angles(call, raster, tick), sizes) : read_shares(raster, tick);
    require_directions(raster, flow.cells);
    flow.holes = holes_of_directions(call, raster);
    return flow;
}

std::string holes_of_directions(const gdalmcp::call& call, const gdal_raster& raster) {
    const auto tagged = raster.tag(holes_tag);
    if (const auto given = call[holes]; given && !tagged.empty() && given->value != tagged)
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            "nodata_holes is '" + given->value + "', but " + raster.path() + " was directed with '" + tagged + "'",
            "leave nodata_holes out, or direct the DEM again with it"};
    return tagged.empty() ? "none" : tagged;
}

void refuse_loop(const gdal_raster& raster, std::size_t cell) {
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         "the flow directions form a loop through " + raster.cell_text(cell) + " of " + raster.path(),
                         raster.tag(encoding_tag).empty()
                             ? "check that the encoding is the one the grid was written in, and that it was not "
                               "reprojected or resampled since, or recompute the directions"
                             : "directions that were reprojected or resampled lead astray: make them of the DEM on "
                               "this grid, with hydro_flow_direction"};
}

template <class V>
void require_sound(const gdal_raster& raster, const accumulation<V>& flow) {
    if (flow.cycle) refuse_loop(raster, *flow.cycle);
    const auto in = static_cast<double>(flow.contributed), out = static_cast<double>(flow.discharged);
    if (std::abs(in - out) > 1e-9 * std::max(std::abs(in), static_cast<double>(flow.terrain_cells)))
        throw gdalmcp::error{GDALMCP_INTERNAL, "the cells contribute " + gdalmcp::gdal::number_text(in) + " but " +
                                                   gdalmcp::gdal::number_text(out) + " arrives at the outlets"};
}

template void require_sound(const gdal_raster&, const accumulation<std::uint32_t>&);
template void require_sound(const gdal_raster&, const accumulation<std::uint64_t>&);
template void require_sound(const gdal_raster&, const accumulation<double>&);

accumulation<double> contributing_area(const gdal_raster& raster, const flow_grid& flow, const true_areas& areas,
                                       const progress& tick) {
    auto found = accumulate(flow.directions, areas.of_all(whole_team()), tick, whole_team());
    require_sound(raster, found);
    return found;
}

void warn_of_threshold(gdalmcp::call& call, double threshold_km2, double cell_area) {
    if (threshold_km2 * 1e6 < cell_area)
        call.warn("threshold_km2 is less than the area of a cell: every cell is a stream");
}

grid<double> read_values(const gdal_raster& other, const gdal_raster& on, const progress& tick) {
    on.require_same_grid(other);
    const double scale = other.scale(), offset = other.band().GetOffset();
    grid<double> result{other.extent()};
    other.read_rows<double>(tick, [&](std::size_t row, const double* values, const std::uint8_t* valid) {
        auto* to = result.row(row);
        for (std::size_t c = 0; c < result.width(); ++c)
            to[c] = valid[c] ? values[c] * scale + offset : std::numeric_limits<double>::quiet_NaN();
    });
    return result;
}

grid<double> read_values(const gdal_raster& other, const placed_tile& tile) {
    const double scale = other.scale(), offset = other.band().GetOffset();
    auto [values, valid] = other.read_tile<double>(tile);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = valid[i] ? values[i] * scale + offset : std::numeric_limits<double>::quiet_NaN();
    return std::move(values);
}

grid<double> read_accumulated(const gdal_raster& given, const gdal_raster& on, const grid<std::uint8_t>& directions,
                              const progress& tick) {
    auto values = read_values(given, on, tick);
    constexpr double most = 0.4;  // between the flow of several receivers and codes, see flow_trend
    const auto [rising, falling] = trend_along(directions, values);
    if (static_cast<double>(falling) > most * static_cast<double>(rising + falling))
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             given.path() + " is no flow accumulation: of " + std::to_string(rising + falling) +
                                 " steps along " + on.path() + " its values fall in " + std::to_string(falling),
                             "give the result of hydro_flow_accumulation for these directions, or leave "
                             "'accumulation' out"};
    return values;
}

grid<std::uint8_t> read_channels(gdalmcp::call& call, const gdal_raster& streams, const gdal_raster& on,
                                 const progress& tick) {
    on.require_same_grid(streams);
    grid<std::uint8_t> channels{streams.extent()};
    std::size_t cells = 0, known = 0;
    streams.read_rows<double>(tick, [&](std::size_t row, const double* values, const std::uint8_t* valid) {
        auto* to = channels.row(row);
        for (std::size_t c = 0; c < channels.width(); ++c) {
            cells += to[c] = valid[c] && values[c] > 0;
            known += valid[c] != 0;
        }
    });
    if (cells == 0)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, streams.path() + " has no stream: no value is above 0",
                             "make the streams with hydro_streams, output .tif, and a lower threshold"};
    if (2 * cells > known)
        call.warn(std::to_string(cells) + " of " + std::to_string(known) + " cells of " + streams.path() +
                  " are above 0 and taken for streams, more than half: give the cells of hydro_streams (output .tif), "
                  "or a raster of 1 in streams and 0 elsewhere");
    return channels;
}

}  // namespace gdalmcp_hydrology
