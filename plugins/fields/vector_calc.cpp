// vector_calc: fields of a layer or table computed from its others.
#include <algorithm>
#include <cmath>

#include "expressions/written_number.hpp"
#include "ogr_calculation.hpp"
#include "tools.hpp"
#include "vector/arguments.hpp"
#include "vector/ogr_field_marks.hpp"
#include "vector/ogr_layer_pass.hpp"
#include "vector/ogr_selection.hpp"
#include "vector/ogr_total_row.hpp"

namespace gdalmcp_fields::vector_calc {
namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
using gdalmcp_expressions::row_expression;
using gdalmcp_expressions::value_type;
namespace gdal = gdalmcp::gdal;

const arg<gdalmcp::json_text> wanted{
    .name = "fields",
    .about =
        "{name: expression}; replaces a field of that name. + - * / ^, comparisons, and/or/not, where(condition, "
        "a, b), min, max, round, sqrt, log …; upper, lower, trim, length, left, right, substr(t, from, n), replace, "
        "contains, startswith, endswith, concat, text, number; year, month, day, weekday, days(a, b) = a - b, adddays, "
        "date, datetime; isnull, coalesce, null(). $area_m2, $length_m, $perimeter_m (ellipsoid), $x, $y (centroid), "
        "$fid. "
        "Text in single, odd names in double quotes.",
    .examples = {R"({"density": "pop / $area_m2 * 1e6"})"}};
const arg<std::optional<std::string>> where{
    .name = "where", .about = "Compute only these rows (OGR SQL); others keep what they have, or null."};

const field<std::string> name{"name", "As written"};
const field<std::string> type{"type", "OGR's name"};
const field<std::int64_t> nulls{"nulls", "Rows without a value"};
const field<std::int64_t> undefined{"undefined", "Rows with x / 0, a root of a negative number, unreadable text"};
const auto least = field<double>{"min", "Of numbers"}.optional();
const auto most = field<double>{"max", "Of numbers"}.optional();
const gdalmcp::table made{"fields", "Computed", {name, type, nulls, undefined, least, most}};
const auto skipped = field<std::int64_t>{"not_computed", "Rows that do not meet 'where'"}.optional();

// Measures on the ground are no inputs of a layer without CRS: to say so helps more than a list of its fields.
void refuse_measures_without_crs(const std::string& name, const std::string& why, OGRLayer& layer) {
    for (const char* measure : {"$area_m2", "$length_m", "$perimeter_m"})
        if (why.find(std::string{"names '"} + measure + "'") != std::string::npos)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "the expression of '" + name + "' names '" + measure + "', but layer '" + layer.GetName() +
                            "' has no CRS, so its measures on the ground are not known",
                        "state the CRS of its coordinates with vector_convert and its 'crs'"};
}

// Errors of an expression name the field it is for.
row_expression expression_of(const std::string& name, const std::string& text, OGRLayer& layer,
                             const column_source& source) {
    try {
        return {text, source.inputs()};
    } catch (error& e) {
        if (!source.measures() && layer.GetGeomType() != wkbNone) refuse_measures_without_crs(name, e.message, layer);
        const std::string own = "'expression'";
        e.message = e.message.starts_with(own) ? "the expression of '" + name + "'" + e.message.substr(own.size())
                                               : "the expression of '" + name + "': " + e.message;
        throw;
    }
}

// One of two fields that case tells apart would be replaced, and the other lost.
void refuse_twins(const OGRFeatureDefn& fields, const std::string& name) {
    const char* first = nullptr;
    for (int i = 0; i < fields.GetFieldCount(); ++i) {
        const char* own = fields.GetFieldDefn(i)->GetNameRef();
        if (!EQUAL(own, name.c_str())) continue;
        if (first)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "'" + name + "' replaces a field, and '" + first + "' and '" + own + "' differ in case alone",
                        "give the field another name"};
        first = own;
    }
}

