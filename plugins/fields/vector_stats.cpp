// vector_stats: statistics of a layer's fields, in total or by group.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "datasets/percentiles.hpp"
#include "expressions/text_functions.hpp"
#include "ogr_group_table.hpp"
#include "tools.hpp"
#include "vector/arguments.hpp"
#include "vector/likeness.hpp"
#include "vector/ogr_field_marks.hpp"
#include "vector/ogr_total_row.hpp"
#include "vector/ogr_whole_values.hpp"

namespace gdalmcp_fields::vector_stats {
namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;
using gdalmcp_vector::counted;
using gdalmcp_vector::uri;

constexpr double exact = 9007199254740992;  // 2^53: doubles round whole numbers beyond it

const arg<std::vector<std::string>> names{
    .name = "fields", .about = "Numbers, text or dates.", .min_items = 1, .or_single = true};
const arg<std::optional<std::vector<std::string>>> by{
    .name = "by", .about = "Fields whose equal values make a group. Default: one group.", .or_single = true};
const arg<std::optional<std::vector<gdalmcp::choice>>> statistics{
    .name = "statistics",
    .about =
        "Default: count, sum, mean, median, stdev (population), min, max; of text and dates count, variety, "
        "majority (most frequent; of ties the least), min, max.",
    .values = {"count", "sum", "mean", "median", "stdev", "stdev_sample", "coefficient_of_variation", "min", "max",
               "variety", "majority"},
    .synonyms = {{"avg", "mean"},
                 {"average", "mean"},
                 {"total", "sum"},
                 {"minimum", "min"},
                 {"maximum", "max"},
                 {"std", "stdev"},
                 {"stddev", "stdev"},
                 {"standard_deviation", "stdev"},
                 {"cv", "coefficient_of_variation"},
                 {"mode", "majority"},
                 {"distinct", "variety"},
                 {"unique", "variety"},
                 {"nunique", "variety"}},
    .min_items = 1,
    .or_single = true};
const arg<std::vector<double>> percentiles{.name = "percentiles",
                                           .about = "Of numbers, by linear interpolation.",
                                           .fallback = std::vector<double>{},
                                           .min = 0,
                                           .max = 100,
                                           .max_items = 20,
                                           .or_single = true};
const arg<bool> distinct{.name = "distinct", .about = "List values with counts; without 'by'.", .fallback = false};
const arg<std::optional<std::string>> where{.name = "where", .about = "Condition in OGR SQL, text in single quotes."};
const arg<gdalmcp::choice> order{.name = "order",
                                 .about = "By group, or this statistic of the first field, largest first.",
                                 .fallback = gdalmcp::choice{"group"},
                                 .values = {"group", "count", "sum", "mean", "median", "stdev", "min", "max"}};
const arg<std::int64_t> limit{
    .name = "limit", .about = "Groups and values listed; 'output' holds all.", .fallback = 20, .min = 1, .max = 500};
const auto output = standard::described(standard::table_output,
                                        "Table of the groups to write (.csv, .gpkg). Default: a managed result.");

const field<std::int64_t> rows_read{"row_count", "Summarised", "rows"};
const auto left = field<std::int64_t>{"filtered_count", "Left out by 'where'", "rows"}.optional();
const field<std::int64_t> group_count{"group_count", "Rows of 'output'"};
const field<bool> truncated{"truncated", "'groups' omits some"};
const auto key = field<std::vector<std::optional<std::string>>>{"group", "Values of 'by'"}.optional();
const field<std::int64_t> members{"rows", "In the group"};
const field<std::string> name{"field", "Name"};
const field<std::int64_t> nulls{"nulls", "Rows without a value"};
const auto not_finite = field<std::int64_t>{"not_finite", "NaN or infinite, left out"}.optional();
const auto figures = field<gdalmcp::json_text>{"figures", "Statistic: value, in the field's unit; p90: a percentile"};
const auto min_row = field<std::int64_t>{"min_id", "FID of the first row with min"}.optional();
const auto min_name = field<std::string>{"min_name", "Its 'name_field'"}.optional();
const auto max_row = field<std::int64_t>{"max_id", "With max"}.optional();
const auto max_name = field<std::string>{"max_name", "Its name"}.optional();
const gdalmcp::table groups{"groups",
                            "Per group and field",
                            {key, members, name, nulls, not_finite, figures, min_row, min_name, max_row, max_name}};
const auto name_field = field<std::string>{"name_field", "Names the rows of min and max"}.optional();
const field<std::string> first_name{"a", "Field"}, second_name{"b", "Field"};
const field<std::int64_t> pairs_counted{"count", "Rows with both"};
const auto pearson = field<double>{"r", "Pearson; absent if one is constant"}.optional();
const auto correlations =
    gdalmcp::table{"correlations", "Of numeric fields, without 'by'", {first_name, second_name, pairs_counted, pearson}}
        .optional();
const field<std::string> value{"value", "As text"};
const field<std::int64_t> value_count{"count", "Rows"};
const auto values =
    gdalmcp::table{"values", "With 'distinct', most frequent first", {name, value, value_count}}.optional();

struct request {
    std::vector<summed_field> fields;
    std::vector<int> by;
    std::vector<wanted_measure> measures;
    std::vector<double> percentiles;
    std::optional<int> naming;

