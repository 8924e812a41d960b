#include "ogr_value_losses.hpp"

#include <cmath>
#include <cstring>

namespace gdalmcp_vector {

value_losses::value_losses(const format& f)
    : driver_{f.driver},
      shapefile_{driver_ == "ESRI Shapefile"},
      geopackage_{driver_ == "GPKG"},
      text_{driver_ == "CSV" || driver_ == "KML" || driver_ == "GML"} {}

bool value_losses::see(const OGRFeature& feature) {
    see_dates(feature);
    if (geopackage_) see_nan(feature);
    if (text_) see_in_text(feature);
    return shapefile_ && see_in_shapefile(feature);
}

bool value_losses::see_in_shapefile(const OGRFeature& feature) {
    constexpr std::size_t longest = 254;                       // bytes of a text in a dBASE table
    constexpr GIntBig least_wide = 1'000'000'000'000'000'000;  // readers take 19 digits for a decimal number
    bool cut = false;
    for (int i = 0; i < feature.GetFieldCount(); ++i) {
        const auto& field = *feature.GetFieldDefnRef(i);
        if (!feature.IsFieldSetAndNotNull(i)) continue;
        if (field.GetType() == OFTString && std::strlen(feature.GetFieldAsString(i)) > longest)
            ++cut_[field.GetNameRef()];
        if (field.GetType() == OFTReal) cut = see_number(feature.GetFieldAsDouble(i), field) || cut;
        if (field.GetType() != OFTInteger64) continue;
        if (const auto v = feature.GetFieldAsInteger64(i); v >= least_wide || v <= -least_wide)
            ++wide_[field.GetNameRef()];
    }
    return cut;
}

// A dBASE table holds the first characters of a number with a fixed number of decimals.
bool value_losses::see_number(double v, const OGRFieldDefn& field) {
    constexpr double digits = 1e-9;
    if (!std::isfinite(v) || field.GetWidth() <= 0) return false;
    std::string text = CPLSPrintf("%.*f", field.GetPrecision(), v);
    const bool cut = text.size() > static_cast<std::size_t>(field.GetWidth());
    if (cut) text.resize(static_cast<std::size_t>(field.GetWidth()));
    const double written = CPLAtof(text.c_str());
    if (std::abs(written - v) <= digits * std::abs(v)) return cut;
    auto& n = numbers_[field.GetNameRef()];
    if (n.count++ == 0 || (cut && !n.whole_digits))
        n.value = gdalmcp::gdal::number_text(v), n.written = CPLSPrintf("%.9g", written), n.whole_digits = cut;
    return cut;
}

// Whole numbers of 16 digits are keys, of which others become equal; of measures the 16th digit is rounding.
void value_losses::see_in_text(const OGRFeature& feature) {
    constexpr double least = 1e15;
    for (int i = 0; i < feature.GetFieldCount(); ++i) {
        const auto& field = *feature.GetFieldDefnRef(i);
        if (field.GetType() != OFTReal || !feature.IsFieldSetAndNotNull(i)) continue;
        const double v = feature.GetFieldAsDouble(i);
        if (!std::isfinite(v) || std::abs(v) < least || std::floor(v) != v) continue;
        const std::string written = feature.GetFieldAsString(i);
        if (CPLAtof(written.c_str()) == v) continue;
        auto& n = numbers_[field.GetNameRef()];
        if (n.count++ == 0) n.value = CPLSPrintf("%.17g", v), n.written = written;
    }
}

// A .dbf table holds what was typed: the 30th of February, month 13. Readers of other formats take it for null.
void value_losses::see_dates(const OGRFeature& feature) {
    for (int i = 0; i < feature.GetFieldCount(); ++i) {
        const auto& field = *feature.GetFieldDefnRef(i);
        if ((field.GetType() != OFTDate && field.GetType() != OFTDateTime) || !feature.IsFieldSetAndNotNull(i))
            continue;
        const auto& date = feature.GetRawFieldRef(i)->Date;
        const int leap = date.Year % 4 == 0 && (date.Year % 100 != 0 || date.Year % 400 == 0);
        const int days = date.Month == 2                                                             ? 28 + leap
                         : date.Month == 4 || date.Month == 6 || date.Month == 9 || date.Month == 11 ? 30
                                                                                                     : 31;
        if (date.Month >= 1 && date.Month <= 12 && date.Day >= 1 && date.Day <= days) continue;
        auto& n = dates_[field.GetNameRef()];
        if (n.count++ == 0) n.value = CPLSPrintf("%04d-%02d-%02d", date.Year, date.Month, date.Day);
    }
}

void value_losses::see_nan(const OGRFeature& feature) {
    for (int i = 0; i < feature.GetFieldCount(); ++i)
        if (feature.GetFieldDefnRef(i)->GetType() == OFTReal && feature.IsFieldSetAndNotNull(i) &&
            std::isnan(feature.GetFieldAsDouble(i)))
            ++nan_[feature.GetFieldDefnRef(i)->GetNameRef()];
}

void value_losses::tell(const notice& say) const {
    const auto numbers = [](GIntBig n) { return std::to_string(n) + (n == 1 ? " number" : " numbers"); };
    if (!cut_.empty()) {
        const auto& [field, texts] = *cut_.begin();
        throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                             "a Shapefile holds texts of at most 254 bytes, and " + std::to_string(texts) +
                                 (texts == 1 ? " text" : " texts") + " of the field '" + field + "' would be cut" +
                                 (cut_.size() > 1 ? ", as would others" : ""),
                             "write to .gpkg, or leave the field out with 'attributes' of vector_query"};
    }
    if (!wide_.empty())
        throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                             std::to_string(wide_.begin()->second) + " integers of the field '" + wide_.begin()->first +
                                 "' have 19 digits, and a Shapefile keeps 18 exactly",
                             "write to .gpkg, or leave the field out with 'attributes' of vector_query"};
    for (const auto& [field, n] : dates_)
        say("'" + field + "' has " + std::to_string(n.count) + (n.count == 1 ? " date" : " dates") +
            " that no calendar has, such as " + n.value + ", which readers take for null");
    for (const auto& [field, n] : nan_) say("'" + field + "': NaN becomes null in a GeoPackage (" + numbers(n) + ")");
    for (const auto& [field, n] : numbers_) {
        const auto what =
            "'" + field + "': " + (shapefile_ ? "a Shapefile" : driver_) + " holds " + n.written + " for " + n.value;
        if (n.whole_digits)
            throw gdalmcp::error{GDALMCP_UNSUPPORTED, what + ", since the number has too many digits for it",
                                 "write to .gpkg, or leave the field out with 'attributes' of vector_query"};
        say(what + ", and " + numbers(n.count) + " with less than " + (shapefile_ ? "nine" : "16") +
            " right digits; write to .gpkg to keep them");
    }
}

}  // namespace gdalmcp_vector
