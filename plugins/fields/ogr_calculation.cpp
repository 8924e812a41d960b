#include "ogr_calculation.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_fields {

using gdalmcp_expressions::column;
using gdalmcp_expressions::value_type;

namespace {

// A row outside 'where' keeps the value of the field that is replaced; other types cannot stand beside the new ones.
void keep_old(OGRFeature& to, int at, const OGRFeature& from, const computed& c) {
    if (c.replaces < 0 || !from.IsFieldSetAndNotNull(c.replaces)) return to.SetFieldNull(at);
    const auto kind = to.GetFieldDefnRef(at)->GetType(), old = from.GetFieldDefnRef(c.replaces)->GetType();
    const auto whole = [](OGRFieldType t) { return t == OFTInteger || t == OFTInteger64; };
    if (kind == old)
        to.SetField(at, const_cast<OGRFeature&>(from).GetRawFieldRef(c.replaces));
    else if (whole(kind) && whole(old))
        to.SetField(at, from.GetFieldAsInteger64(c.replaces));
    else if (kind == OFTReal && whole(old))
        to.SetField(at, from.GetFieldAsDouble(c.replaces));
    else
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "'" + c.name + "' is " + OGRFieldDefn::GetFieldTypeName(old) +
                                 " in rows that 'where' leaves out, and " + OGRFieldDefn::GetFieldTypeName(kind) +
                                 " in the others",
                             "give the new field another name"};
}

}  // namespace

calculation::calculation(std::vector<computed>& fields, column_source& source)
    : fields_{fields}, source_{source}, definition_{new OGRFeatureDefn{"computed"}}, columns_(source.inputs().size()) {
    definition_->Reference();
    definition_->SetGeomType(wkbNone);
    for (const auto& c : fields_) {
        const auto kind = type_for(c.does);
        OGRFieldDefn f{c.name.c_str(), kind.type};
        f.SetSubType(kind.subtype);
        definition_->AddFieldDefn(&f);
    }
}

std::vector<OGRFeatureUniquePtr> calculation::of(const std::vector<OGRFeatureUniquePtr>& features,
                                                 const std::vector<bool>& wanted, std::vector<std::string>& failed) {
    std::vector<OGRFeatureUniquePtr> results;
    for (const auto& f : features) {
        results.emplace_back(OGRFeature::CreateFeature(definition_.get()));
        results.back()->SetFID(f->GetFID());
    }
    failed.assign(features.size(), {});
    std::vector<bool> filled(columns_.size());
    for (const auto& c : fields_)
        for (const auto i : c.does.uses()) {
            if (!filled[i]) source_.fill(i, features, wanted, columns_[i], failed);
            filled[i] = true;
        }
    for (std::size_t k = 0; k < fields_.size(); ++k) {
        auto& c = fields_[k];
        const int at = static_cast<int>(k);
        std::vector<const column*> inputs;
        for (const auto i : c.does.uses()) inputs.push_back(&columns_[i]);
        const auto& found = c.does.evaluate(inputs, features.size());
        for (std::size_t row = 0; row < features.size(); ++row) {
            if (!failed[row].empty()) continue;
            if (!wanted[row]) {
                keep_old(*results[row], at, *features[row], c);
                continue;
            }
            set_result(*results[row], at, c.does.type(), found, row);
            count(c, *results[row], at, found.numbers[row], row);
        }
    }
    return results;
}

std::string calculation::inputs_of(const computed& c, std::size_t row) const {
    std::string said;
    for (const auto i : c.does.uses()) {
        const auto& of = columns_[i];
        const bool words = row < of.texts.size();
        const bool missing = words ? of.missing[row] != 0 : std::isnan(of.numbers[row]);
        said += (said.empty() ? "" : ", ") + source_.inputs()[i].name + " " +
                (missing ? "null"
                 : words ? "'" + of.texts[row] + "'"
                         : gdalmcp_expressions::digits_of(of.numbers[row]));
    }
    return said;
}

void calculation::count(computed& c, const OGRFeature& result, int at, double number, std::size_t row) const {
    const bool null = !result.IsFieldSetAndNotNull(at), undefined = c.does.undefined(row);
    if (undefined && c.undefined++ == 0)
        c.first_undefined = c.does.uses().empty()
                                ? "in every row alike"
                                : "feature " + std::to_string(result.GetFID()) + " has " + inputs_of(c, row);
    c.undefined_nulls += null && undefined;
    if (null) {
        ++c.nulls;
    } else if (c.does.type() == value_type::number) {
        c.min = std::min(c.min, number);
        c.max = std::max(c.max, number);
    }
}

}  // namespace gdalmcp_fields