    bool wants(measure m) const {
        return std::any_of(measures.begin(), measures.end(), [m](const auto& w) { return w.what == m; });
    }
    bool holds_values(bool lists) const {
        return lists || !percentiles.empty() || wants(measure::median) || wants(measure::variety) ||
               wants(measure::majority);
    }
};

// Numbers kept as text have no mean; what is said of them is how many they are.
void refuse_numbers_of_text(const gdalmcp::call& call, const request& r) {
    for (const auto& f : r.fields) {
        if (f.numeric) continue;
        std::string asked;
        for (const auto& m : r.measures)
            if (call[statistics] && asked.empty() && !of_text(m.what))
                asked = "'statistics' asks for the " + std::string{m.name};
        if (asked.empty() && !r.percentiles.empty()) asked = "'percentiles' asks for those";
        if (asked.empty()) continue;
        throw error{GDALMCP_INVALID_ARGUMENT,
                    asked + " of '" + f.name + "', which is " + OGRFieldDefn::GetFieldTypeName(f.type),
                    "text and dates have count, variety, majority, min and max; for numbers kept as text make a field "
                    "of them first: " +
                        gdalmcp_vector::call_for("value", "number", f.name)};
    }
}

request request_of(gdalmcp::call& call, OGRLayer& layer) {
    request r;
    r.fields = summed_fields(layer, call[names]);
    r.by = gdalmcp_vector::fields_named(layer, call[by].value_or(std::vector<std::string>{}));
    std::vector<std::string> wanted{"count", "sum", "mean", "median", "stdev", "min", "max"};
    if (const auto given = call[statistics]) {
        wanted.clear();
        for (const auto& s : *given) wanted.push_back(s.value);
    } else if (std::any_of(r.fields.begin(), r.fields.end(), [](const auto& f) { return !f.numeric; })) {
        wanted.insert(wanted.end(), {"variety", "majority"});
    }
    for (const auto& w : wanted)
        if (const auto m = measure_named(w); !r.wants(m.what)) r.measures.push_back(m);
    for (const double p : call[percentiles])
        if (std::find(r.percentiles.begin(), r.percentiles.end(), p) == r.percentiles.end()) r.percentiles.push_back(p);
    gdalmcp_datasets::check_percentiles(r.percentiles);
    refuse_numbers_of_text(call, r);
    if (call[distinct] && !r.by.empty())
        throw error{GDALMCP_INVALID_ARGUMENT, "'distinct' and 'by' are both given",
                    "leave 'distinct' out and add the field to 'by' for the counts of its values in each group"};
    // What makes a group, or is summarised, names no row of it.
    auto without = r.by;
    for (const auto& f : r.fields) without.push_back(f.index);
    if (r.wants(measure::min) || r.wants(measure::max)) r.naming = naming_field(layer, without);
    return r;
}

bool is_derived(measure m) {
    return m == measure::mean || m == measure::stdev || m == measure::stdev_sample ||
           m == measure::coefficient_of_variation;
}

// Values as they are; what is computed from them with 12 digits, or 15 where fewer would cut whole numbers such as
// times in milliseconds.
std::string number(double v, bool derived) {
    if (!derived) return gdal::number_text(v);
    char text[32];
    std::snprintf(text, sizeof text, std::abs(v) < 1e9 ? "%.12g" : "%.15g", v);
    return gdal::number_text(std::strtod(text, nullptr));
}

// The figures of a field as a JSON object; what is undefined is left out.
std::string figures_of(const field_summary& f, const summed_field& of, const request& r) {
    std::string text;
    const auto put = [&](const std::string& what, const std::string& v) {
        text += (text.empty() ? "" : ",") + gdalmcp::detail::quote(what) + ":" + v;
    };
    for (const auto& m : r.measures) {
        if (of.numeric) {
            if (const double v = number_of(f, m.what); std::isfinite(v)) put(m.name, number(v, is_derived(m.what)));
        } else if (m.what == measure::count || m.what == measure::variety) {
            put(m.name, std::to_string(m.what == measure::count ? f.texts.count() : f.texts.variety()));
        } else if (of_text(m.what) && f.texts.count() > 0) {
            const auto& v = m.what == measure::min   ? f.texts.min()
                            : m.what == measure::max ? f.texts.max()
                                                     : f.texts.majority();
            put(m.name, gdalmcp::detail::quote(v));
        }
    }
    if (of.numeric && f.numbers.count() > 0)
        for (const double p : r.percentiles) put("p" + gdal::number_text(p), number(f.numbers.percentile(p), true));
    return "{" + text + "}";
}

void put_group(gdalmcp::call& call, const grouping& of, const feature_group& g, const request& r) {
    for (std::size_t i = 0; i < of.fields().size(); ++i) {
        const auto& f = g.fields[i];
        auto row = call.add(groups);
        if (!r.by.empty()) row.put(key, of.key(g));
        row.put(members, g.features);
        row.put(name, of.fields()[i].name);
        row.put(nulls, f.nulls);
        if (f.not_finite > 0) row.put(not_finite, f.not_finite);
        row.put(figures, {figures_of(f, of.fields()[i], r)});
        if (!of.fields()[i].numeric || f.numbers.count() == 0) continue;
        if (r.wants(measure::min)) {
            row.put(min_row, f.numbers.min_row());
            if (r.naming) row.put(min_name, f.min_name);
        }
        if (r.wants(measure::max)) {
            row.put(max_row, f.numbers.max_row());
            if (r.naming) row.put(max_name, f.max_name);
        }
    }
}

std::vector<const feature_group*> in_order(const grouping& of, const std::string& wanted) {
    std::vector<const feature_group*> all;
    for (const auto& g : of.groups()) all.push_back(&g);
    if (wanted == "group") return all;
    const auto& f = of.fields().front();
    const auto what = measure_named(wanted).what;
    if (!f.numeric && what != measure::count)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'order' is " + wanted + ", which the first field '" + f.name + "' (" +
                        OGRFieldDefn::GetFieldTypeName(f.type) + ") does not have",
                    "name a numeric field first, or order by group or count"};
    const auto size = [&](const feature_group* g) {
        const double v =
            f.numeric ? number_of(g->fields.front(), what) : static_cast<double>(g->fields.front().texts.count());
        return std::isnan(v) ? -std::numeric_limits<double>::infinity() : v;
    };
    std::stable_sort(all.begin(), all.end(), [&](const auto* a, const auto* b) { return size(a) > size(b); });
    return all;
}

void put_correlations(gdalmcp::call& call, const grouping& of) {
    if (of.pairs().empty()) return;
    call.begin(correlations);
    for (const auto& p : of.pairs()) {
        auto row = call.add(correlations);
        row.put(first_name, of.fields()[p.a].name);
        row.put(second_name, of.fields()[p.b].name);
        row.put(pairs_counted, p.both.count());
        if (const double v = p.both.value(); std::isfinite(v)) row.put(pearson, std::round(v * 1e6) / 1e6);
    }
}

void put_values(gdalmcp::call& call, const grouping& of) {
    call.begin(values);
    const auto most = static_cast<std::size_t>(call[limit]);
    for (std::size_t i = 0; i < of.fields().size() && !of.groups().empty(); ++i) {
        const auto& f = of.groups().front().fields[i];
        std::vector<std::pair<std::string, std::int64_t>> all;
        if (of.fields()[i].numeric)
            for (const auto& [v, n] : f.numbers.occurrences()) all.emplace_back(gdalmcp_expressions::digits_of(v), n);
        else
            for (const auto& [v, n] : f.texts.values()) all.emplace_back(v.text, n);
        std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
        if (all.size() > most)
            call.warn("of " + std::to_string(all.size()) + " values of '" + of.fields()[i].name + "' the " +
                      std::to_string(most) +
                      " most frequent are listed; 'limit' is up to 500, and 'by' with 'output' "
                      "gives all");
        for (std::size_t k = 0; k < std::min(all.size(), most); ++k) {
            auto row = call.add(values);
            row.put(name, of.fields()[i].name);
            row.put(value, all[k].first);
            row.put(value_count, all[k].second);
        }
    }
}

// Numbers kept as text are ordered by their digits: '10' before '9'.
void warn_of_numbers_as_text(gdalmcp::call& call, const grouping& of, std::size_t field) {
    gdalmcp_vector::number_texts all;
    std::int64_t row = no_row;
    std::string word;
    for (const auto& g : of.groups()) {
        const auto& t = g.fields[field].texts;
        all.add(t.numbers());
        if (t.first_word_row() == no_row || (row != no_row && row < t.first_word_row())) continue;
        row = t.first_word_row();
        word = t.first_word();
    }
    const auto& f = of.fields()[field];
    if (f.type != OFTString || !all.misordered()) return;
    call.warn("'" + f.name + "' is text, of which " +
              (row == no_row ? "all values are numbers"
                             : std::to_string(all.numbers()) + " of " + std::to_string(all.values()) +
                                   " values are numbers; feature " + std::to_string(row) + " has '" + word + "'") +
              ": min and max are those of text ('10' before '9'); " +
              gdalmcp_vector::call_for(f.name, "number", f.name) + " makes numbers of it");
}

void warn_of_values(gdalmcp::call& call, const grouping& of) {
    for (std::size_t i = 0; i < of.fields().size(); ++i) {
        const auto& f = of.fields()[i];
        GIntBig given = 0, rows = 0, empty = 0;
        bool rounded = false;
        for (const auto& g : of.groups()) {
            rows += g.features;
            given += f.numeric ? g.fields[i].numbers.count() : g.fields[i].texts.filled();
            empty += g.fields[i].texts.count() - g.fields[i].texts.filled();
            rounded = rounded || (f.type == OFTInteger64 && (std::abs(g.fields[i].numbers.min()) >= exact ||
                                                             std::abs(g.fields[i].numbers.max()) >= exact ||
                                                             std::abs(g.fields[i].numbers.sum()) >= exact));
        }
        if (rows > 0 && given == 0)
            call.warn("'" + f.name + "' has no value in any of " + std::to_string(rows) + " rows");
        else if (empty > 0)
            call.warn("'" + f.name + "' is an empty text in " + std::to_string(empty) + " of " + std::to_string(rows) +
                      " rows, which counts as a value; leave it out with 'where', as in " +
                      gdalmcp_vector::field_reference(f.name) + " <> ''");
        if (rounded)
            call.warn("'" + f.name +
                      "' has whole numbers or sums beyond 2^53, which are rounded: neighbours count as one value in "
                      "variety and distinct, and min_id and max_id may be those of a neighbour");
        warn_of_numbers_as_text(call, of, i);
    }
}

// Of groups of null and of empty text, which a CSV writes alike.
void warn_of_alike_keys(gdalmcp::call& call, const grouping& of) {
    if (!EQUAL(CPLGetExtension(call[output].path.c_str()), "csv")) return;
    std::map<std::vector<std::string>, std::int64_t> written;
    for (const auto& g : of.groups()) {
        std::vector<std::string> key;
        for (const auto& part : of.key(g)) key.push_back(part.value_or(""));
        if (++written[key] != 2) continue;
        call.warn("CSV has one value for null and for empty text, which make groups of their own: write a .gpkg");
        return;
    }
}

// Names that differ in case, blanks, punctuation or accents only, most often of one thing.
void warn_of_like_groups(gdalmcp::call& call, const grouping& of) {
    std::map<std::string, std::string> known;
    std::int64_t like = 0;
    std::string first;
    for (const auto& g : of.groups()) {
        std::string shown;
        const auto parts = of.key(g);
        for (const auto& part : parts) shown += (shown.empty() ? "" : ", ") + part.value_or("");
        if (shown.find_first_of("0123456789") != std::string::npos) continue;  // codes
        if (std::find(parts.begin(), parts.end(), std::nullopt) != parts.end()) continue;
        auto plain = gdalmcp_vector::folded(shown);
        if (plain.size() < 2) continue;
        const auto [at, fresh] = known.try_emplace(std::move(plain), shown);
        if (!fresh && ++like == 1) first = "'" + at->second + "' and '" + shown + "'";
    }
    if (like > 0)
        call.warn(std::to_string(like) + (like == 1 ? " group differs" : " groups differ") +
                  " from another in case, blanks, punctuation or accents only, the first " + first +
                  ": if they mean one thing, make one spelling with vector_calc first (lower, trim, replace)");
}

// Those that mean nothing of directions.
std::vector<std::string> plain_measures(const request& r) {
    std::vector<std::string> measures;
    for (const auto& m : r.measures)
        if (m.what == measure::sum || m.what == measure::median || is_derived(m.what)) measures.emplace_back(m.name);
    for (const double p : r.percentiles) measures.push_back("p" + gdal::number_text(p));
    return measures;
}

[[noreturn]] void refuse_empty(OGRLayer& layer, const std::optional<gdalmcp_vector::attribute_filter>& condition,
                               GIntBig filtered) {
    if (filtered == 0)
        throw error{GDALMCP_NOT_FOUND, "layer '" + std::string{layer.GetName()} + "' has no rows",
                    "vector_info says what the file holds"};
    const auto there = condition->values_there(layer);
    throw error{GDALMCP_NOT_FOUND,
                "none of " + std::to_string(filtered) + " rows meets 'where': there is nothing to summarise" +
                    (there.empty() ? "" : "; " + there),
                "see which values there are with distinct: true and without 'where'"};
}

void run(gdalmcp::call& call) {
    gdalmcp_vector::total_row total;
    auto from = gdalmcp_vector::open_layer(call);
    total.opened();
    const auto asked = request_of(call, *from.layer);
    std::optional<gdalmcp_vector::attribute_filter> condition;
    if (const auto text = call[where]) condition.emplace(*from.layer, *text);
    grouping all{asked.fields, asked.by, asked.holds_values(call[distinct]), asked.naming};
    if (!condition) read_only(*from.layer, asked.fields, asked.by, asked.naming);
    std::vector<int> computed_with;
    for (const auto& f : asked.fields) computed_with.push_back(f.index);
    gdalmcp_vector::marked_fields marks{*from.layer, computed_with};
    GIntBig filtered = 0, read = 0;
    const auto each = [&](OGRFeature& f) {
        const bool selected = !condition || condition->accepts(f);
        total.see(f, selected);
        if (!selected) {
            ++filtered;
        } else {
            ++read;
            all.add(f);
            marks.see(f);
        }
        return true;
    };
    gdalmcp_vector::for_each_feature(*from.layer, call.part(0.0, 0.9, "reading"), each);
    if (read == 0) refuse_empty(*from.layer, condition, filtered);
    all.finish();
    const auto shown = in_order(all, call[order].value);
    const auto rows =
        write_groups(call[output].path, all, *from.layer->GetLayerDefn(), asked.by, asked.measures, asked.percentiles);
    call.expect(output, {.features = rows});

    call.put(rows_read, read);
    if (condition) call.put(left, filtered);
    call.put(group_count, rows);
    const auto most = static_cast<std::size_t>(call[limit]);
    call.put(truncated, shown.size() > most);
    call.begin(groups);
    for (std::size_t i = 0; i < std::min(shown.size(), most); ++i) put_group(call, all, *shown[i], asked);
    if (asked.naming) call.put(name_field, from.layer->GetLayerDefn()->GetFieldDefn(*asked.naming)->GetNameRef());
    put_correlations(call, all);
    if (call[distinct]) put_values(call, all);
    total.tell(call);
    warn_of_values(call, all);
    for (const auto& f : all.fields()) {
        if (!call[statistics]) break;  // what is computed only because nobody chose
        if (asked.wants(measure::sum)) gdalmcp_vector::warn_of_sum_of_rates(call, f.name);
        if (asked.wants(measure::mean)) gdalmcp_vector::warn_of_mean_of_shares(call, f.name);
    }
    if (!asked.by.empty()) warn_of_like_groups(call, all);
    warn_of_alike_keys(call, all);
    marks.tell(call, gdalmcp_vector::marks_left_out::where);
    marks.tell_directions(call, gdalmcp_vector::any_of_them(plain_measures(asked)));
    call.say(std::to_string(read) + (read == 1 ? " row" : " rows") +
             (asked.by.empty() ? std::string{} : " in " + std::to_string(rows) + (rows == 1 ? " group" : " groups")));
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "vector_stats",
     .title = "Statistics of fields",
     .about =
         "Statistics of fields of a layer or table, in total or by group; rows of min and max; correlations. Nulls are "
         "left out and counted.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, names, by, statistics, percentiles, distinct, where, order, limit, gdalmcp_vector::only_layer_name, output,
     standard::overwrite},
    {rows_read, left, group_count, truncated, groups, name_field, correlations, values}};

}  // namespace gdalmcp_fields::vector_stats
