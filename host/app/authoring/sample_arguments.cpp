#include "app/authoring/sample_arguments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "workspace/role.hpp"

namespace gdalmcp::app {

using workspace::role;

namespace {

constexpr const char* bbox = "[13.002,52.002,13.008,52.008]";
constexpr const char* polygon =
    R"({"type":"Polygon","coordinates":[[[13.002,52.002],[13.008,52.002],[13.008,52.008],[13.002,52.002]]]})";

std::optional<role> role_of(const json::value& schema) {
    return workspace::role_named(base::string_member(schema, "x-gdalmcp"));
}

// One branch of a choice, with the role the choice has.
json::value branch(const json::value& choice, const json::value& one) {
    auto schema = one;
    if (const auto* r = base::find_member(choice, "x-gdalmcp"); r && schema.is_object())
        schema.as_object().emplace("x-gdalmcp", *r);
    return schema;
}

const json::array* branches(const json::value& schema) {
    for (const char* keyword : {"anyOf", "oneOf"})
        if (const auto* all = base::find_member(schema, keyword)) return all->if_array();
    return nullptr;
}

// The members of a list; a role on a list is the role of each.
json::value items(const json::value& schema) {
    const auto* one = base::find_member(schema, "items");
    return branch(schema, one ? *one : json::value(json::object{}));
}

double number(const json::value& schema, const char* keyword, double otherwise) {
    const auto* v = base::find_member(schema, keyword);
    return v && v->is_number() ? v->to_number<double>() : otherwise;
}

json::value whole(double v) {
    return std::trunc(v) == v && std::abs(v) < 9e15 ? json::value(static_cast<std::int64_t>(v)) : json::value(v);
}

// Lowest and highest value where the schema declares them.
struct range {
    std::optional<double> least, most;
};
range range_of(const json::value& schema) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    const double step = base::string_member(schema, "type") == "integer" ? 1 : 1e-9;
    const double least = number(schema, "minimum", number(schema, "exclusiveMinimum", none) + step);
    const double most = number(schema, "maximum", number(schema, "exclusiveMaximum", none) - step);
    range r;
    if (!std::isnan(least)) r.least = least;
    if (!std::isnan(most)) r.most = most;
    return r;
}

const char* output_name(role r) {
    return r == role::output_vector ? "result.gpkg" : r == role::output_table ? "result.csv" : "result.tif";
}

// A sample value for a role; nothing for a role that does not constrain the value.
std::optional<json::value> value_of_role(const json::value& schema, role r, const sample_datasets& d) {
    const auto type = base::string_member(schema, "type");
    if (type == "array") return std::nullopt;
    if (type == "object") return base::parse_json(polygon).value();
    if (r == role::input_raster || r == role::input_any) return json::value(d.rasters.front());
    if (r == role::input_vector) return json::value(d.vectors.front());
    if (workspace::is_output(r)) return json::value(output_name(r));
    if (r == role::crs) return json::value("EPSG:4326");
    if (r == role::output_crs) return json::value("EPSG:32633");
    return std::nullopt;
}

json::value usual_value(const json::value& schema, const sample_datasets& d);

json::value usual_object(const json::value& schema, const sample_datasets& d) {
    json::object o;
    const auto* properties = base::find_member(schema, "properties");
    const auto* required = base::find_member(schema, "required");
    if (properties && required && required->is_array())
        for (const auto& name : required->get_array())
            if (const auto* p = base::find_member(*properties, name.get_string()))
                o.emplace(name.get_string(), usual_value(*p, d));
    // Members by names of the caller's: A, B, …
    if (const auto* others = base::find_member(schema, "additionalProperties"); others && others->is_object())
        for (char name = 'A'; static_cast<double>(o.size()) < std::min(number(schema, "minProperties", 0), 26.0);
             ++name)
            o.emplace(std::string(1, name), usual_value(*others, d));
    return json::value(std::move(o));
}

json::value usual_number(const json::value& schema) {
    const auto [least, most] = range_of(schema);
    const double step = number(schema, "multipleOf", 0);
    double v = std::min(std::max(1.0, least.value_or(1)), most.value_or(std::numeric_limits<double>::max()));
    if (step > 0) v = std::ceil(v / step) * step;
    return whole(v);
}

json::value usual_value(const json::value& schema, const sample_datasets& d) {
    const auto r = role_of(schema);
    if (r)
        if (auto v = value_of_role(schema, *r, d)) return std::move(*v);
    if (r == role::geometry) {  // the schema's own example lies elsewhere than the sample data
        const auto* choice = branches(schema);
        const bool takes_bbox = base::string_member(schema, "type") == "array" ||
                                (choice && std::any_of(choice->begin(), choice->end(), [](const auto& b) {
                                     return base::string_member(b, "type") == "array";
                                 }));
        return *base::parse_json(takes_bbox ? bbox : polygon);
    }
    if (const auto* fallback = base::find_member(schema, "default")) return *fallback;
    if (const auto* c = base::find_member(schema, "const")) return *c;
    for (const char* list : {"enum", "examples"})
        if (const auto* all = base::find_member(schema, list); all && all->is_array() && !all->get_array().empty())
            return all->get_array().front();
    if (const auto* choice = branches(schema); choice && !choice->empty())
        return usual_value(branch(schema, choice->front()), d);
    const auto type = base::string_member(schema, "type");
    if (type == "object") return usual_object(schema, d);
    if (type == "integer" || type == "number") return usual_number(schema);
    if (type == "boolean") return json::value(false);
    if (type == "array") {
        // A tool of several datasets may need two where its schema takes one, a pattern.
        const double least = role_of(items(schema)) ? 2 : 1;
        const auto count = std::clamp(least, number(schema, "minItems", 1), number(schema, "maxItems", 1000));
        json::array list(static_cast<std::size_t>(std::min(count, 1000.0)), usual_value(items(schema), d));
        return json::value(std::move(list));
    }
    if (type == "null") return json::value(nullptr);
    std::string text = "name";
    text.resize(static_cast<std::size_t>(std::clamp(number(schema, "minLength", 4), 4.0, 1000.0)), 'x');
    return json::value(text);
}

void add_numbers(const json::value& schema, std::vector<json::value>& odd) {
    const auto [least, most] = range_of(schema);
    const bool integer = base::string_member(schema, "type") == "integer";
    if (least) odd.push_back(whole(*least));
    if (most) odd.push_back(whole(*most));
    if (!least || !most) odd.emplace_back(0);
    if (!least) odd.emplace_back(-1);
    if (!most) odd.push_back(integer ? json::value(2147483647) : json::value(1e308));
    if (!least && !integer) odd.emplace_back(-1e308);
}

void add_texts(std::vector<json::value>& odd) {
    using namespace std::string_view_literals;
    for (const auto text : {""sv, " "sv, "a\0b"sv, "Z\u00fcrich \u2603 \U0001F5FA \u202e"sv, "NaN"sv, "-1"sv, "%s%n"sv,
                            "'; DROP TABLE x; --"sv, "../../../etc/passwd"sv, "{"sv})
        odd.emplace_back(text);
    odd.emplace_back(std::string(5000, 'x'));
}

void add_geometries(std::vector<json::value>& odd) {
    for (const char* text :
         {polygon, bbox, "[13.008,52.008,13.002,52.002]", "[13.002,52.002,13.002,52.002]", "[0,0,1,1]",
          "[-1e308,-1e308,1e308,1e308]", "[]", R"({})", R"({"type":"Polygon","coordinates":[]})",
          R"({"type":"Polygon","coordinates":[[[1e308,1e308],[-1e308,1e308],[0,0],[1e308,1e308]]]})",
          R"({"type":"Point","coordinates":[13.005,52.005]})", R"({"type":"Polygon","coordinates":null})",
          R"({"type":"GeometryCollection","geometries":[]})", R"({"type":"Nothing"})"})
        odd.push_back(*base::parse_json(text));
}

// The usual candidates for an input.
std::vector<std::string> datasets_for(role r, const sample_datasets& d) {
    auto all = r == role::input_vector ? d.vectors : d.rasters;
    if (r == role::input_any) all.insert(all.end(), d.vectors.begin(), d.vectors.end());
    return all;
}

void add_datasets(role r, const sample_datasets& d, std::vector<json::value>& odd) {
    for (const auto& name : datasets_for(r, d)) odd.emplace_back(name);
    if (r != role::input_vector)
        for (const char* name : sample::odd_rasters) odd.emplace_back(name);
    if (r != role::input_raster)
        for (const char* name : sample::odd_vectors) odd.emplace_back(name);
}

std::vector<json::value> odd_values(const json::value& schema, const json::value& usual, const sample_datasets& d);

// One member of the usual object at a time.
void add_members(const json::value& schema, const json::value& usual, const sample_datasets& d,
                 std::vector<json::value>& odd) {
    odd.emplace_back(json::object{});
    const auto* properties = base::find_member(schema, "properties");
    if (!properties || !properties->is_object()) return;
    for (const auto& p : properties->get_object()) {
        const auto* now = base::find_member(usual, p.key());
        for (auto& v : odd_values(p.value(), now ? *now : usual_value(p.value(), d), d)) {
            auto changed = usual.is_object() ? usual.get_object() : json::object{};
            changed[p.key()] = std::move(v);
            odd.emplace_back(std::move(changed));
        }
    }
}

void add_lists(const json::value& schema, const sample_datasets& d, std::vector<json::value>& odd) {
    const auto member = items(schema);
    const auto one = usual_value(member, d);
    odd.emplace_back(json::array{});
    for (const auto& v : odd_values(member, one, d)) {
        json::array list(static_cast<std::size_t>(std::clamp(number(schema, "minItems", 1), 1.0, 1000.0)), one);
        list.front() = v;
        odd.emplace_back(std::move(list));
    }
    odd.emplace_back(json::array(static_cast<std::size_t>(std::min(number(schema, "maxItems", 200), 200.0)), one));
}

std::vector<json::value> odd_values(const json::value& schema, const json::value& usual, const sample_datasets& d) {
    std::vector<json::value> odd;
    const auto r = role_of(schema);
    const auto type = base::string_member(schema, "type");
    if (r && workspace::is_output(*r)) return odd;  // the host chooses the output location
    if (r == role::geometry) {
        add_geometries(odd);
        return odd;
    }
    if (const auto* choice = branches(schema)) {
        for (const auto& b : *choice) {
            const auto one = branch(schema, b);
            odd.push_back(usual_value(one, d));
            for (auto& v : odd_values(one, usual, d)) odd.push_back(std::move(v));
        }
        return odd;
    }
    if (const auto* all = base::find_member(schema, "enum"); all && all->is_array()) {
        odd.assign(all->get_array().begin(), all->get_array().end());
    } else if (r && workspace::is_input(*r) && type == "string") {
        add_datasets(*r, d, odd);
    } else if (type == "integer" || type == "number") {
        add_numbers(schema, odd);
    } else if (type == "boolean") {
        odd = {json::value(false), json::value(true)};
    } else if (type == "string") {
        add_texts(odd);
    } else if (type == "array") {
        add_lists(schema, d, odd);
    } else if (type == "object") {
        add_members(schema, usual, d, odd);
    }
    return odd;
}

const json::object& properties_of(const json::value& schema) {
    static const json::object none;
    const auto* p = base::find_member(schema, "properties");
    return p && p->is_object() ? p->get_object() : none;
}

bool is_optional_output(const json::value& schema) {
    const auto r = role_of(schema);
    return r && workspace::is_output(*r);
}

}  // namespace

