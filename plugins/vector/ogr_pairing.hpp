// The features of a held layer that belong to a feature of another: by key, relation, distance or common area.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ogr_held_layer.hpp"
#include "ogr_keys.hpp"
#include "ogr_output_layer.hpp"
#include "predicate.hpp"

namespace gdalmcp_vector {

// A join feature that matches, with what is measured of the pair.
struct partner {
    std::size_t item;
    std::vector<double> values{};
};

// One target, and what became of it.
struct row {
    OGRFeatureUniquePtr feature;
    std::unique_ptr<OGRGeometry> elsewhere{};  // its geometry in the CRS of the held shapes, where that is another
    std::vector<partner> partners{};
    std::size_t tied = 0;
    bool bare = false, invalid = false;
    std::string trouble{};
};

// Finds the partners of a target. Each worker is one thread at a time.
class pairing {
public:
    virtual ~pairing() = default;
    virtual void pair(row&, std::size_t worker) = 0;
    virtual std::vector<added_field> fields() const { return {}; }
    virtual std::string said() const = 0;
    virtual const key_fields* keys() const { return nullptr; }  // of pairs by key
    // Beside the layer itself.
    virtual std::size_t index_bytes() const { return 0; }
};

// REQUIRES: `join` outlives each.
std::unique_ptr<pairing> pair_by_key(key_fields, const held_layer& join);
// `name`: of the predicate. Geometries of targets in the CRS of the held shapes, as for the following.
std::unique_ptr<pairing> pair_by_relation(const held_layer& join, predicate, std::string name, std::size_t workers);
// The k nearest within `most` metres.
std::unique_ptr<pairing> pair_by_distance(const held_layer& join, const OGRSpatialReference& crs, std::size_t k,
                                          double most, std::size_t workers);
// The one with the largest common area.
std::unique_ptr<pairing> pair_by_overlap(const held_layer& join, const OGRSpatialReference& crs, std::size_t workers);

}  // namespace gdalmcp_vector
