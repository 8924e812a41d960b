#include "ogr_groups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "vector/ogr_aggregates.hpp"

namespace gdalmcp_fields {
namespace {

constexpr std::size_t most_correlated = 8;  // numeric fields of which each pair is correlated

bool is_number(OGRFieldType t) { return t == OFTInteger || t == OFTInteger64 || t == OFTReal; }

}  // namespace

std::vector<summed_field> summed_fields(OGRLayer& layer, const std::vector<std::string>& names) {
    std::vector<summed_field> all;
    for (const int i : gdalmcp_vector::fields_named(layer, names)) {
        const auto& f = *layer.GetLayerDefn()->GetFieldDefn(i);
        const auto type = f.GetType();
        if (!is_number(type) && type != OFTString && type != OFTDate && type != OFTTime && type != OFTDateTime)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "field '" + std::string{f.GetNameRef()} + "' is " +
                                     OGRFieldDefn::GetFieldTypeName(type) + ", which has no single value",
                                 "give fields of numbers, text or dates"};
        all.push_back({i, f.GetNameRef(), type, is_number(type)});
    }
    return all;
}

grouping::grouping(std::vector<summed_field> fields, std::vector<int> by, bool keep, std::optional<int> naming)
    : fields_{std::move(fields)}, by_{std::move(by)}, keep_{keep}, naming_{naming} {
    std::vector<std::size_t> numeric;
    for (std::size_t i = 0; i < fields_.size(); ++i)
        if (fields_[i].numeric) numeric.push_back(i);
    if (!by_.empty() || numeric.size() > most_correlated) return;
    for (std::size_t i = 0; i < numeric.size(); ++i)
        for (std::size_t k = i + 1; k < numeric.size(); ++k) pairs_.push_back({numeric[i], numeric[k]});
}

void grouping::add(const OGRFeature& feature) {
    std::size_t at = 0;
    const bool fresh = by_.empty() ? groups_.empty() : [&] {
        const auto [found, inserted] = known_.try_emplace(gdalmcp_vector::group_key(feature, by_), groups_.size());
        at = found->second;
        return inserted;
    }();
    if (fresh) {
        groups_.push_back({OGRFeatureUniquePtr{feature.Clone()}, 0,
                           std::vector<field_summary>(fields_.size(), field_summary{number_summary{keep_}})});
    }
    auto& group = groups_[at];
    ++group.features;
    const auto row = feature.GetFID();
    std::vector<double> numbers(fields_.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const auto& f = fields_[i];
        auto& s = group.fields[i];
        if (!feature.IsFieldSetAndNotNull(f.index)) {
            ++s.nulls;
        } else if (!f.numeric) {
            if (f.type == OFTString)
                s.texts.add(gdalmcp_vector::in_utf8(feature.GetFieldAsString(f.index)), row);
            else
                s.texts.add(s.texts.spelled(gdalmcp_vector::exact_text(feature, f.index),
                                            gdalmcp_vector::iso_text(feature, f.index)),
                            row, gdalmcp_vector::moment_of(feature, f.index));
        } else if (const double v = feature.GetFieldAsDouble(f.index); std::isfinite(v)) {
            s.numbers.add(v, row);
            numbers[i] = v;
            if (naming_ && s.numbers.min_row() == row) s.min_name = feature.GetFieldAsString(*naming_);
            if (naming_ && s.numbers.max_row() == row) s.max_name = feature.GetFieldAsString(*naming_);
        } else {
            ++s.not_finite;
        }
    }
    for (auto& p : pairs_)
        if (std::isfinite(numbers[p.a]) && std::isfinite(numbers[p.b])) p.both.add(numbers[p.a], numbers[p.b]);
}

void grouping::finish() {
    for (auto& g : groups_)
        for (auto& f : g.fields) f.numbers.finish();
    std::stable_sort(groups_.begin(), groups_.end(), [&](const auto& a, const auto& b) {
        for (const int i : by_)
            if (const int order = gdalmcp_vector::compare_values(*a.first, *b.first, i)) return order < 0;
        return false;
    });
}

std::vector<std::optional<std::string>> grouping::key(const feature_group& g) const {
    std::vector<std::optional<std::string>> all;
    for (const int i : by_)
        all.push_back(g.first->IsFieldSetAndNotNull(i) ? std::optional{gdalmcp_vector::iso_text(*g.first, i)}
                                                       : std::nullopt);
    return all;
}

namespace {

// Degrees such as 61°17'N and dates such as 2022-01 are text that names no row.
bool names_a_row(const std::string& text) {
    const bool dated = text.size() > 5 && text[4] == '-' && text.find_first_not_of("0123456789") == 4;
    return !text.empty() && !dated && text.find("\u00B0") == std::string::npos;
}

}  // namespace

std::optional<int> naming_field(OGRLayer& layer, const std::vector<int>& without) {
    constexpr int sample = 1000;
    std::vector<int> candidates;
    const auto& defn = *layer.GetLayerDefn();
    for (int i = 0; i < defn.GetFieldCount(); ++i) {
        const auto& f = *defn.GetFieldDefn(i);
        if (f.GetType() != OFTString || std::find(without.begin(), without.end(), i) != without.end()) continue;
        if (EQUAL(f.GetNameRef(), "name") || EQUAL(f.GetNameRef(), "label")) return i;
        candidates.push_back(i);
    }
    if (candidates.empty()) return std::nullopt;
    std::vector<std::set<std::string>> values(candidates.size());
    layer.ResetReading();
    for (int read = 0; read < sample; ++read) {
        const std::unique_ptr<OGRFeature> feature{layer.GetNextFeature()};
        if (!feature) break;
        for (std::size_t k = 0; k < candidates.size(); ++k)
            if (feature->IsFieldSetAndNotNull(candidates[k]) && names_a_row(feature->GetFieldAsString(candidates[k])))
                values[k].insert(feature->GetFieldAsString(candidates[k]));
    }
    layer.ResetReading();
    const auto most = std::max_element(values.begin(), values.end(),
                                       [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (most->empty()) return std::nullopt;
    return candidates[static_cast<std::size_t>(most - values.begin())];
}

void read_only(OGRLayer& layer, const std::vector<summed_field>& fields, const std::vector<int>& by,
               std::optional<int> naming) {
    if (!layer.TestCapability(OLCIgnoreFields)) return;
    const auto& defn = *layer.GetLayerDefn();
    const auto read = [&](int i) {
        return naming == i || std::find(by.begin(), by.end(), i) != by.end() ||
               std::any_of(fields.begin(), fields.end(), [i](const auto& f) { return f.index == i; });
    };
    CPLStringList ignored;
    for (int i = 0; i < defn.GetFieldCount(); ++i)
        if (!read(i)) ignored.AddString(defn.GetFieldDefn(i)->GetNameRef());
    ignored.AddString("OGR_GEOMETRY");
    ignored.AddString("OGR_STYLE");
    layer.SetIgnoredFields(const_cast<const char**>(ignored.List()));
}

}  // namespace gdalmcp_fields