std::vector<json::object> usual_arguments(const json::value& input_schema, const sample_datasets& d) {
    const auto required = usual_object(input_schema, d).get_object();
    std::vector<json::object> all = {required};
    for (const auto& p : properties_of(input_schema)) {
        if (required.contains(p.key()) || is_optional_output(p.value())) continue;
        all.push_back(required);
        all.back()[p.key()] = usual_value(p.value(), d);
    }
    // Tools for points or lines find nothing in polygons, and those for several bands nothing in one.
    for (const auto& p : properties_of(input_schema)) {
        const auto r = role_of(p.value());
        if (!required.contains(p.key()) || !r || !workspace::is_input(*r)) continue;
        for (const auto& dataset : datasets_for(*r, d)) {
            if (dataset == datasets_for(*r, d).front()) continue;
            all.push_back(required);
            auto& v = all.back()[p.key()];
            if (auto* list = v.if_array())
                std::fill(list->begin(), list->end(), json::value(dataset));
            else
                v = dataset;
        }
    }
    return all;
}

std::vector<json::object> odd_arguments(const json::value& input_schema, const json::object& usual,
                                        const sample_datasets& d) {
    std::vector<json::object> all;
    for (const auto& p : properties_of(input_schema)) {
        const auto* now = usual.if_contains(p.key());
        for (auto& v : odd_values(p.value(), now ? *now : usual_value(p.value(), d), d)) {
            if (now && *now == v) continue;
            all.push_back(usual);
            all.back()[p.key()] = std::move(v);
        }
    }
    return all;
}

}  // namespace gdalmcp::app
