// The rows of a join: each target with its partners, written and counted.
#pragma once
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ogr_layer_pass.hpp"
#include "ogr_pairing.hpp"

namespace gdalmcp_vector {

class joined_rows {
public:
    struct tally {
        GIntBig matched = 0, unmatched = 0, multiplied = 0, tied = 0, invalid = 0, bare = 0;
        std::vector<std::pair<GIntBig, std::string>> first_unmatched;  // at most 2000
        std::vector<std::pair<GIntBig, std::int64_t>> first_multiplied;
        std::vector<bool> used, shared;                                   // of the held features: by a row, by several
        double least_measured = std::numeric_limits<double>::infinity();  // of all pairs: a distance in m, or a share
    };

    // `extra`: values behind the fields of both layers. `inner`: targets without a partner are left out. `many`: each
    // partner makes a row, else several make none. `keys`: nullptr where joined by place. REQUIRES: all outlive it.
    joined_rows(layer_pass&, const held_layer&, std::size_t extra, bool inner, bool many, const key_fields* keys);

    // The rows of one target. Throws unusable.
    void write(row&);

    // Different keys of the held features that matched no target, as shown, in order; at most 100 000 features are
    // looked at. Empty where joined by place.
    std::vector<std::string> unused_keys() const;

    // The first of them: their keys, by place their ids. Empty where all are used.
    std::string unused_said(const std::vector<std::string>& keys) const;

    tally count;

private:
    void add(row&, const OGRFeature* partner, const std::vector<double>& measured, bool last);

    layer_pass& pass_;
    const held_layer& held_;
    std::size_t extra_;
    bool inner_, many_;
    const key_fields* keys_;
};

}  // namespace gdalmcp_vector
