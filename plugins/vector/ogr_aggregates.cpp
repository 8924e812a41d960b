#include "ogr_aggregates.hpp"

#include <gdalmcp/gdal_table_encoding.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "ogr_selection.hpp"

namespace gdalmcp_vector {

namespace {

bool numeric(OGRFieldType t) { return t == OFTInteger || t == OFTInteger64 || t == OFTReal; }
bool whole(OGRFieldType t) { return t == OFTInteger || t == OFTInteger64; }
bool ordered(OGRFieldType t) {
    return numeric(t) || t == OFTString || t == OFTDate || t == OFTTime || t == OFTDateTime;
}

bool is_given(const OGRFeature& f, int field) {
    if (!f.IsFieldSetAndNotNull(field)) return false;
    return f.GetFieldDefnRef(field)->GetType() != OFTReal || std::isfinite(f.GetFieldAsDouble(field));
}

OGRFieldType type_of(aggregate a, OGRFieldType own) {
    switch (a) {
        case aggregate::count:
        case aggregate::distinct:
            return OFTInteger64;
        case aggregate::sum:
            return whole(own) ? OFTInteger64 : OFTReal;
        case aggregate::mean:
        case aggregate::median:
        case aggregate::stdev:
            return OFTReal;
        default:
            return own;
    }
}

}  // namespace

aggregates::aggregates(OGRLayer& layer, std::vector<wanted_aggregate> wanted)
    : definition_{new OGRFeatureDefn{"aggregates"}} {
    definition_->Reference();
    definition_->SetGeomType(wkbNone);
    for (const auto& w : wanted) {
        const int at = fields_named(layer, {w.field}).front();
        auto& own = *layer.GetLayerDefn()->GetFieldDefn(at);
        const auto type = own.GetType();
        const bool counts = w.statistic == aggregate::count || w.statistic == aggregate::distinct ||
                            w.statistic == aggregate::first || w.statistic == aggregate::last;
        const bool compares = w.statistic == aggregate::min || w.statistic == aggregate::max;
        if (!(counts || (compares && ordered(type)) || numeric(type)))
            throw gdalmcp::error{
                GDALMCP_INVALID_ARGUMENT,
                "'aggregate' asks for the " + w.word + " of '" + w.field + "', which is " +
                    OGRFieldDefn::GetFieldTypeName(type),
                compares ? "use count, first or last" : "use count, distinct, first, last, min or max"};
        OGRFieldDefn field{&own};
        field.SetName((w.field + "_" + w.word).c_str());
        if (const auto result = type_of(w.statistic, type); result != type || !(counts || compares)) {
            field.SetSubType(OFSTNone);
            field.SetType(result);
            field.SetWidth(0);
            field.SetPrecision(0);
            field.SetDomainName({});
        }
        definition_->AddFieldDefn(&field);
        columns_.push_back({at, w.statistic, type});
        names_.push_back(w.field);
    }
}

void aggregates::set_number(OGRFeature& to, int at, const column& c,
                            const std::vector<const OGRFeature*>& given) const {
    if (c.statistic == aggregate::sum && whole(c.type)) {
        __extension__ using wide = __int128;  // of which sums of a part may need more than 64 bits
        wide sum = 0;
        for (const auto* f : given) sum += f->GetFieldAsInteger64(c.from);
        if (sum != static_cast<GIntBig>(sum))
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "the sum of '" + names_[static_cast<std::size_t>(at)] + "' exceeds 64 bits",
                                 "use mean, or convert the field to Real with vector_convert"};
        to.SetField(at, static_cast<GIntBig>(sum));
        return;
    }
    std::vector<double> values;
    long double sum = 0;
    for (const auto* f : given) {
        values.push_back(f->GetFieldAsDouble(c.from));
        sum += values.back();
    }
    const auto n = static_cast<long double>(values.size());
    if (c.statistic == aggregate::sum) return to.SetField(at, static_cast<double>(sum));
    if (c.statistic == aggregate::mean) return to.SetField(at, static_cast<double>(sum / n));
    if (c.statistic == aggregate::stdev) {
        long double squares = 0;
        for (const double v : values) squares += (v - sum / n) * (v - sum / n);
        return to.SetField(at, static_cast<double>(std::sqrt(squares / n)));
    }
    std::sort(values.begin(), values.end());
    const auto middle = values.size() / 2;
    to.SetField(at, values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2);
}

GIntBig aggregates::infinite(const std::vector<OGRFeatureUniquePtr>& features) const {
    return std::count_if(features.begin(), features.end(), [&](const auto& f) {
        return std::any_of(columns_.begin(), columns_.end(), [&](const column& c) {
            return c.type == OFTReal && f->IsFieldSetAndNotNull(c.from) && std::isinf(f->GetFieldAsDouble(c.from));
        });
    });
}

