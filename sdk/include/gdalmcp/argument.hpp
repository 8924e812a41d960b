// gdalmcp/argument.hpp — what a tool's arguments can be. An argument is declared once and is the schema, the
// documentation, the unit, the range, the default and (through gdalmcp::call) the typed read. Included by tool.hpp.
#pragma once
#include <gdalmcp/abi.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gdalmcp {

struct raster {  // an input raster: a path that GDAL opens
    std::string path;
};
struct vector {  // an input vector dataset; inline GeoJSON arrives as text that GDAL opens as it is
    std::string path;
};
struct dataset {  // an input of either kind
    std::string path;
};
struct output_raster {  // a path to create; the extension says the format
    std::string path;
};
struct output_vector {
    std::string path;
};
struct output_table {
    std::string path;
};
struct crs {  // any spelling PROJ knows: EPSG:3857, WKT, PROJJSON, a PROJ string
    std::string text;
};
struct output_crs {  // the CRS the output must have; the host verifies it
    std::string text;
};
struct choice {  // one of arg::values
    std::string value;
};
struct geometry {  // GeoJSON text, or [minx, miny, maxx, maxy]
    std::string geojson;
    std::optional<std::array<double, 4>> bbox;
};
struct json_text {  // any object, as JSON text
    std::string text;
};

// What a tool throws to fail its call: who is to blame, what is wrong, what to do next.
struct error : std::exception {
    gdalmcp_status status;
    std::string message, hint;
    error(gdalmcp_status s, std::string m, std::string h = {}) : status{s}, message{std::move(m)}, hint{std::move(h)} {}
    const char* what() const noexcept override { return message.c_str(); }
};
struct cancelled : error {
    cancelled() : error{GDALMCP_CANCELLED, "cancelled"} {}
};

inline gdalmcp_str str(std::string_view s) { return {s.data(), s.size()}; }
inline std::string_view view(gdalmcp_str s) { return {s.data, s.size}; }

// One argument. T: bool, std::int64_t, double, std::string, choice, crs, output_crs, geometry, json_text, raster,
// vector, dataset, output_raster, output_vector, output_table, std::vector of a scalar or input kind, std::optional of
// any of these. An argument is required unless it has a fallback or is optional. Output arguments are always optional
// for the caller and always there for the tool: the host fills in a managed result's path.
template <class T>
struct arg {
    using value_type = T;
    const char* name;
    const char* about;                       // a sentence: meaning, and what happens without it
    const char* unit = nullptr;              // "m", "degrees", "pixels"
    std::optional<T> fallback{};             // the default
    std::optional<double> min{}, max{};      // inclusive bounds (of the items, for a list)
    std::optional<double> above{}, below{};  // exclusive bounds
    std::vector<const char*> values{};       // what a choice, or each item of a list of choices, can be
    std::vector<const char*> examples{};     // JSON texts
    std::optional<std::size_t> min_items{}, max_items{};
    bool required_output = false;  // an output argument the caller must give
    bool or_single = false;        // a list that may also be given as one bare value
};

// ---- schema text
// -------------------------------------------------------------------------------------------------------

namespace detail {

inline std::string quote(std::string_view s) {
    std::string o = "\"";
    for (char c : s) {
        const auto u = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            o += '\\';
            o += c;
        } else if (u < 0x20) {
            constexpr const char* hex = "0123456789abcdef";
            o += "\\u00";
            o += hex[u >> 4];
            o += hex[u & 15];
        } else {
            o += c;
        }
    }
    return o + '"';
}

inline std::string number(double v) {
    char b[32];
    return {b, std::to_chars(b, b + sizeof b, v).ptr};
}

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_list : std::false_type {};
template <class T>
struct is_list<std::vector<T>> : std::true_type {};
template <class T, class... U>
inline constexpr bool one_of = (std::is_same_v<T, U> || ...);
template <class T>
inline constexpr bool is_output = one_of<T, output_raster, output_vector, output_table>;
template <class T>
inline constexpr bool is_path = one_of<T, raster, vector, dataset> || is_output<T>;
template <class T>
inline constexpr bool is_text = one_of<T, std::string, choice, crs, output_crs>;

template <class T>
constexpr const char* role() {
    if constexpr (std::is_same_v<T, raster>)
        return "input-raster";
    else if constexpr (std::is_same_v<T, vector>)
        return "input-vector";
    else if constexpr (std::is_same_v<T, dataset>)
        return "input-any";
    else if constexpr (std::is_same_v<T, output_raster>)
        return "output-raster";
    else if constexpr (std::is_same_v<T, output_vector>)
        return "output-vector";
    else if constexpr (std::is_same_v<T, output_table>)
        return "output-table";
    else if constexpr (std::is_same_v<T, crs>)
        return "crs";
    else if constexpr (std::is_same_v<T, output_crs>)
        return "output-crs";
    else if constexpr (std::is_same_v<T, geometry>)
        return "geometry";
    else
        return nullptr;
}