std::vector<computed> computed_fields(gdalmcp::call& call, OGRLayer& layer, const column_source& source) {
    CPLJSONDocument document;
    std::vector<computed> all;
    if (!document.LoadMemory(call[wanted].text))
        throw error{GDALMCP_INVALID_ARGUMENT, "'fields' is not JSON", "give {\"name\": \"expression\"}"};
    for (const auto& one : document.GetRoot().GetChildren()) {
        const auto name = one.GetName();
        if (one.GetType() != CPLJSONObject::Type::String)
            throw error{GDALMCP_INVALID_ARGUMENT, "the expression of '" + name + "' is no text",
                        "give {\"" + name + "\": \"pop * 2\"}; a constant stands in quotes, too: \"5\" or \"'text'\""};
        if (name.empty())
            throw error{GDALMCP_INVALID_ARGUMENT, "'fields' has a field without a name",
                        "give {\"name\": \"expression\"}"};
        const bool package = EQUAL(CPLGetExtension(call[gdalmcp_vector::output].path.c_str()), "gpkg");
        if (package && (EQUAL(name.c_str(), "fid") || (layer.GetGeomType() != wkbNone && EQUAL(name.c_str(), "geom"))))
            throw error{GDALMCP_INVALID_ARGUMENT, "'" + name + "' is a column that GeoPackage has of its own",
                        "give the field another name, such as " + name + "_2"};
        computed c{name, expression_of(name, one.ToString(), layer, source),
                   layer.GetLayerDefn()->GetFieldIndex(name.c_str())};
        refuse_twins(*layer.GetLayerDefn(), name);
        gdalmcp_vector::refuse_names_as_numbers(*layer.GetLayerDefn(), one.ToString());
        if (c.does.type() == value_type::null)
            throw error{GDALMCP_INVALID_ARGUMENT, "the expression of '" + name + "' is null in every row",
                        "give it a value in some, such as where(pop > 0, 1 / pop, null())"};
        all.push_back(std::move(c));
    }
    if (all.empty())
        throw error{GDALMCP_INVALID_ARGUMENT, "'fields' names no field", "give {\"name\": \"expression\"}"};
    return all;
}

// The fields of the layer that the expressions use.
std::vector<int> fields_used(const std::vector<computed>& all, const column_source& source, OGRLayer& layer) {
    std::vector<int> used;
    for (const auto& c : all)
        for (const auto i : c.does.uses())
            if (const int at = layer.GetLayerDefn()->GetFieldIndex(source.inputs()[i].name.c_str()); at >= 0)
                used.push_back(at);
    return used;
}

gdalmcp_vector::layer_design design_of(const gdalmcp_vector::source_layer& from, const std::vector<computed>& all,
                                       OGRFeatureDefn& definition) {
    gdalmcp_vector::layer_design design{
        from.layer->GetGeomType(), gdalmcp_vector::wants_multi(from, false), nullptr, {}};
    for (const int i : gdalmcp_vector::all_fields(*from.layer->GetLayerDefn()))
        if (std::none_of(all.begin(), all.end(), [i](const auto& c) { return c.replaces == i; }))
            design.fields.push_back(i);
    design.joined = {from.dataset.get(), &definition, gdalmcp_vector::all_fields(definition), "_2"};
    return design;
}

// "'density' is not defined in 1 of 3 rows, which are null"
std::string undefined_in(const computed& c, GIntBig rows) {
    const auto share = std::to_string(c.undefined) + " of " + std::to_string(rows) + " rows, ";
    if (c.undefined == c.undefined_nulls) return "'" + c.name + "' is not defined in " + share + "which are null";
    return "'" + c.name + "' uses what is not defined in " + share +
           (c.undefined_nulls == 0 ? "none" : std::to_string(c.undefined_nulls)) + " of them null";
}