OGRFeatureUniquePtr aggregates::of(const std::vector<OGRFeatureUniquePtr>& features,
                                   const std::vector<std::size_t>& group) const {
    OGRFeatureUniquePtr row{OGRFeature::CreateFeature(definition_.get())};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const auto& c = columns_[i];
        const int at = static_cast<int>(i);
        std::vector<const OGRFeature*> given;
        for (const auto k : group)
            if (is_given(*features[k], c.from)) given.push_back(features[k].get());
        if (c.statistic == aggregate::count) {
            row->SetField(at, static_cast<GIntBig>(given.size()));
            continue;
        }
        if (c.statistic == aggregate::distinct) {
            std::set<std::string> all;
            for (const auto* f : given) all.insert(exact_text(*f, c.from));
            row->SetField(at, static_cast<GIntBig>(all.size()));
            continue;
        }
        if (given.empty()) {
            row->SetFieldNull(at);
            continue;
        }
        const auto by_value = [&](const auto* a, const auto* b) { return compare_values(*a, *b, c.from) < 0; };
        const OGRFeature* chosen =
            c.statistic == aggregate::first  ? given.front()
            : c.statistic == aggregate::last ? given.back()
            : c.statistic == aggregate::min  ? *std::min_element(given.begin(), given.end(), by_value)
            : c.statistic == aggregate::max  ? *std::max_element(given.begin(), given.end(), by_value)
                                             : nullptr;
        if (chosen)
            row->SetField(at, const_cast<OGRFeature*>(chosen)->GetRawFieldRef(c.from));
        else
            set_number(*row, at, c, given);
    }
    return row;
}

std::string in_utf8(const char* text, const std::string& encoding) {
    if (CPLIsUTF8(text, -1)) return text;
    // A field that was too short for its last character.
    std::string whole = text;
    for (int cut = 0; cut < 3 && !whole.empty(); ++cut) {
        const auto last = static_cast<unsigned char>(whole.back());
        whole.pop_back();
        if (last < 0x80) break;
        const bool others = std::any_of(whole.begin(), whole.end(), [](char c) { return c < 0; });
        if (last >= 0xc2 && others && CPLIsUTF8(whole.c_str(), -1)) return whole;
        if (last >= 0xc0) break;
    }
    return gdalmcp::gdal::detail::to_utf8(text, encoding);
}

std::string exact_text(const OGRFeature& f, int field) {
    const auto type = f.GetFieldDefnRef(field)->GetType();
    if (type == OFTReal) return gdalmcp::gdal::number_text(f.GetFieldAsDouble(field));
    if (type == OFTDateTime && f.GetRawFieldRef(field)->Date.TZFlag > 1)
        return gdalmcp::gdal::number_text(moment_of(f, field)) + "Z";
    return in_utf8(f.GetFieldAsString(field));
}

double seconds_of(const OGRField& moment, bool utc) {
    const auto& d = moment.Date;
    using namespace std::chrono;
    const auto date = d.Year == 0 ? 1970y / 1 / 1 : std::chrono::year{d.Year} / std::chrono::month{d.Month} / d.Day;
    const auto days = static_cast<double>(sys_days{date}.time_since_epoch().count());
    // Zones are quarters of an hour from UTC, which is 100; 0 and 1 state none.
    const int zone = utc && d.TZFlag > 1 ? (d.TZFlag - 100) * 900 : 0;
    return days * 86400 + d.Hour * 3600 + d.Minute * 60 + static_cast<double>(d.Second) - zone;
}

double moment_of(const OGRFeature& f, int field) { return seconds_of(*f.GetRawFieldRef(field), true); }

std::string iso_text(const OGRFeature& f, int field) {
    const auto type = f.GetFieldDefnRef(field)->GetType();
    if (type != OFTDate && type != OFTDateTime) return exact_text(f, field);
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, zone = 0;
    float second = 0;
    f.GetFieldAsDateTime(field, &year, &month, &day, &hour, &minute, &second, &zone);
    const std::string date = CPLSPrintf("%04d-%02d-%02d", year, month, day);
    if (type == OFTDate) return date;
    const double seconds = std::round(static_cast<double>(second) * 1000) / 1000;
    const auto moment = date + CPLSPrintf("T%02d:%02d:%s%g", hour, minute, seconds < 10 ? "0" : "", seconds);
    if (zone == 100) return moment + "Z";
    if (zone <= 1) return moment;
    const int off = std::abs(zone - 100) * 15;
    return moment + CPLSPrintf("%c%02d:%02d", zone < 100 ? '-' : '+', off / 60, off % 60);
}

bool becomes_text(const OGRFieldDefn& time, const OGRFieldDefn& made) {
    return (time.GetType() == OFTDate || time.GetType() == OFTDateTime) && made.GetType() == OFTString;
}

void set_texts_of_times(OGRFeature& made, const OGRFeature& of, const std::vector<std::pair<int, int>>& fields) {
    for (const auto& [from, to] : fields)
        if (of.IsFieldSetAndNotNull(from)) made.SetField(to, iso_text(of, from).c_str());
}

int compare_values(const OGRFeature& a, const OGRFeature& b, int field) {
    const bool has_a = a.IsFieldSetAndNotNull(field) != 0, has_b = b.IsFieldSetAndNotNull(field) != 0;
    if (!has_a || !has_b) return int{has_a} - int{has_b};
    const auto order = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
    const auto type = a.GetFieldDefnRef(field)->GetType();
    if (whole(type)) return order(a.GetFieldAsInteger64(field), b.GetFieldAsInteger64(field));
    if (type == OFTReal) return order(a.GetFieldAsDouble(field), b.GetFieldAsDouble(field));
    if (type == OFTDate || type == OFTTime || type == OFTDateTime)
        if (const int by_time = order(moment_of(a, field), moment_of(b, field))) return by_time;
    return order(std::string{a.GetFieldAsString(field)}, std::string{b.GetFieldAsString(field)});
}

std::string group_key(const OGRFeature& f, const std::vector<int>& fields) {
    std::string key;
    for (const int i : fields) {
        if (!f.IsFieldSetAndNotNull(i)) {
            key += "-;";
            continue;
        }
        const auto text = exact_text(f, i);
        key += std::to_string(text.size()) + ":" + text;
    }
    return key;
}

}  // namespace gdalmcp_vector