template <class T>
std::string literal(const T& v) {
    if constexpr (std::is_same_v<T, bool>)
        return v ? "true" : "false";
    else if constexpr (std::is_integral_v<T>)
        return std::to_string(v);
    else if constexpr (std::is_floating_point_v<T>)
        return number(v);
    else if constexpr (std::is_same_v<T, std::string>)
        return quote(v);
    else if constexpr (std::is_same_v<T, choice>)
        return quote(v.value);
    else if constexpr (one_of<T, crs, output_crs>)
        return quote(v.text);
    else if constexpr (is_list<T>::value) {
        std::string s;
        for (const auto& e : v) s += (s.empty() ? "" : ",") + literal(static_cast<const typename T::value_type&>(e));
        return "[" + s + "]";
    } else
        return {};
}

// The keywords of one value of type T, without braces and description.
template <class T, class Arg>
std::string keywords(const Arg& a) {
    std::string s;
    const auto add = [&](std::string_view text) {
        if (!s.empty()) s += ',';
        s += text;
    };
    if constexpr (is_optional<T>::value) {
        return keywords<typename T::value_type>(a);
    } else if constexpr (is_list<T>::value) {
        const std::string item = keywords<typename T::value_type>(a);
        add("\"type\":\"array\",\"items\":{" + item + "}");
        if (a.min_items) add("\"minItems\":" + std::to_string(*a.min_items));
        if (a.max_items) add("\"maxItems\":" + std::to_string(*a.max_items));
        return a.or_single ? "\"anyOf\":[{" + s + "},{" + item + "}]" : s;
    } else if constexpr (std::is_same_v<T, geometry>) {
        add("\"anyOf\":[{\"type\":\"object\",\"properties\":{\"type\":{\"type\":\"string\",\"description\":\"GeoJSON "
            "type\"}},\"required\":[\"type\"]},"
            "{\"type\":\"array\",\"items\":{\"type\":\"number\"},\"minItems\":4,\"maxItems\":4}]");
    } else if constexpr (std::is_same_v<T, vector>) {
        add("\"anyOf\":[{\"type\":\"string\",\"minLength\":1},{\"type\":\"object\"}]");
    } else if constexpr (std::is_same_v<T, json_text>) {
        add("\"type\":\"object\"");
    } else if constexpr (std::is_same_v<T, bool>) {
        add("\"type\":\"boolean\"");
    } else if constexpr (std::is_integral_v<T>) {
        add("\"type\":\"integer\"");
    } else if constexpr (std::is_floating_point_v<T>) {
        add("\"type\":\"number\"");
    } else {
        static_assert(is_path<T> || is_text<T>,
                      "gdalmcp::arg<T>: this T is not a kind of argument; see the list above struct arg");
        add("\"type\":\"string\"");
        if (is_path<T> || one_of<T, crs, output_crs>) add("\"minLength\":1");
        if (!a.values.empty()) {
            std::string values;
            for (const char* v : a.values) values += (values.empty() ? "" : ",") + quote(v);
            add("\"enum\":[" + values + "]");
        }
    }
    if (const char* r = role<T>()) add("\"x-gdalmcp\":" + quote(r));
    if (a.min) add("\"minimum\":" + number(*a.min));
    if (a.max) add("\"maximum\":" + number(*a.max));
    if (a.above) add("\"exclusiveMinimum\":" + number(*a.above));
    if (a.below) add("\"exclusiveMaximum\":" + number(*a.below));
    return s;
}

template <class T>
std::string schema(const arg<T>& a) {
    std::string about = a.about;
    if (a.unit) about += std::string(" [") + a.unit + "]";
    std::string s = "{" + keywords<T>(a) + ",\"description\":" + quote(about);
    if (a.fallback)
        if (auto text = literal(*a.fallback); !text.empty()) s += ",\"default\":" + text;
    if (!a.examples.empty()) {
        std::string all;
        for (const char* e : a.examples) all += (all.empty() ? "" : ",") + std::string(e);
        s += ",\"examples\":[" + all + "]";
    }
    return s + "}";
}

inline std::string pointer(std::string_view base, std::string_view name) {
    std::string at{base};
    at += '/';
    for (char c : name)
        if (c == '~')
            at += "~0";
        else if (c == '/')
            at += "~1";
        else
            at += c;
    return at;
}

}  // namespace detail

// A declared argument as a tool sees it: its name, its schema text, whether the caller must give it.
class parameter {
public:
    template <class T>
    parameter(const arg<T>& a)  // NOLINT: implicit, so that a tool lists its arguments by name
        : name_{a.name}, schema_{detail::schema(a)} {
        if constexpr (detail::is_output<T>)
            required_ = a.required_output;
        else
            required_ = !a.fallback && !detail::is_optional<T>::value;
    }
    const std::string& name() const { return name_; }
    const std::string& schema() const { return schema_; }
    bool required() const { return required_; }

private:
    std::string name_, schema_;
    bool required_ = true;
};

}  // namespace gdalmcp
