// gdal_map_layers.hpp — the layers of a map as a call gives them: their arguments, and the data open.
#pragma once
#include <gdalmcp/gdal_geometry.hpp>

#include <string>
#include <vector>

#include "gdal_map_picture.hpp"

namespace gdalmcp_maps {

inline const gdalmcp::arg<gdalmcp::dataset> uri{.name = "uri", .about = "Raster or vector."};
inline const auto subdataset_shown =
    gdalmcp::standard::described(gdalmcp::standard::subdataset, "As raster_info lists it.");
inline const auto layer_name = gdalmcp::standard::described(gdalmcp::standard::layer, "Vector layer.");
inline const gdalmcp::arg<std::optional<std::int64_t>> band{
    .name = "band", .about = "Default: red, green, blue, else 1.", .min = 1};
inline const gdalmcp::arg<std::optional<std::string>> colored_by{.name = "field", .about = "Colour by this field."};
inline const gdalmcp::arg<std::optional<std::string>> label{.name = "label", .about = "Write this field."};
inline const gdalmcp::arg<std::optional<std::string>> one_color{
    .name = "color", .about = "#rrggbb, without 'field'.", .max_length = 7};
inline const gdalmcp::arg<std::optional<gdalmcp::choice>> class_names{
    .name = "classes",
    .about = "Of numbers in 'field'. Default: quantile, or around zero.",
    .values = {"quantile", "equal_interval", "natural_breaks", "standard_deviation"},
    .synonyms = {{"quantiles", "quantile"},
                 {"equal", "equal_interval"},
                 {"jenks", "natural_breaks"},
                 {"fisher_jenks", "natural_breaks"},
                 {"std", "standard_deviation"},
                 {"stdev", "standard_deviation"}}};
inline const gdalmcp::arg<std::optional<std::int64_t>> class_count{
    .name = "class_count", .about = "Default 5, with 'midpoint' 6.", .min = 2, .max = 9};
inline const gdalmcp::arg<std::optional<double>> midpoint{.name = "midpoint", .about = "Blue below, red above."};
inline const gdalmcp::arg<std::optional<std::string>> second_field{.name = "second_field",
                                                                   .about = "Coloured with 'field', 3 × 3 classes."};
inline const gdalmcp::arg<std::optional<std::string>> size_field{.name = "size_field", .about = "Area of points."};
inline const gdalmcp::arg<std::optional<std::string>> unit{
    .name = "unit", .about = "Of the field, for the legend.", .max_length = 40};
inline const gdalmcp::arg<std::optional<double>> opacity{
    .name = "opacity", .about = "Default: 1, plain areas faint.", .min = 0, .max = 1};
inline const gdalmcp::objects layers{"layers",
                                     "The last on top.",
                                     {uri, layer_name, band, subdataset_shown, colored_by, class_names, class_count,
                                      midpoint, second_field, size_field, unit, label, one_color, opacity},
                                     1,
                                     6,
                                     gdalmcp::objects::or_bare};

// Opens what 'layers' names. Throws for members that do not belong to a layer's data or to each other.
std::vector<opened_layer> open_all(gdalmcp::call& call);

}  // namespace gdalmcp_maps
