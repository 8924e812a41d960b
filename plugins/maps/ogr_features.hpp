// ogr_features.hpp — a vector layer on the pixels of a map.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "field_classes.hpp"
#include "gdal_map_frame.hpp"
#include "legend.hpp"

namespace gdalmcp_maps {

inline constexpr double largest_radius = 18;  // of points by size, in pixels

struct feature_style {
    std::optional<std::string> field;              // coloured by; none: one colour
    std::optional<std::string> second_field = {};  // coloured by both
    std::optional<std::string> size_field = {};    // the area of points
    class_wish classes = {};
    std::string unit = {};             // of the field; without one, of size_field
    double opacity = 1;                // of polygons without their outlines, of lines and points
    std::optional<std::string> label;  // written beside the features
    color one{0, 0, 0, 255};
    double area_fill = 1;  // of the colour of areas, beside opacity: faint ones let what lies below shine through
};

// What was drawn, for the legend and the result.
struct drawn_features {
    swatch form = swatch::area;
    std::string geometry;  // polygons, lines or points
    GIntBig count = 0;     // in the map
    GIntBig without_geometry = 0, no_place = 0, no_value = 0;
    std::optional<classification> classes;
    std::optional<legend_square> square;  // of two fields
    std::vector<legend_entry> sizes;
    GIntBig no_size = 0;             // null, zero or negative
    std::vector<std::string> marks;  // of missing values, among the numbers drawn
    std::size_t labels = 0, labels_left_out = 0;
};

// The features of a layer that reach into the map, transformed to it; labels are drawn last, so that they stand over
// all layers.
class feature_layer {
public:
    // `crs`: of the layer, x first. Reads the features; memory grows with those in the map.
    feature_layer(OGRLayer& layer, const OGRSpatialReference& crs, const map_frame& frame, feature_style style,
                  gdalmcp::call& call, double progress_from, double progress_to);

    void draw(canvas& c);
    void draw_labels(canvas& c, label_room& room);
    const drawn_features& about() const { return about_; }

private:
    struct shape {
        std::unique_ptr<OGRGeometry> geometry;
        std::optional<std::string> label;
    };
    struct columns;  // the values of the fields, by feature
    void classify(const columns&);
    void scale_points(std::vector<double> sizes);
    bool write(canvas& c, label_room& room, const shape& s);
    color color_of(std::size_t feature) const;
    void stroke_outline(canvas& c, std::size_t polygon, double width) const;

    const map_frame& frame_;
    feature_style style_;
    std::vector<shape> shapes_;
    std::vector<double> radii_;  // by size; empty: all the same
    drawn_features about_;
};

legend_block legend_of(const drawn_features&, const feature_style&, const std::string& title);

}  // namespace gdalmcp_maps
