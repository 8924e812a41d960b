// gdalmcp/kind.hpp — the kinds of argument values, and the exception a tool throws. Included by tool.hpp.
#pragma once
#include <gdalmcp/abi.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gdalmcp {

// Thrown by a tool to fail its call: the status, the reason, the next step.
struct error : std::exception {
    gdalmcp_status status;
    std::string message, hint;
    error(gdalmcp_status s, std::string m, std::string h = {}) : status{s}, message{std::move(m)}, hint{std::move(h)} {}
    const char* what() const noexcept override { return message.c_str(); }
};
struct cancelled : error {
    cancelled() : error{GDALMCP_CANCELLED, "cancelled"} {}
};

// v with so many significant digits, at most 17; what is not finite stays as it is.
inline double significant(double v, int digits) {
    char b[32];
    const auto end = std::to_chars(b, b + sizeof b, v, std::chars_format::scientific, digits - 1).ptr;
    double rounded = v;
    if (std::isfinite(v)) std::from_chars(b, end, rounded);
    return rounded;
}

struct raster {  // an input raster: a path that GDAL opens
    std::string path;
};
struct vector {  // an input vector dataset; inline GeoJSON arrives as text that GDAL can open
    std::string path;
};
struct dataset {  // an input of either kind
    std::string path;
};
struct output_raster {  // a path to create; the extension gives the format
    std::string path;
};
struct output_vector {
    std::string path;
};
struct output_table {
    std::string path;
};
struct output_dataset {  // an output of any of these kinds
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
struct geometry {  // GeoJSON text, [minx, miny, maxx, maxy], or a vector dataset whose features form one area
    std::string geojson;
    std::optional<std::array<double, 4>> bbox;
    std::string path;  // empty: no dataset
};
struct json_text {  // any object, as JSON text
    std::string text;
};

struct bands {  // band numbers, counted from 1, in the caller's order; the caller may also give one number or "all"
    std::vector<std::int64_t> numbers;  // empty: all
    bool all() const { return numbers.empty(); }
    // The bands of a raster with `count` bands, as GDAL takes them. Throws not_found for a band that does not exist.
    std::vector<int> of(int count) const {
        std::vector<int> wanted;
        for (const auto n : numbers) {
            if (n < 1 || n > count)
                throw error{GDALMCP_NOT_FOUND,
                            "there is no band " + std::to_string(n) + "; the raster has " + std::to_string(count),
                            "bands are counted from 1"};
            wanted.push_back(static_cast<int>(n));
        }
        if (all())
            for (int n = 1; n <= count; ++n) wanted.push_back(n);
        return wanted;
    }
};

struct levels {  // of an image pyramid: all useful ones (true), none (false), or these factors (2 = half the size)
    bool wanted = false;
    std::vector<std::int64_t> factors;  // empty: not named
};

inline gdalmcp_str str(std::string_view s) { return {s.data(), s.size()}; }
inline std::string_view view(gdalmcp_str s) { return s.data ? std::string_view{s.data, s.size} : std::string_view{}; }

namespace detail {

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
inline constexpr bool is_output = one_of<T, output_raster, output_vector, output_table, output_dataset>;
template <class T>
inline constexpr bool is_input = one_of<T, raster, vector, dataset>;
template <class T>
inline constexpr bool is_path = is_input<T> || is_output<T>;
template <class T>
inline constexpr bool is_text = one_of<T, std::string, choice, crs, output_crs>;
template <class T>
inline constexpr bool is_single =
    is_path<T> || is_text<T> || one_of<T, bool, std::int64_t, double, geometry, bands, levels, json_text>;

// The kind of a single value: the item of a list, the value of an optional.
template <class T>
struct base_of {
    using type = T;
};
template <class T>
struct base_of<std::optional<T>> : base_of<T> {};
template <class T>
struct base_of<std::vector<T>> : base_of<T> {};
template <class T>
using base_kind = typename base_of<T>::type;

// Lists may be nested; optional must be outermost; an output is one path.
template <class T>
constexpr bool is_kind() {
    if constexpr (is_optional<T>::value)
        return !is_optional<typename T::value_type>::value && !is_output<typename T::value_type> &&
               is_kind<typename T::value_type>();
    else if constexpr (is_list<T>::value)
        return !is_optional<typename T::value_type>::value && !is_output<typename T::value_type> &&
               !one_of<typename T::value_type, bands, levels> && is_kind<typename T::value_type>();
    else
        return is_single<T>;
}
template <class T>
inline constexpr bool has_list = is_list<T>::value;
template <class T>
inline constexpr bool has_list<std::optional<T>> = is_list<T>::value;

// The value of x-gdalmcp, which gives the host the role of an argument.
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
    else if constexpr (std::is_same_v<T, output_dataset>)
        return "output-any";
    else if constexpr (std::is_same_v<T, crs>)
        return "crs";
    else if constexpr (std::is_same_v<T, output_crs>)
        return "output-crs";
    else if constexpr (std::is_same_v<T, geometry>)
        return "geometry";
    else
        return nullptr;
}

// ---- JSON text

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

// "<base>/<name>", a JSON Pointer.
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

// The schema of an object with these members, and no others.
inline std::string object_schema(std::string_view about,
                                 const std::vector<std::pair<std::string, std::string>>& properties,
                                 const std::vector<std::string>& required) {
    std::string p, r;
    for (const auto& [name, text] : properties) p += (p.empty() ? "" : ",") + quote(name) + ":" + text;
    for (const auto& name : required) r += (r.empty() ? "" : ",") + quote(name);
    std::string s = "{\"type\":\"object\",";
    if (!about.empty()) s += "\"description\":" + quote(about) + ",";
    return s + "\"properties\":{" + p + "},\"required\":[" + r + "],\"additionalProperties\":false}";
}

}  // namespace detail
}  // namespace gdalmcp
