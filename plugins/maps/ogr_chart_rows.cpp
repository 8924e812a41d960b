#include "ogr_chart_rows.hpp"

#include "vector/number_texts.hpp"
#include "vector/ogr_aggregates.hpp"
#include "vector/ogr_field_marks.hpp"

#include <gdalmcp/gdal_table_days.hpp>

#include <chrono>
#include <cmath>
#include <unordered_map>

namespace gdalmcp_maps {
namespace {

using gdalmcp::error;
using gdalmcp_fields::summed_field;

bool is_whole(const OGRFieldDefn& f) { return f.GetType() == OFTInteger || f.GetType() == OFTInteger64; }

bool is_date(OGRFieldType t) { return t == OFTDate || t == OFTDateTime; }

summed_field one_field(OGRLayer& layer, const std::string& name) {
    return gdalmcp_fields::summed_fields(layer, {name}).front();
}

// The columns of a table that are empty throughout are text.
void refuse_without_values(OGRLayer& layer, const summed_field& f) {
    GIntBig rows = 0, given = 0;
    gdalmcp_vector::for_each_feature(
        layer, [](double) {},
        [&](OGRFeature& feature) {
            ++rows;
            given += feature.IsFieldSetAndNotNull(f.index) && *feature.GetFieldAsString(f.index);
            return given == 0;
        });
    if (given == 0)
        throw error{
            GDALMCP_NOT_FOUND,
            "there is nothing to draw: '" + f.name + "' has no value in any of " + std::to_string(rows) + " rows",
            "the data do not contain it; vector_info lists the other fields"};
}

summed_field number_field(OGRLayer& layer, const std::string& name, bool or_date = false) {
    const auto f = one_field(layer, name);
    const bool fits = f.numeric || (or_date && is_date(f.type));
    if (!fits) refuse_without_values(layer, f);
    if (!fits)
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            "field '" + f.name + "' is " + OGRFieldDefn::GetFieldTypeName(f.type) + ", not " +
                (or_date ? "a number or a date" : "a number"),
            is_date(f.type)
                ? "make a number of it first, by year(), month() or the like: " +
                      gdalmcp_vector::call_for("value", "year", f.name)
                : "for numbers kept as text make a field of them first: " +
                      gdalmcp_vector::call_for("value", "number", f.name) +
                      (or_date ? ", for days date() where they read 2024-01-31, date(concat(ym, '-01')) of 2024-01, " +
                                     gdalmcp::gdal::detail::day_first_recipe(f.name) + " of 31.01.2024"
                               : "")};
    return f;
}

constexpr double largest_drawn = 1e300;  // twice as far, and a double does not hold the length of the axis

void check_drawable(const std::string& field, double low, double high) {
    const double far = std::abs(low) > std::abs(high) ? low : high;
    if (std::abs(far) <= largest_drawn) return;
    throw error{GDALMCP_INVALID_ARGUMENT,
                "'" + field + "' has " + gdalmcp::gdal::number_text(far) + ", beyond the 1e300 that an axis shows",
                "leave such rows out with 'where'"};
}

// Calls `each` for the rows that meet the condition. measured: the fields whose numbers are drawn, among `fields`.
template <class Each>
void read(gdalmcp::call& call, OGRLayer& layer, const std::vector<summed_field>& fields,
          const std::vector<int>& measured, const std::optional<std::string>& where, row_counts& counts, Each each,
          const std::string& statistic = "") {
    gdalmcp_vector::marked_fields marks{layer, measured};
    std::optional<gdalmcp_vector::attribute_filter> condition;
    if (where)
        condition.emplace(layer, *where);
    else
        gdalmcp_fields::read_only(layer, fields, {}, std::nullopt);
    gdalmcp_vector::for_each_feature(layer, call.part(0.0, 0.8, "reading"), [&](OGRFeature& f) {
        if (condition && !condition->accepts(f)) {
            ++counts.filtered;
        } else {
            ++counts.read;
            marks.see(f);
            each(f);
        }
        return true;
    });
    marks.tell(call, gdalmcp_vector::marks_left_out::where);
    if (!statistic.empty()) marks.tell_directions(call, gdalmcp_vector::any_of_them({statistic}));
}

// Seconds from 1970; of a time with a zone in UTC.
double seconds_of(const OGRFeature& f, int field, bool& zoned) {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, zone = 0;
    float second = 0;
    f.GetFieldAsDateTime(field, &year, &month, &day, &hour, &minute, &second, &zone);
    const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    const auto days = static_cast<double>(std::chrono::sys_days{date}.time_since_epoch().count());
    zoned = zoned || zone > 1;
    const int ahead = zone > 1 ? (zone - 100) * 15 * 60 : 0;
    return days * 86400 + hour * 3600.0 + minute * 60.0 + std::round(static_cast<double>(second) * 1000) / 1000 - ahead;
}

}  // namespace