// The expression that reads numbers in another notation: "number(replace(t, ',', '')) makes 11010 of '11,010'".
std::string recipe_for(const gdalmcp_expressions::unread_numbers& unread, std::int64_t texts) {
    using gdalmcp_expressions::other_notation;
    const auto field = unread.of.empty() ? std::string{"text"} : gdalmcp_vector::field_reference(unread.of);
    const bool points = unread.notation == other_notation::points_between_thousands;
    const bool thousands = unread.notation == other_notation::comma_between_thousands;
    std::string plain = unread.first;
    if (unread.notation == other_notation::beyond_doubles)
        return "'" + plain + "' is beyond 2^53, which it would round: vector_convert with types {\"" + unread.of +
               "\": \"Integer64\"} does not";
    if (points) std::erase(plain, '.');
    if (thousands) std::erase(plain, ',');
    std::replace(plain.begin(), plain.end(), ',', '.');
    const auto value = gdalmcp_expressions::written_number(plain);
    if (!value) return {};
    return "number(replace(" + (points ? "replace(" + field + ", '.', '')" : field) + ", ',', " +
           (thousands ? "''" : "'.'") + ")) makes " + gdalmcp_expressions::digits_of(*value) + " of '" + unread.first +
           "', one of " + std::to_string(texts) + (texts == 1 ? " such text" : " such texts");
}

// What to do where texts are numbers that the expression does not read. Where points stand between thousands, commas
// stand before decimals.
std::string how_numbers_are_read(const row_expression& e) {
    using gdalmcp_expressions::other_notation;
    std::string said;
    for (const auto& u : e.unread()) {
        std::int64_t texts = 0;
        bool others = false;
        for (const auto& v : e.unread()) {
            const bool of_points = v.of == u.of && v.notation == other_notation::points_between_thousands;
            others = others || (of_points && u.notation != v.notation);
            if (v.of == u.of && (v.notation == u.notation || u.notation == other_notation::points_between_thousands))
                texts += v.texts;
        }
        if (const auto recipe = others ? std::string{} : recipe_for(u, texts); !recipe.empty())
            said += (said.empty() ? ": " : ", ") + recipe;
    }
    return "; number() reads 1234.5 and 1,234.5" + said;
}

// What to do where texts are none of the numbers and dates that the expression reads.
std::string how_texts_are_read(const row_expression& e) {
    std::string said;
    if (e.calls("number")) said += how_numbers_are_read(e);
    if (e.calls("date") || e.calls("datetime"))
        said +=
            "; date() reads 2024-01-31: concat(substr(text, 7, 4), '-', substr(text, 4, 2), '-', left(text, 2)) "
            "makes it of 31.01.2024";
    return said;
}

void tell_other_day(gdalmcp::call& call, const std::vector<computed>& all) {
    const auto at = std::find_if(all.begin(), all.end(), [](const auto& c) { return !c.does.other_day().empty(); });
    if (at == all.end()) return;
    const auto& time = at->does.other_day();
    call.warn("'" + at->name + "' takes the date of each time by its own clock, not in UTC: " + time + " is on " +
              time.substr(0, 10));
}

void tell_time_left_out(gdalmcp::call& call, const std::vector<computed>& all) {
    const auto at = std::find_if(all.begin(), all.end(), [](const auto& c) { return !c.does.time_left_out().empty(); });
    if (at != all.end())
        call.warn("'" + at->name + "': date() leaves out the time of day of '" + at->does.time_left_out() +
                  "'; datetime() keeps it");
}

void report(gdalmcp::call& call, const std::vector<computed>& all, const OGRFeatureDefn& definition,
            const std::vector<std::string>& names, GIntBig rows) {
    call.begin(made);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto& c = all[k];
        auto& f = *const_cast<OGRFeatureDefn&>(definition).GetFieldDefn(static_cast<int>(k));
        auto row = call.add(made);
        row.put(name, names[k]);
        row.put(type, OGRFieldDefn::GetFieldTypeName(f.GetType()));
        row.put(nulls, c.nulls);
        row.put(undefined, c.undefined);
        if (c.min <= c.max) {
            row.put(least, c.min);
            row.put(most, c.max);
        }
        if (c.does.calls("weekday")) call.say("weekday() is 1 on Monday and 7 on Sunday");
        if (c.replaces >= 0) call.say("'" + c.name + "' replaces the field of that name, at the end of the fields");
        if (c.undefined > 0)
            call.warn(undefined_in(c, rows) + " (x / 0, a text that is no number or date, and the like): " +
                      c.first_undefined + how_texts_are_read(c.does));
        else if (rows > 0 && c.nulls == rows)
            call.warn("'" + c.name + "' is null in all " + std::to_string(rows) + " rows");
    }
}

