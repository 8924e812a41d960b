// Selects features of a layer: by a condition on attributes, a relation to a geometry, a list of fields.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ogr_census.hpp"
#include "ogr_condition_logic.hpp"
#include "predicate.hpp"

namespace gdalmcp_vector {

// A text in single quotes of a condition; compared: by =, <> or IN.
struct condition_text {
    std::string text;
    bool compared;
};

// A condition in OGR's own language ("pop > 1000 AND name LIKE 'S%'"), the same for every format. It is never passed to
// a database: SQLite would run functions hidden in it that open other files. Where a value is null its comparisons are
// neither true nor false, as in SQL.
class attribute_filter {
public:
    // Throws naming the layer's fields and their types when the condition does not fit them.
    attribute_filter(OGRLayer&, const std::string& where);
    // OGR SQL compares text without regard to the case of ASCII letters, and numbers kept as text by their characters;
    // where that decides, GDAL is given a warning.
    bool accepts(OGRFeature&) const;
    // What the layer holds instead, where no feature meets the condition: for each of its fields, texts like those of
    // the condition, or the range of its numbers and dates. "'name' has \"Côte d'Ivoire\"; 'year' has 1990 to 2021".
    // Empty where nothing can be said. Reads at most 100 000 features.
    std::string values_there(OGRLayer&) const;

private:
    void tell_of_case(const OGRFeature&) const;
    void tell_of_size(const OGRFeature&) const;
    void tell_of_clock(const OGRFeature&) const;

    std::string where_;
    std::vector<condition_text> texts_;
    std::vector<int> text_fields_;      // that it names
    std::string clock_time_;            // without a zone, of the condition
    mutable std::vector<int> moments_;  // that it names, until told of
    std::unique_ptr<OGRFeatureQuery> query_;
    mutable std::vector<text_by_size> by_size_;  // until told of
    std::vector<decided_here> decided_here_;
    mutable bool told_of_case_ = false;
};

// The relation feature-to-area, decided by GEOS on the geometry itself (its box only rejects distant features).
class spatial_filter {
public:
    // REQUIRES: `area` is valid, in the layer's CRS, and outlives the filter.
    spatial_filter(const OGRGeometry& area, predicate);
    // Whether a geometry in this box can be accepted at all; cheap.
    bool may_accept(const OGREnvelope& box) const { return box_.Intersects(box) != FALSE; }
    // REQUIRES: a valid geometry. An empty one is never accepted.
    bool accepts(const OGRGeometry&) const;

private:
    const OGRGeometry& area_;
    OGREnvelope box_;
    predicate predicate_;
    OGRPreparedGeometryUniquePtr prepared_;
};

// The part of `geometry` inside `area`, without pieces of a lower dimension (where a polygon only touches the area's
// edge), with chords for arcs; nullptr when nothing is left. `dropped`: set when there were such pieces. REQUIRES: both
// valid.
std::unique_ptr<OGRGeometry> clipped(const OGRGeometry& geometry, const OGRGeometry& area, bool* dropped = nullptr);

// The same for many geometries and one area, which may have many vertices. `area` outlives it.
class clip_area {
public:
    explicit clip_area(const OGRGeometry& area)
        : area_{area}, meets_{area, predicate::intersects}, holds_{area, predicate::within} {}
    std::unique_ptr<OGRGeometry> part_of(const OGRGeometry&) const;

private:
    const OGRGeometry& area_;
    spatial_filter meets_, holds_;
};

// Indexes of the named fields, in the order named. Throws naming all fields for an unknown one.
std::vector<int> fields_named(OGRLayer&, const std::vector<std::string>& names);

// The index of a field of numbers. Throws naming all fields for one that is not there or holds something else.
int number_field(OGRLayer&, const std::string& name);

// Refuses a condition or expression with a number that is the name of a field as well: 1990 > pop.
void refuse_names_as_numbers(const OGRFeatureDefn&, const std::string& text);

// "name (String), pop (Integer64)"
std::string field_list(const OGRFeatureDefn&);

}  // namespace gdalmcp_vector
