// The values of a layer that its output's format does not hold as they are: texts and numbers of a Shapefile, numbers
// that text formats write with 15 digits, NaN in a GeoPackage; and dates that no calendar has.
#pragma once
#include <ogr_feature.h>

#include <map>
#include <string>

#include "ogr_format.hpp"
#include "ogr_reading.hpp"

namespace gdalmcp_vector {

class value_losses {
public:
    explicit value_losses(const format& f);

    // Counts those of a feature of the output. Whether GDAL would complain of a number that it writes with fewer
    // digits.
    bool see(const OGRFeature&);
    // Throws for values that would be lost, and says which numbers lose digits.
    void tell(const notice& say) const;

private:
    bool see_in_shapefile(const OGRFeature&);
    bool see_number(double v, const OGRFieldDefn&);
    void see_in_text(const OGRFeature&);
    void see_dates(const OGRFeature&);
    void see_nan(const OGRFeature&);

    struct lost_number {
        GIntBig count = 0;
        bool whole_digits = false;   // one has another size
        std::string value, written;  // of the first such, else of the first
    };
    std::string driver_;
    bool shapefile_, geopackage_, text_;         // the last: numbers as texts of 15 digits
    std::map<std::string, GIntBig> cut_, wide_;  // texts too long, integers that readers round; by field of the output
    std::map<std::string, GIntBig> nan_;
    std::map<std::string, lost_number> dates_;    // `value`: the first
    std::map<std::string, lost_number> numbers_;  // not held to nine digits, or whole ones not to their last
};

}  // namespace gdalmcp_vector
