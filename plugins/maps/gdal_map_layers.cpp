#include "gdal_map_layers.hpp"

#include <filesystem>

#include "datasets/gdal_grid.hpp"
#include "datasets/gdal_raster_source.hpp"
#include "palette.hpp"
#include "raster/gdal_drawing.hpp"
#include "vector/ogr_layer_extent.hpp"
#include "vector/ogr_transformation.hpp"

namespace gdalmcp_maps {
namespace {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

color color_of(const std::string& hex) {
    if (hex.size() != 7 || hex[0] != '#' || hex.find_first_not_of("0123456789abcdefABCDEF", 1) != std::string::npos)
        throw error{GDALMCP_INVALID_ARGUMENT, "'color' is '" + hex + "'", "give it as #rrggbb, for example #1b6ca8"};
    const auto part = [&](std::size_t at) {
        return static_cast<std::uint8_t>(std::stoi(hex.substr(at, 2), nullptr, 16));
    };
    return {part(1), part(3), part(5), 255};
}

// What a file is called on a map: "roads" for /data/roads.gpkg; results by their short names.
std::string name_of(const std::string& path) { return std::filesystem::path{path}.stem().string(); }

bool is_raster(GDALDataset& d) { return d.GetRasterCount() > 0 || d.GetMetadata("SUBDATASETS") != nullptr; }

void refuse_for(const gdalmcp::call_arguments& one, bool raster, const std::string& path) {
    const auto refuse = [&](const char* name, const char* what) {
        throw error{GDALMCP_INVALID_ARGUMENT, std::string{"'"} + name + "' is given, but " + path + " is " + what,
                    "leave it out"};
    };
    const std::pair<const char*, bool> of_features[] = {{"field", one.given(colored_by)},
                                                        {"classes", one.given(class_names)},
                                                        {"class_count", one.given(class_count)},
                                                        {"midpoint", one.given(midpoint)},
                                                        {"second_field", one.given(second_field)},
                                                        {"size_field", one.given(size_field)},
                                                        {"unit", one.given(unit)},
                                                        {"label", one.given(label)},
                                                        {"color", one.given(one_color)}};
    for (const auto& [name, given] : of_features)
        if (raster && given) refuse(name, "a raster");
    if (!raster && one.given(band)) refuse("band", "vector data");
    if (!raster && one.given(subdataset_shown)) refuse("subdataset", "vector data");
}

// Red, green and blue where the bands are marked so; else the first.
std::vector<int> bands_to_draw(GDALDataset& d, const std::optional<std::int64_t>& asked, const std::string& path) {
    if (asked) {
        gdalmcp_datasets::require_band(path, d.GetRasterCount(), *asked);
        return {static_cast<int>(*asked)};
    }
    const auto marked = gdalmcp_raster::marked_bands(d);
    return marked.size() == 3 ? marked : std::vector<int>{1};
}

class_method method_named(const std::optional<gdalmcp::choice>& given) {
    if (!given) return class_method::automatic;
    return given->value == "quantile"         ? class_method::quantile
           : given->value == "equal_interval" ? class_method::equal_interval
           : given->value == "natural_breaks" ? class_method::natural_breaks
                                              : class_method::standard_deviation;
}

// Members of a layer that say nothing without another, or contradict it.
void check_style(const gdalmcp::call_arguments& one) {
    const auto refuse = [](const std::string& message, const char* hint) {
        throw error{GDALMCP_INVALID_ARGUMENT, message, hint};
    };
    const std::pair<const char*, bool> of_field[] = {{"classes", one.given(class_names)},
                                                     {"class_count", one.given(class_count)},
                                                     {"midpoint", one.given(midpoint)},
                                                     {"second_field", one.given(second_field)}};
    for (const auto& [name, given] : of_field)
        if (given && !one.given(colored_by))
            refuse(std::string{"'"} + name + "' is given without 'field'", "name the field of numbers to colour by");
    if (one.given(unit) && !one.given(colored_by) && !one.given(size_field))
        refuse("'unit' is given without 'field' or 'size_field'", "name the field that it is the unit of");
    if (one.given(one_color) && one.given(colored_by))
        refuse("'color' is given beside 'field', whose classes have colours of their own", "leave one of the two out");
    const bool deviations = method_named(one[class_names]) == class_method::standard_deviation;
    for (const auto& [name, given] : of_field) {
        const std::string member = name;
        if (given && deviations && member != "classes")
            refuse("'" + member + "' is given, but 'classes' is standard_deviation: its classes lie around the mean",
                   "leave it out, or choose other classes");
        if (given && one.given(second_field) && (member == "class_count" || member == "midpoint"))
            refuse("'" + member + "' is given, but two fields have 3 × 3 classes", "leave it out");
    }
}

feature_style style_of(const gdalmcp::call_arguments& one, std::size_t number) {
    feature_style s;
    s.field = one[colored_by];
    s.second_field = one[second_field];
    s.size_field = one[size_field];
    s.classes.method = method_named(one[class_names]);
    if (const auto n = one[class_count]) s.classes.count = static_cast<std::size_t>(*n);
    s.classes.midpoint = one[midpoint];
    s.unit = one[unit].value_or("");
    s.opacity = one[opacity].value_or(1);
    s.label = one[label];
    s.one = one[one_color] ? color_of(*one[one_color]) : bright_colors[number];
    if (!one.given(opacity) && !s.field) s.area_fill = number > 0 ? 0.12 : 0.43;
    return s;
}

opened_layer open(gdalmcp::call& call, const gdalmcp::call_arguments& one, std::size_t number) {
    opened_layer o;
    const auto path = o.path = one[uri].path;
    o.dataset = gdal::open(one[uri]);
    const bool raster = is_raster(*o.dataset) && (o.dataset->GetLayerCount() == 0 || !one.given(layer_name));
    refuse_for(one, raster, path);
    o.title = name_of(path);
    if (raster) {
        o.style.opacity = one[opacity].value_or(1);
        o.dataset = gdalmcp_datasets::open_raster(gdalmcp::raster{path}, one[subdataset_shown]);
        o.bands = bands_to_draw(*o.dataset, one[band], path);
        if (o.bands.size() == 1 && o.dataset->GetRasterCount() > 1) {
            o.title += ", band " + std::to_string(o.bands.front());
            if (!one[band])
                call.say(path + ": band 1 of " + std::to_string(o.dataset->GetRasterCount()) +
                         " is shown; 'band' chooses another");
        }
        for (const int b : o.bands) gdalmcp_datasets::require_real(*o.dataset->GetRasterBand(b));
        gdalmcp_datasets::tell_lost_location(call, path, *o.dataset);
        const auto g = gdalmcp_datasets::grid_of(*o.dataset);
        if (!g.georeferenced && o.dataset->GetGCPCount() == 0 && !o.dataset->GetMetadata("RPC") &&
            !o.dataset->GetMetadata("GEOLOCATION"))
            throw error{GDALMCP_UNSUPPORTED, path + " has no geotransform: where its cells lie is unknown",
                        "georeference it first; raster_preview draws it as it is"};
        o.place = {o.title, g.crs, g.extent()};
        return o;
    }
    o.features = &gdal::layer_of(*o.dataset, one[layer_name]);
    if (o.features->GetGeomType() == wkbNone)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    path + ": layer '" + o.features->GetName() + "' is a table without geometries",
                    "give a layer with geometries; vector_join adds the columns of a table to one"};
    o.place.name = o.title;
    o.place.crs = gdalmcp_vector::crs_of(*o.features, std::nullopt, [&](const std::string& text) { call.warn(text); });
    o.place.extent = gdalmcp_vector::layer_extent(*o.dataset, *o.features);
    if (o.place.extent.IsInit()) {
        gdal::check_coordinates("layers", o.place.extent);
        const auto narrower = gdalmcp_vector::extent_across_180(*o.features, o.place.crs, o.place.extent);
        if (narrower != o.place.extent) o.place.across_180 = narrower;
    }
    check_style(one);
    o.style = style_of(one, number);
    if (o.dataset->GetLayerCount() > 1) o.title += ": " + std::string{o.features->GetName()};
    if (o.style.field) o.title += ": " + *o.style.field;
    if (o.style.second_field) o.title += ", " + *o.style.second_field;
    return o;
}

}  // namespace

std::vector<opened_layer> open_all(gdalmcp::call& call) {
    std::vector<opened_layer> all;
    for (const auto& one : call[layers]) all.push_back(open(call, one, all.size()));
    return all;
}

}  // namespace gdalmcp_maps
