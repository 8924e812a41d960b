// ogr_columns.hpp — the fields and measures of features as columns of an expression, and its results as fields.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "expressions/row_expression.hpp"
#include "vector/ogr_ground.hpp"

namespace gdalmcp_fields {

// What expressions can name: the fields of a layer that have one value, $fid, and, with geometries, $x and $y
// (centroid, in the layer's CRS) and, with a CRS too, $area_m2, $length_m and $perimeter_m (on the ellipsoid).
class column_source {
public:
    // earth: of the layer's CRS; nullptr: it has none. It outlives the columns.
    column_source(const OGRFeatureDefn&, const gdalmcp_vector::ground* earth);

    const std::vector<gdalmcp_expressions::row_input>& inputs() const { return inputs_; }
    bool measures() const { return earth_ != nullptr; }
    // The values of an input, of those of at most `lane` features that are `wanted`. failed: of each feature, why its
    // geometry cannot be measured, if so. Throws gdalmcp::error for a whole number that a double rounds.
    void fill(std::size_t input, const std::vector<OGRFeatureUniquePtr>&, const std::vector<bool>& wanted,
              gdalmcp_expressions::column& into, std::vector<std::string>& failed);
    // Features with an invalid geometry, which were measured by its repaired form.
    GIntBig repaired() const { return static_cast<GIntBig>(repaired_.size()); }
    // Features with an infinite number in an input, which is missing there.
    GIntBig infinite() const { return static_cast<GIntBig>(infinite_.size()); }
    // Whether a geometry that was measured has heights, which no measure takes in.
    bool heights() const { return heights_; }

private:
    // A field by its place, or one of these.
    enum { fid = -1, x = -2, y = -3, area = -4, length = -5, perimeter = -6 };
    static bool measured(int what) { return what < fid; }
    void add(const char* name, int what);
    double measure_of(const OGRFeature&, int what);  // throws unusable

    const gdalmcp_vector::ground* earth_;
    std::vector<gdalmcp_expressions::row_input> inputs_;
    std::vector<int> what_;  // field, or one of the above
    std::set<GIntBig> repaired_, infinite_;
    bool heights_ = false;
};

// The type of a field that holds an expression's results.
struct result_type {
    OGRFieldType type;
    OGRFieldSubType subtype = OFSTNone;
};
result_type type_for(const gdalmcp_expressions::row_expression&);

// Sets a field to a row of a result; null where it is missing. Throws gdalmcp::error for a whole number that a double
// rounds.
void set_result(OGRFeature&, int field, gdalmcp_expressions::value_type, const gdalmcp_expressions::column&,
                std::size_t row);

}  // namespace gdalmcp_fields
