// gdal_map_picture.hpp — layers drawn over each other as one picture, with title, legend and scale bar.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gdal_cells.hpp"
#include "gdal_furniture.hpp"
#include "ogr_features.hpp"

namespace gdalmcp_maps {

// A layer to draw, open.
struct opened_layer {
    std::string path;  // as the call names it
    gdalmcp::gdal::dataset_ptr dataset;
    OGRLayer* features = nullptr;  // none: a raster
    std::vector<int> bands;
    layer_place place;
    feature_style style;
    std::string title;
};

struct map_wish {
    std::optional<std::string> title = {}, credit = {};
    bool legend = true, graticule = false;
    bool only_area = false;  // no room for symbols beyond the area is added
};

struct finished_map {
    map_frame frame;
    furniture shown;
    std::vector<legend_block> blocks;
    std::vector<drawn_features> features;  // of each layer; of a raster empty
    std::vector<std::string> kinds;        // of each layer
    std::vector<bool> empty;               // of each layer: nothing of it is in the map
    canvas picture;
};

// Draws the layers of a call, the last on top. area: in the plane; longer: the picture's longer side, pixels; part: of
// the call's progress.
finished_map draw_map(gdalmcp::call& call, std::vector<opened_layer>& all, const map_plane& plane,
                      const OGREnvelope& area, const map_wish& wish, int longer, const span& part);

}  // namespace gdalmcp_maps
