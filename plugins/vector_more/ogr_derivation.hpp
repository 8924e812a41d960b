// What an operation makes of the geometry of one feature, or of those of a group: pieces, each a feature of the result.
//
//   const auto& op = operation_named("convex_hull");
//   const auto work = derivation_of(op, choices, from);
//   for (auto& p : work.of(*feature.GetGeometryRef(), 1)) …
#pragma once
#include "ogr_metric_frame.hpp"
#include "ogr_piece.hpp"
#include "vector/ogr_surface.hpp"

namespace gdalmcp_vector_more {

// Whether an operation takes the geometries of several features together.
enum class grouping { never, if_asked, always };

struct operation {
    const char* name;
    grouping groups = grouping::never;
    bool valid = false;            // invalid polygons are repaired first
    bool carries_members = false;  // of a group, each piece has the attributes of one feature
    // The arguments it has a use for, beside those of all: by their names.
    std::vector<const char*> needs{}, takes{};
};

// All, in the order they are listed.
const std::vector<operation>& operations();
// REQUIRES: one of them.
const operation& operation_named(const std::string&);

// What the caller chose, as far as the operation needs it.
struct derivation_choices {
    std::optional<double> metres;  // nothing: `distance` is in units of the CRS
    double distance = 0;
    std::int64_t n = 0;
    std::uint64_t seed = 1;
    double ratio = 0;
    int decimals = 0;
    std::string shape;
};

// What derivations use and find out.
struct derivation_state {
    OGRSpatialReference crs;
    std::optional<gdalmcp_vector::ground> earth;  // nothing: the layer has no place on Earth
    std::optional<gdalmcp_vector::surface> areas;
    std::optional<metric_frame> frame;
    GIntBig duplicates = 0;  // points at the place of another
};

struct derivation {
    OGRwkbGeometryType type;  // of the pieces
    bool multi = false;
    std::vector<gdalmcp_vector::added_field> fields{};
    std::string method;  // "in the plane of EPSG:32633"
    // `number`: of the feature or group, for random numbers; a group comes as a collection. An empty list: nothing of
    // the kind can be made of it. Throws unusable.
    std::function<pieces(const OGRGeometry&, std::uint64_t number)> of{};
    std::shared_ptr<derivation_state> state{};
};

// The most points or vertices made.
inline constexpr std::int64_t max_derived = 10'000'000;

// Throws gdalmcp::error for metres on a layer without a place on Earth.
derivation derivation_of(const operation&, const derivation_choices&, const gdalmcp_vector::source_layer&);

}  // namespace gdalmcp_vector_more
