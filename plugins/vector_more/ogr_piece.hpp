// A piece of what is derived from geometries: a feature of the result.
#pragma once
#include <memory>
#include <vector>

#include "vector/geos.hpp"
#include "vector/ogr_reading.hpp"

namespace gdalmcp_vector_more {

struct piece {
    std::unique_ptr<OGRGeometry> shape;
    std::vector<double> values{};  // of the added fields; NaN: null
    std::size_t member = 0;        // whose attributes it has: the place of a geometry in the collection of a group
};
using pieces = std::vector<piece>;

// None of nullptr.
inline pieces one_piece(std::unique_ptr<OGRGeometry> shape, std::vector<double> values = {}) {
    pieces all;
    if (shape) all.push_back({std::move(shape), std::move(values)});
    return all;
}

// What `work` returns; a failure of GEOS makes a geometry unusable.
template <class F>
auto by_geos(F&& work) {
    try {
        return work();
    } catch (const gdalmcp_vector::geos::failure& e) {
        throw gdalmcp_vector::unusable{e.what()};
    }
}

}  // namespace gdalmcp_vector_more