number_rows numbers_of(gdalmcp::call& call, OGRLayer& layer, const std::string& field,
                       const std::optional<std::string>& where) {
    const auto of = number_field(layer, field);
    number_rows rows;
    rows.whole = is_whole(*layer.GetLayerDefn()->GetFieldDefn(of.index));
    gdalmcp_fields::grouping all{{of}, {}, true, std::nullopt};
    read(call, layer, {of}, {of.index}, where, rows.counts, [&](const OGRFeature& f) { all.add(f); });
    all.finish();
    if (all.groups().empty()) return rows;
    const auto& found = all.groups().front().fields.front();
    rows.counts.nulls = found.nulls;
    rows.counts.not_finite = found.not_finite;
    if (found.numbers.count() > 0) check_drawable(of.name, found.numbers.min(), found.numbers.max());
    for (const auto& [v, n] : found.numbers.occurrences())
        rows.sorted.insert(rows.sorted.end(), static_cast<std::size_t>(n), v);
    return rows;
}

category_rows categories_of(gdalmcp::call& call, OGRLayer& layer, const std::string& by,
                            const std::optional<std::string>& field, const std::string& statistic,
                            const std::optional<std::string>& where) {
    const auto key = one_field(layer, by);
    const auto of = field ? number_field(layer, *field) : key;
    category_rows rows;
    rows.ordered = key.type != OFTString;
    gdalmcp_fields::grouping all{{of}, {key.index}, true, std::nullopt};
    const auto measured = field ? std::vector<int>{of.index} : std::vector<int>{};
    const auto take = [&](const OGRFeature& f) {
        if (f.IsFieldSetAndNotNull(key.index))
            all.add(f);
        else
            ++rows.counts.nulls;
    };
    read(call, layer, {of, key}, measured, where, rows.counts, take, field && statistic != "count" ? statistic : "");
    all.finish();
    for (const auto& g : all.groups()) {
        auto name = all.key(g).front().value_or("");
        category one{name.empty() ? "(empty)" : std::move(name), gdalmcp_fields::number_summary{true}};
        const auto& found = g.fields.front();
        if (field) {
            if (found.numbers.count() > 0) check_drawable(of.name, found.numbers.min(), found.numbers.max());
            one.values = found.numbers;
            rows.counts.nulls += found.nulls;
            rows.counts.not_finite += found.not_finite;
        } else {
            for (GIntBig i = 0; i < g.features; ++i) one.values.add(1, gdalmcp_fields::no_row);
            one.values.finish();
        }
        rows.categories.push_back(std::move(one));
    }
    return rows;
}

pair_rows pairs_of(gdalmcp::call& call, OGRLayer& layer, const std::string& x, const std::string& y,
                   const std::optional<std::string>& by, const std::optional<std::string>& where) {
    const auto across = number_field(layer, x, true), up = number_field(layer, y);
    std::vector<summed_field> fields{across, up};
    if (by) fields.push_back(one_field(layer, *by));
    pair_rows rows;
    rows.time = is_date(across.type);
    rows.x_whole = is_whole(*layer.GetLayerDefn()->GetFieldDefn(across.index));
    rows.y_whole = is_whole(*layer.GetLayerDefn()->GetFieldDefn(up.index));
    if (!by) rows.names.push_back(up.name);
    std::unordered_map<std::string, std::int32_t> known;
    read(call, layer, fields, {across.index, up.index}, where, rows.counts, [&](const OGRFeature& f) {
        for (const auto& one : fields)
            if (!f.IsFieldSetAndNotNull(one.index)) return void(++rows.counts.nulls);
        point_row p{rows.time ? seconds_of(f, across.index, rows.utc) : f.GetFieldAsDouble(across.index),
                    f.GetFieldAsDouble(up.index), 0};
        if (!std::isfinite(p.x) || !std::isfinite(p.y)) return void(++rows.counts.not_finite);
        check_drawable(across.name, p.x, p.x);
        check_drawable(up.name, p.y, p.y);
        if (by) {
            const auto name = gdalmcp_vector::iso_text(f, fields.back().index);
            const auto [at, fresh] = known.try_emplace(gdalmcp_vector::exact_text(f, fields.back().index),
                                                       static_cast<std::int32_t>(rows.names.size()));
            if (fresh) rows.names.push_back(name.empty() ? "(empty)" : name);
            p.series = at->second;
        }
        rows.points.push_back(p);
    });
    return rows;
}

}  // namespace gdalmcp_maps
