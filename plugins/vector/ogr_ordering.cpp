#include "ogr_ordering.hpp"

#include <gdalmcp/gdal_open.hpp>

#include <algorithm>
#include <cmath>

#include "ogr_aggregates.hpp"
#include "ogr_selection.hpp"

namespace gdalmcp_vector {

namespace {

// Comparable among values of one field; what has no order sorts as its text.
feature_order::value value_of(const OGRFeature& f, int i) {
    if (!f.IsFieldSetAndNotNull(i)) return {};
    switch (f.GetFieldDefnRef(i)->GetType()) {
        case OFTInteger:
        case OFTInteger64:
            return static_cast<std::int64_t>(f.GetFieldAsInteger64(i));
        case OFTReal: {
            const double v = f.GetFieldAsDouble(i);
            return std::isnan(v) ? feature_order::value{} : feature_order::value{v};
        }
        case OFTDate:
        case OFTTime:
        case OFTDateTime:
            return moment_of(f, i);
        default:
            return std::string{f.GetFieldAsString(i)};
    }
}

std::string text_of(const OGRFeature& f, int field) {
    const auto v = value_of(f, field);
    const auto type = f.GetFieldDefnRef(field)->GetType();
    if (v.index() != 0 && (type == OFTDate || type == OFTTime || type == OFTDateTime)) return iso_text(f, field);
    if (const auto* n = std::get_if<std::int64_t>(&v)) return std::to_string(*n);
    if (const auto* d = std::get_if<double>(&v)) return gdalmcp::gdal::number_text(*d);
    if (const auto* s = std::get_if<std::string>(&v)) return "'" + *s + "'";
    return "null";
}

// "Einkommen (Mio.)" in the double quotes that 'where' needs.
std::string without_quotes(const std::string& name) {
    const bool quoted = name.size() > 2 && name.front() == '"' && name.back() == '"';
    return quoted ? name.substr(1, name.size() - 2) : name;
}

}  // namespace

feature_order::feature_order(OGRLayer& layer, const std::vector<std::string>& by) {
    for (const auto& one : by) {
        column c{layer.GetLayerDefn()->GetFieldIndex(one.c_str()), false, one};
        if (const auto blank = one.find_last_of(' '); c.field < 0 && blank != std::string::npos) {
            const auto word = one.substr(blank + 1);
            c.descending = EQUAL(word.c_str(), "desc") || EQUAL(word.c_str(), "descending");
            if (c.descending || EQUAL(word.c_str(), "asc") || EQUAL(word.c_str(), "ascending"))
                c.name = one.substr(0, blank);
        }
        if (layer.GetLayerDefn()->GetFieldIndex(c.name.c_str()) < 0) c.name = without_quotes(c.name);
        c.field = fields_named(layer, {c.name}).front();
        columns_.push_back(std::move(c));
    }
}

feature_order::key feature_order::of(const OGRFeature& f) const {
    key k;
    for (const auto& c : columns_) k.push_back(value_of(f, c.field));
    return k;
}

void feature_order::see(const key& k) {
    for (std::size_t i = 0; i < columns_.size(); ++i)
        if (const auto* text = std::get_if<std::string>(&k[i])) columns_[i].texts.see(*text);
}

std::string feature_order::misordered() const {
    for (const auto& c : columns_)
        if (c.texts.misordered()) return c.name;
    return {};
}

bool feature_order::before(const key& a, const key& b) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (a[i] == b[i]) continue;
        const bool null_a = a[i].index() == 0, null_b = b[i].index() == 0;
        if (null_a || null_b) return null_b;
        return columns_[i].descending ? b[i] < a[i] : a[i] < b[i];
    }
    return false;
}

std::string feature_order::said() const {
    std::string text;
    for (const auto& c : columns_) text += (text.empty() ? "" : ", ") + c.name + (c.descending ? " desc" : "");
    return text;
}

std::string feature_order::said(const OGRFeature& f) const {
    std::string text;
    for (const auto& c : columns_) text += (text.empty() ? "" : ", ") + c.name + " " + text_of(f, c.field);
    return text;
}

bool ranking::before(const item& a, const item& b) const {
    if (order_.before(a.key, b.key)) return true;
    return !order_.before(b.key, a.key) && a.turn < b.turn;
}

void ranking::add(const OGRFeature& feature, std::unique_ptr<OGRGeometry> geometry) {
    const auto first = [&](const item& a, const item& b) { return before(a, b); };
    item one{order_.of(feature), turn_++, nullptr, std::move(geometry)};
    order_.see(one.key);
    const bool full = static_cast<GIntBig>(kept_.size()) >= most_;
    if (!full || order_.before(one.key, kept_.front().key)) one.feature.reset(feature.Clone());
    if (!full) {
        kept_.push_back(std::move(one));
        if (static_cast<GIntBig>(kept_.size()) == most_) std::make_heap(kept_.begin(), kept_.end(), first);
        return;
    }
    if (!one.feature) {
        tied_ += one.key == kept_.front().key;
        return;
    }
    std::pop_heap(kept_.begin(), kept_.end(), first);
    const auto left_out = std::move(kept_.back().key);
    kept_.back() = std::move(one);
    std::push_heap(kept_.begin(), kept_.end(), first);
    // What was left out before is worse than, or equal to, what is left out now.
    tied_ = left_out == kept_.front().key ? tied_ + 1 : 0;
}

std::vector<ranking::item> ranking::ranked() {
    std::sort(kept_.begin(), kept_.end(), [&](const item& a, const item& b) { return before(a, b); });
    return std::move(kept_);
}

}  // namespace gdalmcp_vector
