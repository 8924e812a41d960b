#include "ogr_basin_layer.hpp"

#include "gdal_basin_polygons.hpp"

namespace gdalmcp_hydrology {

void write_basins(gdalmcp::call& call, gdalmcp_vector::result_file& file, const drawn_basins& drawn, double from,
                  double to) {
    auto outlines = outline_basins(call, drawn.raster, drawn.map.labels, from, to);
    std::vector<gdalmcp_vector::result_field> fields{
        {"basin", OFTInteger64},    {"point", OFTInteger64}, {"area_km2", OFTReal}, {"up_km2", OFTReal},
        {"to_basin", OFTInteger64}, {"snapped_m", OFTReal},  {"edge", OFTInteger}};
    if (drawn.streams) fields.insert(fields.end(), {{"stream_km", OFTReal}, {"order", OFTInteger64}});
    gdalmcp_vector::result_layer layer{file, "basins", wkbMultiPolygon, fields};
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    for (auto& [label, shape] : outlines) {
        const auto k = static_cast<std::size_t>(label - 1);
        const auto& b = drawn.map.basins[k];
        std::vector<double> values{static_cast<double>(label),
                                   b.point ? static_cast<double>(b.point->feature) : none,
                                   b.own_area / 1e6,
                                   drawn.area.values[b.outlet] / 1e6,
                                   static_cast<double>(drawn.map.next[k]),
                                   b.point ? b.moved : none,
                                   static_cast<double>(drawn.area.contaminated[b.outlet])};
        if (drawn.streams) {
            values.push_back((*drawn.streams)[k].length / 1000);
            values.push_back((*drawn.streams)[k].order);
        }
        layer.add(std::move(shape), values);
    }
    layer.finish();
}

}  // namespace gdalmcp_hydrology
