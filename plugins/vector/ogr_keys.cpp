#include "ogr_keys.hpp"

#include <gdalmcp/gdal_table_days.hpp>

#include <charconv>
#include <cmath>

#include "number_texts.hpp"
#include "ogr_aggregates.hpp"
#include "ogr_selection.hpp"

namespace gdalmcp_vector {

namespace {

enum class kind { number, text, date, other };

kind kind_of(OGRFieldType t) {
    if (t == OFTInteger || t == OFTInteger64 || t == OFTReal) return kind::number;
    if (t == OFTString || t == OFTTime) return kind::text;
    return t == OFTDate || t == OFTDateTime ? kind::date : kind::other;
}

// 1 and 1.0 are the same number, beyond 2^53 integers are compared as such.
std::optional<std::string> number_key(const OGRFeature& f, int field) {
    const auto type = f.GetFieldDefnRef(field)->GetType();
    if (type == OFTInteger || type == OFTInteger64) return std::to_string(f.GetFieldAsInteger64(field));
    double v = f.GetFieldAsDouble(field);
    if (type != OFTReal) {
        std::string text = f.GetFieldAsString(field);
        text.erase(0, text.find_first_not_of(' '));
        text.erase(text.find_last_not_of(' ') + 1);
        const char* end = text.data() + text.size();
        std::int64_t whole = 0;
        if (const auto r = std::from_chars(text.data(), end, whole); r.ec == std::errc{} && r.ptr == end)
            return std::to_string(whole);
        const auto r = std::from_chars(text.data(), end, v);
        if (text.empty() || r.ec != std::errc{} || r.ptr != end) return std::nullopt;
    }
    if (!std::isfinite(v)) return std::nullopt;
    constexpr double exact = 9007199254740992;
    if (type == OFTReal && v == std::floor(v) && std::abs(v) > exact)
        throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                             "'" + std::string{f.GetFieldDefnRef(field)->GetNameRef()} + "' is " +
                                 gdalmcp::gdal::number_text(v) + " in feature " + std::to_string(f.GetFID()) +
                                 ", a Real beyond 2^53: ids of that size are rounded in it, and different ones equal",
                             "join by another field, or keep the ids as text or Integer64 in the file"};
    if (v == std::floor(v) && std::abs(v) <= exact) return std::to_string(static_cast<std::int64_t>(v));
    return gdalmcp::gdal::number_text(v);
}

// Times that state their offset from UTC are equal as instants, as in 'where'.
std::string text_key(const OGRFeature& f, int field) {
    return f.GetFieldDefnRef(field)->GetType() == OFTDateTime ? exact_text(f, field) : f.GetFieldAsString(field);
}

std::string described(const char* which, const OGRFieldDefn& field) {
    return std::string{which} + " field '" + field.GetNameRef() + "' is " +
           OGRFieldDefn::GetFieldTypeName(field.GetType());
}

// A date is no number, and its text is GDAL's own: of different types they would never match, or all of them.
void refuse_dates_beside_others(const OGRFieldDefn& target, const OGRFieldDefn& join, key_type type) {
    const auto dated = [](const OGRFieldDefn& f) { return kind_of(f.GetType()) == kind::date; };
    if (!dated(target) && !dated(join)) return;
    const auto both = described("target", target) + ", and " + described("join", join);
    if (target.GetType() == join.GetType()) {
        if (type != key_type::number) return;
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, both + ", which are no numbers to compare",
                             "leave 'compare' out: equal dates match"};
    }
    std::string hint;
    for (const auto* f : {&target, &join}) {
        const auto& other = f == &target ? join : target;
        const bool part = kind_of(other.GetType()) == kind::number;
        if (f->GetType() == OFTDate ? !part : kind_of(f->GetType()) == kind::number) continue;
        const std::string name = f->GetNameRef(), function = part ? "year" : "date";
        hint += (hint.empty() ? "make a " : ", and a ") + std::string{part ? "number" : "Date"} + " of '" + name +
                "' by " + call_for(name + "_" + function, function.c_str(), name);
        if (f->GetType() == OFTString) hint += ", which reads 2024-01-31 (substr and concat put others in this order)";
        const auto d = gdalmcp::gdal::detail::in_expression(name);
        if (part)
            hint += " or its month or day, of a number such as 20240131 by year(" + d + ") * 10000 + month(" + d +
                    ") * 100 + day(" + d + ")";
    }
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, both + ": only dates of one type can be equal", hint};
}

}  // namespace

key_fields::key_fields(OGRLayer& first, OGRLayer& second, const std::vector<std::pair<std::string, std::string>>& pairs,
                       key_type type) {
    for (const auto& [own, other] : pairs) {
        first_.push_back(fields_named(first, {own}).front());
        second_.push_back(fields_named(second, {other}).front());
        const auto& a = *first.GetLayerDefn()->GetFieldDefn(first_.back());
        const auto& b = *second.GetLayerDefn()->GetFieldDefn(second_.back());
        const auto ka = kind_of(a.GetType()), kb = kind_of(b.GetType());
        if (ka == kind::other || kb == kind::other)
            throw gdalmcp::error{
                GDALMCP_INVALID_ARGUMENT,
                described("target", a) + " and " + described("join", b) + "; keys are numbers, texts, dates or times",
                "join by other fields"};
        refuse_dates_beside_others(a, b, type);
        if (type == key_type::as_stored && ka != kb)
            throw gdalmcp::error{
                GDALMCP_INVALID_ARGUMENT,
                described("target", a) + ", but " + described("join", b) + ": whether \"001\" is 1 is not known",
                "say it with compare: \"number\" (\"001\" = 1) or compare: \"text\" (\"001\" ≠ \"1\")"};
        numbers_.push_back(type == key_type::number || (type == key_type::as_stored && ka == kind::number));
    }
}

std::optional<std::string> key_fields::key(const OGRFeature& f, const std::vector<int>& fields) const {
    std::string all;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (!f.IsFieldSetAndNotNull(fields[i])) return std::nullopt;
        std::string one;
        if (numbers_[i]) {
            const auto number = number_key(f, fields[i]);
            if (!number) return std::nullopt;
            one = *number;
        } else {
            one = text_key(f, fields[i]);
            if (one.empty()) return std::nullopt;  // which in a text table is null
        }
        all += std::to_string(one.size()) + ":" + one;
    }
    return all;
}

std::string key_fields::shown(const OGRFeature& f, const std::vector<int>& fields) const {
    std::string all;
    for (std::size_t i = 0; i < fields.size(); ++i)
        all += (i ? ", " : "") + (!f.IsFieldSetAndNotNull(fields[i]) ? std::string{"null"}
                                  : f.GetFieldDefnRef(fields[i])->GetType() == OFTReal
                                      ? gdalmcp::gdal::number_text(f.GetFieldAsDouble(fields[i]))
                                      : f.GetFieldAsString(fields[i]));
    return all;
}

}  // namespace gdalmcp_vector
