// ogr_groups.hpp — the features of a layer in groups, with summaries of their fields.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "summary.hpp"
#include "vector/ogr_layer_pass.hpp"
#include "vector/ogr_selection.hpp"

namespace gdalmcp_fields {

// A field to summarise. Whole numbers and reals are numbers; dates, times and everything else is text.
struct summed_field {
    int index;
    std::string name;
    OGRFieldType type;
    bool numeric;
};

// Throws naming all fields for an unknown one, and for fields of bytes or lists, which have no single value.
std::vector<summed_field> summed_fields(OGRLayer&, const std::vector<std::string>& names);

struct field_summary {
    number_summary numbers;
    text_summary texts{};
    GIntBig nulls = 0, not_finite = 0;
    std::string min_name{}, max_name{};  // of the rows of a number's min and max
};

struct feature_group {
    OGRFeatureUniquePtr first;  // for the values of 'by'
    GIntBig features = 0;
    std::vector<field_summary> fields;
};

struct pair_of_fields {
    std::size_t a, b;  // of the summed fields
    correlation both{};
};

class grouping {
public:
    // keep: the values are held in memory, for medians and the like. naming: the field that names a row.
    grouping(std::vector<summed_field>, std::vector<int> by, bool keep, std::optional<int> naming);

    void add(const OGRFeature&);
    // After the last feature: groups by the values of 'by', in their order, nulls first.
    void finish();

    const std::vector<summed_field>& fields() const { return fields_; }
    const std::vector<feature_group>& groups() const { return groups_; }
    const std::vector<pair_of_fields>& pairs() const { return pairs_; }
    // Of a group: the values of 'by' as text; nullopt: null.
    std::vector<std::optional<std::string>> key(const feature_group&) const;

private:
    std::vector<summed_field> fields_;
    std::vector<int> by_;
    bool keep_;
    std::optional<int> naming_;
    std::vector<feature_group> groups_;
    std::vector<pair_of_fields> pairs_;
    std::unordered_map<std::string, std::size_t> known_;
};

// The field that names a feature for a reader: called name or label, else the text field with the most different values
// in the first 1000 features, of equals the first; nullopt: none. It is none of `without`.
std::optional<int> naming_field(OGRLayer&, const std::vector<int>& without);

// Reads no more of a layer than these fields, where its driver can leave others out.
void read_only(OGRLayer&, const std::vector<summed_field>&, const std::vector<int>& by, std::optional<int> naming);

}  // namespace gdalmcp_fields
