// ogr_calculation.hpp — the computed fields of features, of many at a time.
#pragma once
#include <limits>
#include <memory>

#include "ogr_columns.hpp"

namespace gdalmcp_fields {

struct computed {
    std::string name;
    gdalmcp_expressions::row_expression does;
    int replaces;  // a field of the source, or -1
    // undefined: rows that needed a value that is not defined; of these without a result: undefined_nulls.
    GIntBig nulls = 0, undefined = 0, undefined_nulls = 0;
    std::string first_undefined{};  // "feature 3 has v '12.5%'"
    double min = std::numeric_limits<double>::infinity(), max = -min;
};

struct release_definition {
    void operator()(OGRFeatureDefn* d) const { d->Release(); }
};

class calculation {
public:
    // They outlive it; what is counted of each field is counted in `fields`.
    calculation(std::vector<computed>& fields, column_source& source);

    // A field for each of them, in order.
    OGRFeatureDefn& definition() const { return *definition_; }

    // The computed fields of each of at most `lane` features. Those that are not `wanted` have the value of the field
    // that is replaced, or null. `failed`: of each, why its geometry cannot be measured, if so; it is not counted, and
    // what is computed of it has no meaning. Throws gdalmcp::error where the old value is of another type, and for
    // whole numbers that a double rounds.
    std::vector<OGRFeatureUniquePtr> of(const std::vector<OGRFeatureUniquePtr>& features,
                                        const std::vector<bool>& wanted, std::vector<std::string>& failed);

private:
    void count(computed& c, const OGRFeature& result, int at, double number, std::size_t row) const;
    // The values of the inputs of a result in a row, for a message.
    std::string inputs_of(const computed& c, std::size_t row) const;
    std::vector<computed>& fields_;
    column_source& source_;
    std::unique_ptr<OGRFeatureDefn, release_definition> definition_;
    std::vector<gdalmcp_expressions::column> columns_;  // of the source's inputs
};

}  // namespace gdalmcp_fields
