#include "flow_grid.hpp"

namespace gdalmcp_hydrology {
namespace {

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
            "give encoding: 'esri' (ArcGIS, RichDEM, pysheds), 'whitebox', 'taudem' or 'grass'; if this is a DEM, make "
            "directions of it with hydro_flow_direction"};
    const auto code = encoding_named(name);
    if (!code)
        throw gdalmcp::error{GDALMCP_UNSUPPORTED, raster.path() + " is tagged with the unknown encoding '" + name + "'",
                             "recompute the directions with hydro_flow_direction"};
    return *code;
}

}  // namespace

flow_grid read_directions(gdalmcp::call& call, const gdal_raster& raster, const progress& tick) {
    const auto code = encoding_of(call, raster);
    const auto refuse = [&](double value, std::size_t cell) {
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "the value " + gdalmcp::gdal::number_text(value) + " at " + raster.cell_text(cell) +
                                 " is not a direction in the " + std::string{name_of(code)} + " encoding",
                             "check which program wrote the grid and give its encoding, and the nodata value"};
    };
    flow_grid flow;
    flow.directions = grid<std::uint8_t>{raster.extent(), no_terrain};
    std::array<std::optional<std::uint8_t>, 256> decoded;  // of most files, all values
    for (std::size_t v = 0; v < decoded.size(); ++v) decoded[v] = decode(code, static_cast<double>(v));
    raster.read_rows<float>(tick, [&](std::size_t row, const float* values, const std::uint8_t* valid) {
        auto* to = flow.directions.row(row);
        for (std::size_t c = 0; c < raster.extent().width; ++c) {
            if (!valid[c]) continue;
            const float v = values[c];
            const bool small = v >= 0 && v < 256 && v == static_cast<float>(static_cast<int>(v));
            const auto d = small ? decoded[static_cast<std::size_t>(v)] : decode(code, static_cast<double>(v));
            if (!d) refuse(static_cast<double>(v), row * raster.extent().width + c);
            to[c] = *d;
            flow.undrained += *d == undrained;
            ++flow.cells;
        }
    });
    if (flow.cells == 0)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, raster.path() + " has no cell with a direction: all are nodata",
                             "check the file with raster_info"};
    return flow;
}

void refuse_loop(const gdal_raster& raster, std::size_t cell) {
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         "the flow directions form a loop through " + raster.cell_text(cell) + " of " + raster.path(),
                         "check that the encoding is the one the grid was written in, or recompute the directions"};
}

template <class V>
void require_sound(const gdal_raster& raster, const accumulation<V>& flow) {
    if (flow.cycle) refuse_loop(raster, *flow.cycle);
    const auto in = static_cast<double>(flow.contributed), out = static_cast<double>(flow.discharged);
    if (std::abs(in - out) > 1e-9 * std::max(std::abs(in), static_cast<double>(flow.terrain_cells)))
        throw gdalmcp::error{GDALMCP_INTERNAL, "the cells contribute " + gdalmcp::gdal::number_text(in) + " but " +
                                                   gdalmcp::gdal::number_text(out) + " arrives at the outlets"};
}

template void require_sound(const gdal_raster&, const accumulation<std::uint64_t>&);
template void require_sound(const gdal_raster&, const accumulation<double>&);

accumulation<double> contributing_area(const gdal_raster& raster, const flow_grid& flow, const true_areas& areas,
                                       const progress& tick) {
    grid<double> own{flow.directions.extent()};
    for (std::size_t i = 0; i < own.size(); ++i)
        if (flow.directions[i] != no_terrain) own[i] = areas.of(i);
    auto found = accumulate(flow.directions, std::move(own), tick);
    require_sound(raster, found);
    return found;
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

grid<std::uint8_t> read_channels(const gdal_raster& streams, const gdal_raster& on, const progress& tick) {
    on.require_same_grid(streams);
    grid<std::uint8_t> channels{streams.extent()};
    std::size_t cells = 0;
    streams.read_rows<double>(tick, [&](std::size_t row, const double* values, const std::uint8_t* valid) {
        auto* to = channels.row(row);
        for (std::size_t c = 0; c < channels.width(); ++c) cells += to[c] = valid[c] && values[c] > 0;
    });
    if (cells == 0)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, streams.path() + " has no stream: no value is above 0",
                             "make the streams with hydro_streams, output .tif, and a lower threshold"};
    return channels;
}

}  // namespace gdalmcp_hydrology
