// A piece of what is derived from geometries: a feature of the result.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "vector/ogr_reading.hpp"

namespace gdalmcp_vector_more {

struct piece {
    std::unique_ptr<OGRGeometry> shape;
    std::vector<double> values{};  // of the added fields; NaN: null
    std::size_t member = 0;        // whose attributes it has: the place of a geometry in the collection of a group
};
using pieces = std::vector<piece>;

}  // namespace gdalmcp_vector_more
