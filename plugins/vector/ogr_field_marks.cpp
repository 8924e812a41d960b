#include "ogr_field_marks.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace gdalmcp_vector {

namespace gdal = gdalmcp::gdal;

std::string field_reference(const std::string& name) {
    const bool word =
        !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
    return word ? name : "\"" + name + "\"";
}

namespace {

std::string way_out(marks_left_out how, const std::string& name, const std::string& number) {
    const auto field = field_reference(name);
    if (how == marks_left_out::expression)
        return "where(" + field + " == " + number + ", null(), " + field + ") makes it null";
    return std::string{how == marks_left_out::where ? "leave it out with 'where'"
                                                    : "leave it out first, with vector_query and 'where'"} +
           ", as in " + field + " <> " + number;
}

}  // namespace

std::string any_of_them(const std::vector<std::string>& statistics) {
    std::string text;
    for (std::size_t i = 0; i < statistics.size(); ++i)
        text += (i == 0 ? "" : i + 1 == statistics.size() ? " or " : ", ") + statistics[i];
    return text.empty() ? text : text + " of them";
}

void warn_of_directions(gdalmcp::call& call, const std::string& field, const field_directions& seen,
                        const std::string& of_them) {
    if (!seen.found() || of_them.empty()) return;
    const auto tenths = [](double v) { return gdal::number_text(std::round(10 * v) / 10); };
    call.warn("'" + field + "' holds directions, " + tenths(seen.lowest()) + " to " + tenths(seen.highest()) +
              " degrees: " + of_them +
              " means nothing, since 359 and 1 are 2 degrees apart, not 358; compute with the sine and cosine of each, "
              "which vector_calc makes");
}

marked_fields::marked_fields(OGRLayer& layer, const std::vector<int>& fields) {
    for (const int i : fields) {
        const auto& f = *layer.GetLayerDefn()->GetFieldDefn(i);
        const auto type = f.GetType();
        if ((type != OFTInteger && type != OFTInteger64 && type != OFTReal) || f.GetSubType() == OFSTBoolean) continue;
        if (std::none_of(columns_.begin(), columns_.end(), [i](const auto& c) { return c.index == i; }))
            columns_.push_back({i, f.GetNameRef(), field_directions{f.GetNameRef()}});
    }
}

void marked_fields::see(const OGRFeature& feature) {
    for (auto& c : columns_) {
        if (!feature.IsFieldSetAndNotNull(c.index)) continue;
        const double value = feature.GetFieldAsDouble(c.index);
        c.values.see(value);
        c.directions.see(value);
    }
}

std::vector<std::string> marked_fields::said(marks_left_out how,
                                             const std::function<bool(const std::string& number)>& meant) const {
    std::vector<std::string> all;
    for (const auto& c : columns_)
        for (const auto& mark : c.values.found()) {
            const auto number = gdal::number_text(mark.value);
            if (meant(number)) continue;
            all.push_back("'" + c.name + "' holds " + number + " in " + std::to_string(mark.rows) +
                          (mark.rows == 1 ? " row" : " rows") +
                          ", which usually marks a missing value and counts as a number here; " +
                          way_out(how, c.name, number));
        }
    return all;
}

void marked_fields::tell(gdalmcp::call& call, marks_left_out how,
                         const std::function<bool(const std::string& number)>& meant) const {
    for (const auto& text : said(how, meant)) call.warn(text);
}

void marked_fields::tell_directions(gdalmcp::call& call, const std::string& of_them) const {
    for (const auto& c : columns_) warn_of_directions(call, c.name, c.directions, of_them);
}

}  // namespace gdalmcp_vector
