#include "ogr_selection.hpp"

#include <gdalmcp/gdal_arcs.hpp>
#include <gdalmcp/gdal_collect.hpp>
#include <gdalmcp/gdal_table_notes.hpp>

#include <algorithm>
#include <cctype>

#include "number_texts.hpp"
#include "ogr_aggregates.hpp"
#include "ogr_shapes.hpp"

namespace gdalmcp_vector {

namespace {

// The texts in single quotes: 'Côte d''Ivoire'.
std::vector<condition_text> texts_of(const std::string& where) {
    std::vector<condition_text> all;
    std::string before;  // the characters so far that are no blanks, the last two of them
    for (std::size_t i = 0; i < where.size(); ++i) {
        if (where[i] == '"') i = std::min(where.find('"', i + 1), where.size());
        if (i >= where.size()) break;
        if (where[i] != '\'') {
            if (where[i] != ' ') before = (before + where[i]).substr(before.size() > 1);
            continue;
        }
        const bool by_size = before == "<=" || before == ">=";
        condition_text one{
            {}, before == "<>" || (!by_size && before.find_first_of("=(,", before.size() - 1) != std::string::npos)};
        for (++i; i < where.size(); ++i) {
            if (where[i] == '\'' && (i + 1 == where.size() || where[i + 1] != '\'')) break;
            i += where[i] == '\'';
            one.text += where[i];
        }
        all.push_back(std::move(one));
    }
    return all;
}

// "2024-03-31T22:00:00" or with a blank, without a zone behind it.
bool is_clock_time(const std::string& text) {
    constexpr std::size_t date = 10, minutes = 16;
    if (text.size() < minutes || (text[date] != 'T' && text[date] != ' ')) return false;
    return text[date + 3] == ':' && text.find_first_of("Z+-", date) == std::string::npos;
}

// A condition on one of two fields of the same name is ambiguous.
std::string ambiguous_field(const OGRFeatureDefn& defn, const std::string& where) {
    std::string upper = where;
    for (auto& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    for (int i = 0; i < defn.GetFieldCount(); ++i)
        for (int k = 0; k < i; ++k) {
            std::string name = defn.GetFieldDefn(i)->GetNameRef();
            if (!EQUAL(name.c_str(), defn.GetFieldDefn(k)->GetNameRef())) continue;
            for (auto& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
            if (upper.find(name) != std::string::npos)
                return "the columns " + std::to_string(k + 1) + " and " + std::to_string(i + 1) + " are called '" +
                       defn.GetFieldDefn(k)->GetNameRef() + "' and '" + defn.GetFieldDefn(i)->GetNameRef() + "'";
        }
    return {};
}

// What a condition that cannot be read most often lacks.
bool of_like(const std::string& reason) { return reason.find("LIKE operator") != std::string::npos; }

std::string condition_hint(const std::string& where, const std::string& reason) {
    if (reason.find("Undefined function") != std::string::npos)
        return "functions such as year(), round() and lower() are those of vector_calc: make a field with one first, "
               "and name it here; ";
    if (where.find("==") != std::string::npos && reason.find("syntax error") != std::string::npos)
        return "equal is a single =; ";
    if (of_like(reason))
        return "LIKE is for texts, compare others by >= and <, such as day >= '2015-01-05' AND day < '2015-01-06'; ";
    return {};
}

}  // namespace

attribute_filter::attribute_filter(OGRLayer& layer, const std::string& where)
    : where_{where}, texts_{texts_of(where)}, query_{std::make_unique<OGRFeatureQuery>()} {
    if (const auto both = ambiguous_field(*layer.GetLayerDefn(), where); !both.empty())
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            "'where' is '" + where + "', which names two fields of layer '" + layer.GetName() + "': " + both,
            "write the field alone first, by vector_query with 'attributes', which names fields in their case"};
    std::string reason;
    {
        const gdalmcp::gdal::quiet silence;
        if (query_->Compile(&layer, where.c_str(), TRUE) == OGRERR_NONE) {
            const CPLStringList used{query_->GetUsedFields()};
            refuse_names_as_numbers(*layer.GetLayerDefn(), where);
            auto& defn = *layer.GetLayerDefn();
            for (int k = 0; k < used.Count(); ++k)
                if (const int i = defn.GetFieldIndex(used[k]); i >= 0) {
                    if (defn.GetFieldDefn(i)->GetType() == OFTString) text_fields_.push_back(i);
                    if (defn.GetFieldDefn(i)->GetType() == OFTDateTime) moments_.push_back(i);
                }
            for (const auto& t : texts_)
                if (is_clock_time(t.text)) clock_time_ = t.text;
            if (clock_time_.empty()) moments_.clear();
            by_size_ = texts_by_size(*query_, defn);
            decided_here_ = hold_three_values(*query_, defn);
            return;
        }
        reason = CPLGetLastErrorMsg();
    }
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    const bool types = reason.find("ype mismatch") != std::string::npos && !of_like(reason);
    throw gdalmcp::error{
        GDALMCP_INVALID_ARGUMENT,
        "'where' is '" + where + "', which does not fit layer '" + layer.GetName() + "': " + reason,
        condition_hint(where, reason) +
            "text in single quotes, field names in double quotes where they hold blanks; fields: " +
            field_list(*layer.GetLayerDefn()) +
            (types ? "; make numbers of those kept as text first, with vector_calc and its number()" : "")};
}

bool attribute_filter::accepts(OGRFeature& f) const {
    if (!told_of_case_) tell_of_case(f);
    if (!by_size_.empty()) tell_of_size(f);
    if (!moments_.empty()) tell_of_clock(f);
    for (const auto& d : decided_here_) {
        const auto holds = d.test(f);
        d.decides->int_value = holds && *holds == d.wanted;
    }
    return query_->Evaluate(&f) != FALSE;
}

void attribute_filter::tell_of_case(const OGRFeature& f) const {
    for (const int i : text_fields_) {
        if (!f.IsFieldSetAndNotNull(i)) continue;
        const std::string value = f.GetFieldAsString(i);
        for (const auto& t : texts_) {
            if (!t.compared || value == t.text || !EQUAL(value.c_str(), t.text.c_str())) continue;
            told_of_case_ = true;
            CPLError(CE_Warning, CPLE_AppDefined,
                     "in 'where', =, <> and IN ignore the case of ASCII letters: '%s' stands for '%s' of "
                     "feature " CPL_FRMT_GIB " as well; LIKE '%s' tells them apart",
                     t.text.c_str(), value.c_str(), f.GetFID(), t.text.c_str());
            return;
        }
    }
}

void attribute_filter::tell_of_clock(const OGRFeature& f) const {
    for (const int i : moments_) {
        constexpr int utc = 100;  // 0 and 1: no zone is stated
        const int zone = f.IsFieldSetAndNotNull(i) ? f.GetRawFieldRef(i)->Date.TZFlag : 0;
        if (zone <= 1 || zone == utc) continue;
        CPLError(
            CE_Warning, CPLE_AppDefined,
            "in 'where', '%s' is compared with each row's own clock, whatever its zone (%s of feature " CPL_FRMT_GIB
            "); '%sZ' is a moment in UTC",
            clock_time_.c_str(), iso_text(f, i).c_str(), f.GetFID(), clock_time_.c_str());
        moments_.clear();
        return;
    }
}

void attribute_filter::tell_of_size(const OGRFeature& f) const {
    for (const auto& [field, text] : by_size_) {
        if (!f.IsFieldSetAndNotNull(field)) continue;
        const std::string value = f.GetFieldAsString(field), name = f.GetDefnRef()->GetFieldDefn(field)->GetNameRef();
        const int as_text = STRCASECMP(value.c_str(), text.c_str());
        if (const auto other = number_in(text)) {
            const auto v = number_in(value);
            if (!v || (*v < *other) == (as_text < 0)) continue;
            CPLError(CE_Warning, CPLE_AppDefined,
                     "in 'where', '%s' is text and compared as text, by which '%s' of feature " CPL_FRMT_GIB
                     " is %s '%s': %s makes numbers of it",
                     name.c_str(), value.c_str(), f.GetFID(), as_text < 0 ? "less than" : "not less than", text.c_str(),
                     call_for(name, "number", name).c_str());
        } else {
            if ((as_text < 0) == (value < text) && (as_text > 0) == (value > text)) continue;
            CPLError(
                CE_Warning, CPLE_AppDefined,
                "in 'where', <, > and BETWEEN ignore the case of ASCII letters, by which '%s' of feature " CPL_FRMT_GIB
                " is %s '%s'; < and > of vector_calc tell them apart",
                value.c_str(), f.GetFID(),
                as_text < 0   ? "less than"
                : as_text > 0 ? "greater than"
                              : "equal to",
                text.c_str());
        }
        by_size_.clear();
        return;
    }
}

spatial_filter::spatial_filter(const OGRGeometry& area, predicate p) : area_{area}, predicate_{p} {
    area_.getEnvelope(&box_);
    prepared_.reset(OGRCreatePreparedGeometry(OGRGeometry::ToHandle(const_cast<OGRGeometry*>(&area_))));
    if (!prepared_) throw gdalmcp::error{GDALMCP_UNSUPPORTED, "this GDAL was built without GEOS", {}};
}

bool spatial_filter::accepts(const OGRGeometry& geometry) const {
    if (geometry.IsEmpty()) return false;
    if (geometry.hasCurveGeometry(TRUE)) return accepts(*gdalmcp::gdal::straightened(geometry));
    const auto other = OGRGeometry::ToHandle(const_cast<OGRGeometry*>(&geometry));
    switch (predicate_) {
        case predicate::intersects:
            return OGRPreparedGeometryIntersects(prepared_.get(), other) != FALSE;
        case predicate::within:
            return OGRPreparedGeometryContains(prepared_.get(), other) != FALSE;
        case predicate::contains:
            return geometry.Contains(&area_) != FALSE;
    }
    return false;
}

namespace {

// Whether all parts are of that dimension.
bool keep_parts(const OGRGeometry& geometry, int dimension, OGRGeometryCollection& into) {
    bool all = true;
    if (OGR_GT_IsSubClassOf(geometry.getGeometryType(), wkbGeometryCollection)) {
        for (const auto* part : *geometry.toGeometryCollection()) all = keep_parts(*part, dimension, into) && all;
    } else if (!geometry.IsEmpty()) {
        all = geometry.getDimension() == dimension;
        if (all) into.addGeometry(&geometry);
    }
    return all;
}

// The part of one geometry within another. GEOS carries z along and drops m: so m goes once more in its place.
std::unique_ptr<OGRGeometry> common_part(const OGRGeometry& geometry, const OGRGeometry& area) {
    std::unique_ptr<OGRGeometry> common{geometry.Intersection(&area)};
    if (!common || common->IsEmpty() || !geometry.IsMeasured()) return common;
    const std::unique_ptr<OGRGeometry> with_m{gdalmcp::gdal::measures_as_heights(geometry)->Intersection(&area)};
    if (with_m) gdalmcp::gdal::take_measures(*common, *with_m);
    return common;
}

}  // namespace

std::unique_ptr<OGRGeometry> clipped(const OGRGeometry& geometry, const OGRGeometry& area, bool* dropped) {
    // GDAL would cut chords of 1 degree and make arcs of them again, through a middle that it rounds to whole metres.
    if (geometry.hasCurveGeometry(TRUE)) return clipped(*gdalmcp::gdal::straightened(geometry), area, dropped);
    // GDAL leaves surfaces to SFCGAL, which few builds have.
    if (const auto polygons = gdalmcp::gdal::surfaces_as_polygons(geometry)) return clipped(*polygons, area, dropped);
    auto common = common_part(geometry, area);
    if (!common) gdalmcp::gdal::raise("GEOS cannot clip a geometry");
    if (common->IsEmpty()) return nullptr;
    // A collection may hold several dimensions of its own: none of its parts comes from touching alone.
    if (wkbFlatten(geometry.getGeometryType()) == wkbGeometryCollection) return common;
    OGRGeometryCollection parts;
    const bool all = keep_parts(*common, geometry.getDimension(), parts);
    if (dropped) *dropped = !all;
    if (parts.IsEmpty()) return nullptr;
    const bool single = !OGR_GT_IsSubClassOf(common->getGeometryType(), wkbGeometryCollection);
    if (single) return common;
    const auto type = parts.getGeometryRef(0)->getGeometryType();
    if (parts.getNumGeometries() == 1) return std::unique_ptr<OGRGeometry>{parts.getGeometryRef(0)->clone()};
    // GDAL's forceTo() makes a collection of parts with heights (3.6), or drops these (3.10).
    std::unique_ptr<OGRGeometry> several{OGRGeometryFactory::createGeometry(OGR_GT_GetCollection(wkbFlatten(type)))};
    for (const auto* part : parts) several->toGeometryCollection()->addGeometry(part);
    return several;
}

std::unique_ptr<OGRGeometry> clip_area::part_of(const OGRGeometry& geometry) const {
    if (!meets_.accepts(geometry)) return nullptr;
    if (holds_.accepts(geometry)) return std::unique_ptr<OGRGeometry>{geometry.clone()};
    return clipped(geometry, area_);
}

namespace {

// GDAL's names of the columns of a sheet whose names are not in its first row.
std::string header_hint(const OGRFeatureDefn& defn) {
    if (defn.GetFieldIndex("Field1") != 0) return {};
    return "; in a sheet whose names of columns stand below its first row, vector_convert with header_row finds them";
}

}  // namespace

std::vector<int> fields_named(OGRLayer& layer, const std::vector<std::string>& names) {
    const auto& defn = *layer.GetLayerDefn();
    std::vector<int> indexes;
    for (const auto& name : names) {
        // Names may differ in case alone.
        const int exact = defn.GetFieldIndexCaseSensitive(name.c_str());
        const int i = exact >= 0 ? exact : defn.GetFieldIndex(name.c_str());
        if (i < 0)
            throw gdalmcp::error{GDALMCP_NOT_FOUND,
                                 "layer '" + std::string{layer.GetName()} + "' has no field '" + name + "'",
                                 "fields: " + field_list(defn) + header_hint(defn)};
        if (std::find(indexes.begin(), indexes.end(), i) == indexes.end()) indexes.push_back(i);
    }
    return indexes;
}

int number_field(OGRLayer& layer, const std::string& name) {
    const int field = fields_named(layer, {name}).front();
    auto& defn = *layer.GetLayerDefn();
    const auto numeric = [&](int i) {
        const auto type = defn.GetFieldDefn(i)->GetType();
        return type == OFTInteger || type == OFTInteger64 || type == OFTReal;
    };
    if (numeric(field)) return field;
    std::vector<std::string> numbers;
    for (int i = 0; i < defn.GetFieldCount(); ++i)
        if (numeric(i)) numbers.emplace_back(defn.GetFieldDefn(i)->GetNameRef());
    const auto type = defn.GetFieldDefn(field)->GetType();
    throw gdalmcp::error{
        GDALMCP_INVALID_ARGUMENT,
        "field '" + name + "' holds " + OGRFieldDefn::GetFieldTypeName(type) + ", and numbers are needed",
        (numbers.empty() ? "no field is numeric" : "numeric are " + gdalmcp::gdal::detail::joined(numbers)) +
            (type == OFTString ? "; vector_calc and its number() make numbers of texts" : "")};
}

void refuse_names_as_numbers(const OGRFeatureDefn& defn, const std::string& text) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto word = [&](char c) {
        return digit(c) || c == '_' || c == '.' || std::isalpha(static_cast<unsigned char>(c));
    };
    for (std::size_t from = 0, to; from < text.size(); from = to) {
        to = from + 1;
        if (text[from] == '\'' || text[from] == '"') {
            to = std::min(text.find(text[from], to), text.size() - 1) + 1;
        } else if (word(text[from])) {
            while (to < text.size() && word(text[to])) ++to;
            const auto name = text.substr(from, to - from);
            if (!std::all_of(name.begin(), name.end(), digit) || defn.GetFieldIndex(name.c_str()) < 0) continue;
            throw gdalmcp::error{
                GDALMCP_INVALID_ARGUMENT,
                "in '" + text + "' " + name + " is the number, and '" + name + "' is a field, too",
                "the field stands in double quotes: \"" + name + "\"; the number can be written " + name + ".0"};
        }
    }
}

std::string field_list(const OGRFeatureDefn& defn) {
    constexpr int most = 200;
    std::string all;
    for (int i = 0; i < std::min(defn.GetFieldCount(), most); ++i) {
        const auto& f = *defn.GetFieldDefn(i);
        all += (i ? ", " : "") + std::string{f.GetNameRef()} + " (" + OGRFieldDefn::GetFieldTypeName(f.GetType()) + ")";
    }
    if (defn.GetFieldCount() > most) all += " and " + std::to_string(defn.GetFieldCount() - most) + " more";
    return all.empty() ? "none" : all;
}

}  // namespace gdalmcp_vector
