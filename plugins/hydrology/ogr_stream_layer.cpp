#include "ogr_stream_layer.hpp"

namespace gdalmcp_hydrology {
namespace {

std::unique_ptr<OGRGeometry> line_of(const drawn_links& drawn, const stream_link& link) {
    const auto& extent = drawn.raster.extent();
    auto line = std::make_unique<OGRLineString>();
    const auto add = [&](std::size_t number) {
        const auto [x, y] = drawn.raster.centre(extent.row(drawn.cells[number]), extent.column(drawn.cells[number]));
        line->addPoint(x, y);
    };
    for (const auto number : link.cells) add(number);
    if (link.joins != off_grid) add(link.joins);
    if (line->getNumPoints() < 2) return nullptr;
    return line;
}

}  // namespace

void write_links(gdalmcp::call& call, gdalmcp_vector::result_file& file, const drawn_links& drawn,
                 const progress& tick) {
    std::vector<gdalmcp_vector::result_field> fields{
        {"link_id", OFTInteger64}, {"from_node", OFTInteger64}, {"to_node", OFTInteger64},
        {"to_link", OFTInteger64}, {"order", OFTInteger64},     {"length_m", OFTReal},
        {"drop", OFTReal},         {"area_km2", OFTReal},       {"edge", OFTInteger}};
    if (drawn.basins) fields.push_back({"basin", OFTInteger64});
    gdalmcp_vector::result_layer layer{file, "streams", wkbLineString, fields};
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const auto number = [](auto n) { return static_cast<double>(n); };
    std::size_t points = 0;
    for (std::size_t k = 0; k < drawn.links.size(); ++k) {
        if (k % 1024 == 0) tick(number(k) / number(drawn.links.size()));
        const auto& link = drawn.links[k];
        const auto last = drawn.cells[link.cells.back()];
        auto line = line_of(drawn, link);
        points += !line;
        std::vector<double> values{number(k + 1),
                                   number(link.from_node),
                                   number(link.to_node),
                                   link.below == off_grid ? none : number(link.below + 1),
                                   number(link.order),
                                   link.length,
                                   drawn.drops ? link.drop : none,
                                   drawn.area.values[last] / 1e6,
                                   number(drawn.area.contaminated[last])};
        if (drawn.basins) values.push_back(number((*drawn.basins)[last]));
        layer.add(std::move(line), values);
    }
    if (points > 0)
        call.warn(std::to_string(points) + (points == 1 ? " link is" : " links are") +
                  " a single cell that flows off the streams: " + (points == 1 ? "it has" : "they have") + " no line");
    layer.finish();
}

}  // namespace gdalmcp_hydrology
