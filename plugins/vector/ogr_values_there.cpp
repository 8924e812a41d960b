// What a layer holds where no feature meets a condition.
#include <set>

#include "likeness.hpp"
#include "ogr_field_marks.hpp"
#include "ogr_selection.hpp"

namespace gdalmcp_vector {

namespace {

constexpr std::size_t most_values = 10'000;  // different texts of a field
constexpr GIntBig most_features = 100'000;

struct seen_values {
    int field;
    OGRFieldType type;
    std::set<std::string> texts{};
    double low = 0, high = 0;
    std::string first{}, last{};  // of dates, which are written with the year first
    bool any = false;
    GIntBig empty = 0;  // texts of no letter, which are not null

    bool numeric() const { return type == OFTInteger || type == OFTInteger64 || type == OFTReal; }
    void see(const OGRFeature& f) {
        if (!f.IsFieldSetAndNotNull(field)) return;
        if (numeric()) {
            const double v = f.GetFieldAsDouble(field);
            low = any ? std::min(low, v) : v;
            high = any ? std::max(high, v) : v;
        } else if (const std::string text = f.GetFieldAsString(field); type != OFTString) {
            first = any ? std::min(first, text) : text;
            last = any ? std::max(last, text) : text;
        } else {
            empty += text.empty();
            if (texts.size() < most_values) texts.insert(text);
        }
        any = true;
    }
    std::string said(const std::string& name, const std::vector<std::string>& wanted, bool asks_for_null) const {
        if (asks_for_null && empty > 0)
            return "'" + name + "' has " + std::to_string(empty) + (empty == 1 ? " empty text" : " empty texts") +
                   ", not null: " + field_reference(name) + " = '' selects them";
        if (!any) return "'" + name + "' has no value";
        const auto range = [&](const std::string& a, const std::string& b) {
            return "'" + name + "' has " + a + (a == b ? "" : " to " + b);
        };
        if (numeric()) return range(gdalmcp::gdal::number_text(low), gdalmcp::gdal::number_text(high));
        if (type != OFTString) return range(first, last);
        std::string text;
        const std::vector<std::string> all{texts.begin(), texts.end()};
        for (const auto& w : wanted)
            for (const auto& like : texts.count(w) ? std::vector<std::string>{} : most_alike(w, all, 3))
                text += (text.empty() ? "" : ", ") + gdalmcp::gdal::json_quote(like);
        return text.empty() ? "" : "'" + name + "' has " + text;
    }
};

}  // namespace

std::string attribute_filter::values_there(OGRLayer& layer) const {
    const CPLStringList names{query_->GetUsedFields()};
    std::vector<seen_values> fields;
    for (int k = 0; k < names.Count(); ++k)
        if (const int i = layer.GetLayerDefn()->GetFieldIndex(names[k]); i >= 0)
            fields.push_back({i, layer.GetLayerDefn()->GetFieldDefn(i)->GetType()});
    GIntBig read = 0;
    left_out damaged;
    for_each_readable_feature(
        layer, [](double) {},
        [&](OGRFeature& f) {
            for (auto& one : fields) one.see(f);
            return ++read < most_features;
        },
        damaged);
    std::string text;
    const bool asks_for_null = CPLString{where_}.toupper().find("IS NULL") != std::string::npos;
    std::vector<std::string> wanted;
    for (const auto& t : texts_) wanted.push_back(t.text);
    for (const auto& one : fields) {
        const auto said = one.said(layer.GetLayerDefn()->GetFieldDefn(one.field)->GetNameRef(), wanted, asks_for_null);
        if (!said.empty()) text += (text.empty() ? "" : "; ") + said;
    }
    return text;
}

}  // namespace gdalmcp_vector
