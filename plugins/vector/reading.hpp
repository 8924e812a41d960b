// Every feature of a layer, once, without losing one unsaid.
#pragma once
#include <gdalmcp/gdal_geometry.hpp>

#include <functional>
#include <string>

namespace gdalmcp_vector {

// Reports how far a loop is, in [0,1]; throws gdalmcp::cancelled when it must stop.
using progress = std::function<void(double)>;
// Receives what a tool wants to say without failing.
using notice = std::function<void(const std::string&)>;
// Returns false to stop reading.
using visit = std::function<bool(OGRFeature&)>;

// Calls `each` for the layer's features in its order, filters honoured. Throws naming the feature GDAL could not read
// whole (GDAL goes on with a missing geometry).
void for_each_feature(OGRLayer&, const progress&, const visit& each);

// The same, but goes on after damaged features; returns how many there were and, in `first`, what GDAL said of the
// first.
GIntBig for_each_readable_feature(OGRLayer&, const progress&, const visit& each, std::string& first);

}  // namespace gdalmcp_vector
