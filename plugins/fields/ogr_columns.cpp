#include "ogr_columns.hpp"

#include <cmath>
#include <limits>

#include "vector/ogr_aggregates.hpp"

namespace gdalmcp_fields {

using gdalmcp_expressions::column;
using gdalmcp_expressions::value_type;

namespace {

constexpr double exact = 9007199254740992;  // 2^53
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

std::optional<gdalmcp_expressions::row_input> input_of(const OGRFieldDefn& f) {
    const std::string name = f.GetNameRef();
    switch (f.GetType()) {
        case OFTInteger:
        case OFTInteger64:
            return {{name, f.GetSubType() == OFSTBoolean ? value_type::truth : value_type::number, true}};
        case OFTReal:
            return {{name, value_type::number}};
        case OFTString:
        case OFTTime:
            return {{name, value_type::text}};
        case OFTDate:
            return {{name, value_type::date}};
        case OFTDateTime:
            return {{name, value_type::moment}};
        default:
            return std::nullopt;
    }
}

[[noreturn]] void refuse_rounding(const std::string& name, const OGRFeature& f, const std::string& value,
                                  const std::string& way) {
    throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                         "'" + name + "' is " + value + " in feature " + std::to_string(f.GetFID()) +
                             ", a whole number beyond 2^53, which arithmetic here would round",
                         "leave such rows out with 'where', or " + way};
}

}  // namespace

column_source::column_source(const OGRFeatureDefn& defn, const gdalmcp_vector::ground* earth) : earth_{earth} {
    auto& fields = const_cast<OGRFeatureDefn&>(defn);
    for (int i = 0; i < fields.GetFieldCount(); ++i)
        if (const auto input = input_of(*fields.GetFieldDefn(i))) {
            inputs_.push_back(*input);
            what_.push_back(i);
        }
    add("$fid", fid);
    inputs_.back().whole = true;
    if (fields.GetGeomFieldCount() == 0) return;
    add("$x", x);
    add("$y", y);
    if (!earth) return;
    add("$area_m2", area);
    add("$length_m", length);
    add("$perimeter_m", perimeter);
}

void column_source::add(const char* name, int what) {
    inputs_.push_back({name, value_type::number});
    what_.push_back(what);
}

double column_source::measure_of(const OGRFeature& f, int what) {
    const auto* own = f.GetGeometryRef();
    if (!own || own->IsEmpty()) return missing;
    if (wkbFlatten(own->getGeometryType()) == wkbPoint && (what == x || what == y))
        return what == x ? own->toPoint()->getX() : own->toPoint()->getY();
    const bool invalid = own->getDimension() == 2 && !gdalmcp::gdal::invalid_reason(*own).empty();
    const auto repaired = invalid ? gdalmcp::gdal::valid_form(*own) : nullptr;
    if (invalid && !repaired) throw gdalmcp_vector::unusable{"its geometry is invalid and GEOS cannot repair it"};
    if (repaired) repaired_.insert(f.GetFID());
    const auto& shape = repaired ? *repaired : *own;
    if (what == x || what == y) {
        const auto p = earth_ ? earth_->centroid(shape) : gdalmcp_vector::planar_centroid(shape);
        if (!p) return missing;
        return what == x ? p->getX() : p->getY();
    }
    heights_ = heights_ || (own->Is3D() && own->getDimension() > 0);
    // Geodesics along every edge, which lengths need, take ten times as long as the area alone.
    if (what == area) return shape.getDimension() == 2 ? earth_->area(shape) : missing;
    const auto m = earth_->measure(shape);
    return (what == length ? m.length : m.perimeter).value_or(missing);
}

void column_source::fill(std::size_t input, const std::vector<OGRFeatureUniquePtr>& features,
                         const std::vector<bool>& wanted, column& into, std::vector<std::string>& failed) {
    const auto& in = inputs_[input];
    const int what = what_[input];
    const bool words = in.type == value_type::text || in.type == value_type::date || in.type == value_type::moment;
    if (words) into.texts.resize(gdalmcp_expressions::lane), into.missing.assign(gdalmcp_expressions::lane, 1);
    for (std::size_t row = 0; row < features.size(); ++row) {
        const auto& f = *features[row];
        if (!wanted[row]) {
            into.numbers[row] = missing;
        } else if (measured(what)) {
            into.numbers[row] = missing;
            try {
                into.numbers[row] = measure_of(f, what);
            } catch (const gdalmcp_vector::unusable& e) {
                failed[row] = e.why;
            }
        } else if (what == fid) {
            into.numbers[row] = static_cast<double>(f.GetFID());
        } else if (!f.IsFieldSetAndNotNull(what)) {
            into.numbers[row] = missing;
        } else if (words) {
            into.missing[row] = 0;
            into.texts[row] = gdalmcp_vector::iso_text(f, what);
        } else {
            const double v = f.GetFieldAsDouble(what);
            into.numbers[row] = std::isfinite(v) ? v : missing;
            if (std::isinf(v)) infinite_.insert(f.GetFID());
            if (in.whole && std::abs(v) >= exact)
                refuse_rounding(in.name, f, f.GetFieldAsString(what),
                                "make text of the field: vector_convert with types {\"" + in.name + "\": \"String\"}");
        }
    }
}

result_type type_for(const gdalmcp_expressions::row_expression& e) {
    switch (e.type()) {
        case value_type::truth:
            return {OFTInteger, OFSTBoolean};
        case value_type::text:
            return {OFTString};
        case value_type::date:
            return {OFTDate};
        case value_type::moment:
            return {OFTDateTime};
        default:
            return {e.whole() ? OFTInteger64 : OFTReal};
    }
}

void set_result(OGRFeature& f, int field, value_type type, const column& from, std::size_t row) {
    if (type == value_type::text || type == value_type::date || type == value_type::moment) {
        if (from.missing[row]) return f.SetFieldNull(field);
        return f.SetField(field, from.texts[row].c_str());
    }
    const double v = from.numbers[row];
    if (std::isnan(v)) return f.SetFieldNull(field);
    const auto& defn = *f.GetFieldDefnRef(field);
    if (defn.GetType() == OFTReal) return f.SetField(field, v);
    if (std::abs(v) >= exact)
        refuse_rounding(defn.GetNameRef(), f, gdalmcp::gdal::number_text(v),
                        "compute it as a decimal number: end the expression with / 1");
    f.SetField(field, static_cast<GIntBig>(v));
}

}  // namespace gdalmcp_fields
