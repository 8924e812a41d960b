// What tools of whole layers share: held layers of one kind of geometry, valid, in one CRS.
#pragma once
#include <initializer_list>
#include <optional>

#include "ogr_held_layer.hpp"
#include "ogr_layer_pass.hpp"

namespace gdalmcp_vector {

// West, south, east, north in degrees of what both layers cover, which chooses the transformation between them; of
// `other` where they do not meet.
std::optional<std::array<double, 4>> common_area(const source_layer& own, const source_layer& other);

// The way from the CRS of `other` to that of `own`. Throws where one states none, naming the argument and both CRSs.
transformation reconciled(gdalmcp::call&, const source_layer& own, const char* own_argument, const source_layer& other,
                          const char* other_argument);

// "; b transformed from EPSG:3857 (name of the operation)"; "" where nothing moved.
std::string transformed_text(const transformation&, const source_layer& other, const char* other_argument);

// Refused naming the ids, unless `repair` was chosen. `argument`: of the layer.
void refuse_invalid(const held_layer&, const char* argument);

// Warns of features that were repaired, and of those of which nothing is left.
void warn_of_repaired(gdalmcp::call&, std::initializer_list<const held_layer*>);

// Warns of heights, m values and curves, which the shapes do not have.
void warn_of_flattened(gdalmcp::call&, std::initializer_list<const held_layer*> layers);

// The dimension all shapes of a layer have, 2 without any. Throws naming two features that differ.
int dimension_of(const held_layer&, const char* argument);

// Refuses layers in degrees whose longitudes are of different turns around the Earth (-180 to 180, 0 to 360), or that
// go past both: the same place would have two longitudes. `on_ground`: what is measured wraps, so none may pass 180.
void refuse_mixed_turns(const source_layer& one, const source_layer* other, bool on_ground);

}  // namespace gdalmcp_vector