void run(gdalmcp::call& call) {
    gdalmcp_vector::total_row total;
    auto from = gdalmcp_vector::open_layer(call);
    total.opened();
    std::optional<gdalmcp_vector::ground> earth;
    if (from.layer->GetGeomType() != wkbNone && !from.crs.IsEmpty()) earth.emplace(from.crs);
    column_source source{*from.layer->GetLayerDefn(), earth ? &*earth : nullptr};
    auto all = computed_fields(call, *from.layer, source);
    std::optional<gdalmcp_vector::attribute_filter> condition;
    if (const auto text = call[where]) condition.emplace(*from.layer, *text);
    calculation work{all, source};
    gdalmcp_vector::marked_fields marks{*from.layer, fields_used(all, source, *from.layer)};
    gdalmcp_vector::layer_pass pass{call, from, design_of(from, all, work.definition())};
    std::vector<OGRFeatureUniquePtr> features;
    std::vector<bool> wanted_rows;
    std::vector<std::string> failed;
    GIntBig rows = 0, left = 0;
    const auto flush = [&] {
        const auto results = work.of(features, wanted_rows, failed);
        for (std::size_t i = 0; i < features.size(); ++i) {
            auto& f = *features[i];
            if (!failed[i].empty()) {
                pass.leave_out(f, "it cannot be measured: " + failed[i]);
                --rows;
                continue;
            }
            pass.attempt(f,
                         [&] { pass.add(f, std::unique_ptr<OGRGeometry>{f.StealGeometry()}, {}, results[i].get()); });
        }
        features.clear();
        wanted_rows.clear();
    };
    pass.run(call, "computing", [&](OGRFeature& f) {
        const bool meets = !condition || condition->accepts(f);
        ++(meets ? rows : left);
        total.see(f, meets);
        if (meets) marks.see(f);
        features.emplace_back(f.Clone());
        wanted_rows.push_back(meets);
        if (features.size() == gdalmcp_expressions::lane) flush();
        return true;
    });
    flush();
    pass.finish(call);
    if (condition) call.put(skipped, left);
    total.tell(call);
    report(call, all, work.definition(), pass.result().joined_names(), rows);
    tell_other_day(call, all);
    tell_time_left_out(call, all);
    // An expression that names the number deals with it.
    marks.tell(call, gdalmcp_vector::marks_left_out::expression, [text = call[wanted].text](const std::string& number) {
        return text.find(number) != std::string::npos;
    });
    if (source.repaired() > 0)
        call.warn(gdalmcp_vector::counted(source.repaired()) +
                  " with invalid geometries measured by their repaired form");
    if (source.heights()) call.warn(gdalmcp_vector::plan_alone);
    if (source.infinite() > 0)
        call.warn(gdalmcp_vector::counted(source.infinite()) +
                  " with infinite values in the fields used, which count as null there");
    if (rows == 0) call.warn(condition ? "no row meets 'where': nothing was computed" : "the layer has no rows");
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "vector_calc",
     .title = "Compute fields",
     .about = "Computes fields of a layer or table, row by row. A null in gives null out; what is undefined (x / 0) is "
              "null and counted.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {gdalmcp_vector::uri, wanted, where, gdalmcp_vector::only_layer_name, gdalmcp_vector::skip_failed,
     gdalmcp_vector::output, gdalmcp_vector::overwrite},
    {gdalmcp_vector::features_written, made, skipped, gdalmcp_vector::layer_crs.all, gdalmcp_vector::failed_ids,
     gdalmcp_vector::failed_count}};

}  // namespace gdalmcp_fields::vector_calc
