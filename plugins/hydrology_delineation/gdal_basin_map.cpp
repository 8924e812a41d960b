#include "gdal_basin_map.hpp"

#include <filesystem>

#include "maps/gdal_map_picture.hpp"
#include "maps/gdal_picture_result.hpp"
#include "vector/ogr_layer_extent.hpp"

namespace gdalmcp_hydrology_delineation {
namespace {

namespace gdal = gdalmcp::gdal;
namespace maps = gdalmcp_maps;

constexpr int longer_side = 640;  // pixels
constexpr maps::color basin_color{170, 51, 119, 255}, stream_color{0, 90, 181, 255}, outlet_color{220, 50, 32, 255};

maps::opened_layer terrain_layer(const gdalmcp::raster& dem, const gdal_raster& raster) {
    maps::opened_layer layer;
    layer.dataset = gdal::open(dem);
    layer.bands = {raster.band().GetBand()};
    layer.title = std::filesystem::path{raster.path()}.stem().string();
    layer.place = {layer.title, raster.crs(), raster.on().extent()};
    return layer;
}

maps::opened_layer feature_layer(gdal::dataset_ptr file, const char* name, const char* title,
                                 const OGRSpatialReference& crs, const maps::color& shown) {
    maps::opened_layer layer;
    layer.features = file->GetLayerByName(name);
    layer.place = {title, crs, gdalmcp_vector::layer_extent(*file, *layer.features)};
    layer.style.one = shown;
    layer.style.area_fill = 0.12;
    layer.title = title;
    layer.dataset = std::move(file);
    return layer;
}

// The outlets as points that carry the number of their basin.
gdal::dataset_ptr outlet_points(const gdal_raster& raster, const basin_map& map) {
    gdal::dataset_ptr file{
        GetGDALDriverManager()->GetDriverByName("Memory")->Create("", 0, 0, 0, GDT_Unknown, nullptr)};
    auto* layer = file ? file->CreateLayer("outlets", nullptr, wkbPoint) : nullptr;
    OGRFieldDefn number{"basin", OFTInteger64};
    if (!layer || layer->CreateField(&number) != OGRERR_NONE) gdal::raise("cannot make a layer in memory");
    for (std::size_t k = 0; k < map.basins.size(); ++k) {
        const auto cell = map.basins[k].outlet;
        const auto [x, y] = raster.centre(raster.extent().row(cell), raster.extent().column(cell));
        OGRFeature point{layer->GetLayerDefn()};
        point.SetField(0, static_cast<GIntBig>(k + 1));
        point.SetGeometryDirectly(new OGRPoint{x, y});
        if (layer->CreateFeature(&point) != OGRERR_NONE) gdal::raise("cannot make a point in memory");
    }
    return file;
}

}  // namespace

void attach_basin_map(gdalmcp::call& call, const gdalmcp::raster& dem, const gdal_raster& raster, const basin_map& map,
                      const std::string& file) {
    std::vector<maps::opened_layer> layers;
    layers.push_back(terrain_layer(dem, raster));
    for (const auto& [name, shown] : {std::pair{"basins", basin_color}, std::pair{"streams", stream_color}})
        layers.push_back(feature_layer(gdal::open(gdalmcp::vector{file}), name, name, raster.crs(), shown));
    layers.push_back(feature_layer(outlet_points(raster, map), "outlets", "outlets", raster.crs(), outlet_color));
    if (map.basins.size() > 1) layers.back().style.label = "basin";
    const auto& basins = layers[1].place;
    const auto plane = maps::plane_for({basins}, basins, std::nullopt);
    const auto area = maps::extent_in(plane, basins);
    maps::attach_picture(call, longer_side, [&](int longer, int attempt) {
        const double from = 0.95 + 0.01 * attempt;
        return maps::draw_map(call, layers, plane, area, {}, longer, {from, from + 0.01});
    });
}

}  // namespace gdalmcp_hydrology_delineation
