// class_tally.hpp — what a zone holds of each class, and how much of it has none.
#pragma once
#include <optional>
#include <set>
#include <vector>

#include "class_code.hpp"
#include "value_shares.hpp"

namespace gdalmcp_aggregation {

struct class_extent {
    double cells = 0;  // sum of the covered shares
    double area = 0;   // m², 0 where areas are not known
};

struct class_row {
    class_code code;
    class_extent extent;
    bool classified = true;
};

struct class_tally {
    std::vector<class_row> rows;  // by code; of pairs also those with data in one raster only, which are unclassified
    class_extent classified;      // with data, of pairs in both rasters
    class_extent unclassified;    // without
    class_extent unlisted;        // of `unclassified`, what has no row
    class_extent other;           // of `classified`, the classes not asked for

    // Of what is classified: by area where areas are known, else by cells. nullopt of an unclassified row.
    std::optional<double> share_of(const class_row& row) const {
        if (!row.classified) return std::nullopt;
        return classified.area > 0 ? row.extent.area / classified.area : row.extent.cells / classified.cells;
    }
};

// counted: class_code::packed(), in any order, the same one any number of times. pairs: of two rasters. wanted: values
// of the rows to keep, those that do not occur with an extent of 0 unless they are of pairs; empty = all.
class_tally tally_of(const std::vector<value_share>& counted, bool pairs, const std::set<std::int64_t>& wanted);

}  // namespace gdalmcp_aggregation
