// Statistics of the fields of grouped features: one value for each group, of the type its statistic has.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ogr_reading.hpp"

namespace gdalmcp_vector {

enum class aggregate { sum, mean, min, max, count, first, last, median, stdev, distinct };

struct wanted_aggregate {
    std::string field;
    aggregate statistic;
    std::string word;  // as the caller names it: "mean"
};

class aggregates {
public:
    // Throws for fields the layer does not have, and for statistics their type has not, naming both.
    aggregates(OGRLayer&, std::vector<wanted_aggregate>);

    // Fields "pop_sum", "name_first", in order. Integers stay integers in sums; min, max, first and last have the type
    // of their field.
    OGRFeatureDefn& definition() const { return *definition_; }

    // Those of these features with an infinite value in a field that is asked for.
    GIntBig infinite(const std::vector<OGRFeatureUniquePtr>& features) const;

    // Of the features at these places; nulls, NaN and infinite values are left out, and a statistic of nothing is null
    // (a sum too; a count is 0). Throws where a sum of integers does not fit.
    OGRFeatureUniquePtr of(const std::vector<OGRFeatureUniquePtr>& features,
                           const std::vector<std::size_t>& group) const;

private:
    struct column {
        int from;
        aggregate statistic;
        OGRFieldType type;
    };
    void set_number(OGRFeature& to, int at, const column&, const std::vector<const OGRFeature*>& given) const;
    std::vector<column> columns_;
    std::vector<std::string> names_;
    struct release {
        void operator()(OGRFeatureDefn* d) const { d->Release(); }
    };
    std::unique_ptr<OGRFeatureDefn, release> definition_;
};

// Text that is not UTF-8, in which it is read then; of UTF-8 whose last character is cut, what comes before it.
std::string in_utf8(const char* text, const std::string& encoding = CPL_ENC_ISO8859_1);

// The value of a field as text that is the same exactly where it is equal: times that state their offset from UTC are
// equal as instants. REQUIRES: it is not null.
std::string exact_text(const OGRFeature&, int field);

// Seconds of a date, a time of day or both since 1970-01-01: in UTC if that is wanted and it states a zone, else by the
// clock as written.
double seconds_of(const OGRField& moment, bool utc);
// The same of a field, in UTC where it states a zone.
double moment_of(const OGRFeature&, int field);

// The text of a field, of numbers with all their digits; of dates as ISO 8601 has it: 2024-05-31, 2024-05-31T08:00:00Z.
// REQUIRES: it is not null.
std::string iso_text(const OGRFeature&, int field);
// Dates and times of one feature that are text of another, by the fields of both: OGR's own text is 2024/01/31.
bool becomes_text(const OGRFieldDefn& time, const OGRFieldDefn& made);
void set_texts_of_times(OGRFeature& made, const OGRFeature& of, const std::vector<std::pair<int, int>>& fields);

// The order of the values of a field in two features: < 0, 0, > 0. Null first, numbers by size, dates by time, text by
// bytes.
int compare_values(const OGRFeature&, const OGRFeature&, int field);

// The values of fields as text that is equal exactly where they are; null is a value of its own.
std::string group_key(const OGRFeature&, const std::vector<int>& fields);

}  // namespace gdalmcp_vector
