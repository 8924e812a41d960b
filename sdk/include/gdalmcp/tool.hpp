// gdalmcp/tool.hpp — C++20 over gdalmcp/abi.h. An argument is declared once and is the schema, the documentation, the
// unit, the range, the default and the typed read; a result field likewise is the output schema and the typed put.
// Header-only, standard library only; everything here is compiled into the plugin.
//
//   static const gdalmcp::arg<double> z{.name = "z_factor", .about = "Vertical units per horizontal unit.", .fallback
//   = 1.0, .above = 0.0}; static const gdalmcp::field<double> mean{"mean_slope", "Mean slope of all valid cells.",
//   "degrees"}; static void run(gdalmcp::call& call) { call.put(mean, 3.2 * call[z]); } static const gdalmcp::tool
//   slope{{.name = "slope", .title = "Slope", .about = "Slope of a DEM.", .behaviour = GDALMCP_READ_ONLY}, run, {z},
//   {mean}}; GDALMCP_PLUGIN("org.example.terrain", "1.0.0", "MIT", slope.abi())
//
// Declare arguments, fields and tools as statics of one file, in this order: a tool copies their schemas when it is
// made.
#pragma once
#include <gdalmcp/abi.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gdalmcp {

// ---- what arguments can be
// ---------------------------------------------------------------------------------------------

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

// ---- results
// -----------------------------------------------------------------------------------------------------------

namespace detail {
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

// A member of the result. Required in the output schema unless optional().
class member {
public:
    const char* name() const { return name_; }
    const std::string& schema() const { return schema_; }
    bool required() const { return required_; }

protected:
    member(const char* name, std::string schema) : name_{name}, schema_{std::move(schema)} {}
    const char* name_;
    std::string schema_;
    bool required_ = true;
};

namespace detail {
template <class T>
std::string result_type() {
    if constexpr (is_list<T>::value)
        return "\"type\":\"array\",\"items\":{" + result_type<typename T::value_type>() + "}";
    else if constexpr (std::is_same_v<T, bool>)
        return "\"type\":\"boolean\"";
    else if constexpr (std::is_integral_v<T>)
        return "\"type\":\"integer\"";
    else if constexpr (std::is_floating_point_v<T>)
        return "\"type\":\"number\"";
    else if constexpr (std::is_same_v<T, json_text>)
        return "\"type\":\"object\"";
    else {
        static_assert(
            std::is_same_v<T, std::string>,
            "gdalmcp::field<T>: T is bool, an integer, double, std::string, json_text or a std::vector of these");
        return "\"type\":\"string\"";
    }
}
}  // namespace detail

// One scalar (or list of scalars). A double that is NaN or infinite is left out of the result: declare it optional().
template <class T>
class field : public member {
public:
    field(const char* name, const char* about, const char* unit = nullptr)
        : member{name, "{" + detail::result_type<T>() + ",\"description\":" +
                           detail::quote(unit ? std::string(about) + " [" + unit + "]" : std::string(about)) + "}"} {}
    field optional() const {
        field f = *this;
        f.required_ = false;
        return f;
    }
};

// A nested object.
class record : public member {
public:
    record(const char* name, const char* about, std::initializer_list<std::reference_wrapper<const member>> members)
        : member{name, schema_of(about, members)} {}
    record optional() const {
        record r = *this;
        r.required_ = false;
        return r;
    }
    static std::string schema_of(std::string_view about,
                                 std::initializer_list<std::reference_wrapper<const member>> members) {
        std::vector<std::pair<std::string, std::string>> properties;
        std::vector<std::string> required;
        for (const member& m : members) {
            properties.emplace_back(m.name(), m.schema());
            if (m.required()) required.emplace_back(m.name());
        }
        return detail::object_schema(about, properties, required);
    }
};

// A list of objects with the same members.
class table : public member {
public:
    table(const char* name, const char* about, std::initializer_list<std::reference_wrapper<const member>> columns)
        : member{name, "{\"type\":\"array\",\"description\":" + detail::quote(about) +
                           ",\"items\":" + record::schema_of("", columns) + "}"} {}
    table optional() const {
        table t = *this;
        t.required_ = false;
        return t;
    }
};

// A place in the result: the root, a record, or one row of a table.
class place {
public:
    place(const gdalmcp_host& h, gdalmcp_call* c, std::string at) : h_{h}, c_{c}, at_{std::move(at)} {}

    template <class T>
    void put(const field<T>& f, const std::type_identity_t<T>& v) {
        write(detail::pointer(at_, f.name()), v);
    }
    place at(const record& r) { return {h_, c_, detail::pointer(at_, r.name())}; }
    // Makes the table, so that one without rows is an empty list and not missing.
    void begin(const table& t) { check(h_.put_json(c_, str(detail::pointer(at_, t.name())), str("[]"))); }
    place add(const table& t) {
        const std::string rows = detail::pointer(at_, t.name());
        check(h_.put_json(c_, str(rows + "/-"), str("{}")));
        return {h_, c_, rows + "/" + std::to_string(count(rows) - 1)};
    }

protected:
    void check(gdalmcp_status s) const {
        if (s != GDALMCP_OK) throw error{s, "the host refused a result at '" + at_ + "'"};
    }
    template <class T>
    void write(const std::string& at, const T& v) {
        if constexpr (detail::is_list<T>::value) {
            check(h_.put_json(c_, str(at), str("[]")));
            for (std::size_t i = 0; i < v.size(); ++i)
                write(at + "/" + std::to_string(i), static_cast<const typename T::value_type&>(v[i]));
        } else if constexpr (std::is_same_v<T, bool>)
            check(h_.put_bool(c_, str(at), v ? 1 : 0));
        else if constexpr (std::is_integral_v<T>)
            check(h_.put_int(c_, str(at), static_cast<std::int64_t>(v)));
        else if constexpr (std::is_floating_point_v<T>) {
            if (std::isfinite(v)) check(h_.put_number(c_, str(at), v));
        } else if constexpr (std::is_same_v<T, json_text>)
            check(h_.put_json(c_, str(at), str(v.text)));
        else
            check(h_.put_string(c_, str(at), str(v)));
    }
    // Rows so far; one process serves one call on few tables, so a short list is enough.
    std::size_t count(const std::string& rows);

    const gdalmcp_host& h_;
    gdalmcp_call* c_;
    std::string at_;
};

namespace detail {
inline std::vector<std::pair<std::string, std::size_t>>& row_counts() {
    static std::vector<std::pair<std::string, std::size_t>> counts;
    return counts;
}
}  // namespace detail

inline std::size_t place::count(const std::string& rows) {
    for (auto& [name, n] : detail::row_counts())
        if (name == rows) return ++n;
    detail::row_counts().emplace_back(rows, 1);
    return 1;
}

// ---- one running call
// --------------------------------------------------------------------------------------------------

// Reads arguments, builds the result. Valid until the tool's function returns.
class call : public place {
public:
    call(const gdalmcp_host& h, gdalmcp_call* c) : place{h, c, ""} {}

    template <class T>
    T operator[](const arg<T>& a) const {
        return read<T>("/" + std::string(a.name));
    }
    template <class T>
    bool given(const arg<T>& a) const {
        return h_.get_kind(c_, str("/" + std::string(a.name))) != GDALMCP_NULL;
    }

    void say(std::string_view line) { check(h_.say(c_, str(line))); }
    void warn(std::string_view text) { check(h_.warn(c_, str(text))); }
    void attach_image(std::string_view media_type, std::string_view bytes) {
        const gdalmcp_attachment a{sizeof(gdalmcp_attachment), GDALMCP_IMAGE, str(media_type), str(bytes)};
        check(h_.attach(c_, &a));
    }
    void attach_text(std::string_view media_type, std::string_view text) {
        const gdalmcp_attachment a{sizeof(gdalmcp_attachment), GDALMCP_TEXT, str(media_type), str(text)};
        check(h_.attach(c_, &a));
    }
    std::string new_scratch(std::string_view name, std::string_view suffix) {
        gdalmcp_str path{};
        check(h_.new_scratch(c_, str(name), str(suffix), &path));
        return std::string{view(path)};
    }
    // See gdalmcp_host::expect; json is an object such as {"crs":"EPSG:3857","width":10,"height":20}.
    template <class T>
    void expect(const arg<T>& output, std::string_view json) {
        check(h_.expect(c_, str("/" + std::string(output.name)), str(json)));
    }
    // Throws cancelled when the call was cancelled.
    void progress(double fraction, std::string_view what = {}) {
        if (!h_.progress(c_, fraction, str(what))) throw cancelled{};
    }
    // The same without an exception, for C callbacks: false = stop.
    bool keep_going(double fraction) noexcept { return h_.progress(c_, fraction, {nullptr, 0}) != 0; }
    void log(int level, std::string_view text) { h_.log(c_, level, str(text)); }

private:
    template <class T>
    T read(const std::string& at) const {
        T v{};
        if constexpr (detail::is_optional<T>::value) {
            if (h_.get_kind(c_, str(at)) == GDALMCP_NULL) return std::nullopt;
            return read<typename T::value_type>(at);
        } else if constexpr (detail::is_list<T>::value) {
            const auto kind = h_.get_kind(c_, str(at));
            if (kind != GDALMCP_ARRAY && kind != GDALMCP_NULL) return {read<typename T::value_type>(at)};  // or_single
            std::size_t n = 0;
            need(h_.get_size(c_, str(at), &n), at);
            for (std::size_t i = 0; i < n; ++i) v.push_back(read<typename T::value_type>(at + "/" + std::to_string(i)));
        } else if constexpr (std::is_same_v<T, bool>) {
            std::int32_t b = 0;
            need(h_.get_bool(c_, str(at), &b), at);
            v = b != 0;
        } else if constexpr (std::is_integral_v<T>) {
            std::int64_t i = 0;
            need(h_.get_int(c_, str(at), &i), at);
            v = static_cast<T>(i);
        } else if constexpr (std::is_floating_point_v<T>) {
            double d = 0;
            need(h_.get_number(c_, str(at), &d), at);
            v = static_cast<T>(d);
        } else if constexpr (std::is_same_v<T, geometry>) {
            if (h_.get_kind(c_, str(at)) == GDALMCP_ARRAY) {
                v.bbox.emplace();
                for (std::size_t i = 0; i < 4; ++i)
                    need(h_.get_number(c_, str(at + "/" + std::to_string(i)), &(*v.bbox)[i]), at);
            } else {
                v.geojson = text(at, true);
            }
        } else if constexpr (std::is_same_v<T, json_text>) {
            v.text = text(at, true);
        } else if constexpr (std::is_same_v<T, vector>) {
            v.path = text(at, h_.get_kind(c_, str(at)) == GDALMCP_OBJECT);
        } else if constexpr (detail::is_path<T>) {
            v.path = text(at, false);
        } else if constexpr (std::is_same_v<T, choice>) {
            v.value = text(at, false);
        } else if constexpr (detail::one_of<T, crs, output_crs>) {
            v.text = text(at, false);
        } else {
            v = text(at, false);
        }
        return v;
    }
    std::string text(const std::string& at, bool as_json) const {
        gdalmcp_str s{};
        need(as_json ? h_.get_json(c_, str(at), &s) : h_.get_string(c_, str(at), &s), at);
        return std::string{view(s)};
    }
    static void need(gdalmcp_status s, const std::string& at) {
        if (s != GDALMCP_OK) throw error{s, "argument '" + at + "' is missing or of another type"};
    }
};

// ---- tools
// -------------------------------------------------------------------------------------------------------------

struct about_tool {
    const char* name;
    const char* title;
    const char* about;
    std::uint32_t behaviour = 0;  // gdalmcp_behaviour bits
};

class tool {
public:
    tool(about_tool t, void (*f)(call&), std::initializer_list<parameter> parameters,
         std::initializer_list<std::reference_wrapper<const member>> results)
        : f_{f} {
        std::vector<std::pair<std::string, std::string>> properties;
        std::vector<std::string> required;
        for (const auto& p : parameters) {
            properties.emplace_back(p.name(), p.schema());
            if (p.required()) required.push_back(p.name());
        }
        input_ = detail::object_schema("", properties, required);
        if (results.size()) output_ = record::schema_of("", results);
        c_ = {sizeof(gdalmcp_tool),
              t.behaviour,
              t.name,
              t.title,
              t.about,
              input_.c_str(),
              output_.empty() ? nullptr : output_.c_str(),
              &tool::run,
              this};
    }
    tool(const tool&) = delete;
    tool& operator=(const tool&) = delete;
    const gdalmcp_tool* abi() const { return &c_; }

private:
    // The only place where C++ meets C: nothing thrown gets past it.
    static gdalmcp_status run(const gdalmcp_host* h, gdalmcp_call* c, const void* self) noexcept {
        try {
            call k{*h, c};
            static_cast<const tool*>(self)->f_(k);
            return GDALMCP_OK;
        } catch (const error& e) {
            h->fail(c, e.status, str(e.message), str(e.hint));
            return e.status;
        } catch (const std::bad_alloc&) {
            h->fail(c, GDALMCP_EXHAUSTED, str("out of memory"), str("ask for a smaller area or a coarser resolution"));
            return GDALMCP_EXHAUSTED;
        } catch (const std::exception& e) {
            h->fail(c, GDALMCP_INTERNAL, str(e.what()), {});
            return GDALMCP_INTERNAL;
        } catch (...) {
            h->fail(c, GDALMCP_INTERNAL, str("unknown exception"), {});
            return GDALMCP_INTERNAL;
        }
    }
    void (*f_)(call&);
    std::string input_, output_;
    gdalmcp_tool c_{};
};

}  // namespace gdalmcp

// The one exported symbol. `...`: tools, as their abi().
#define GDALMCP_PLUGIN(id, version, license, ...)                                               \
    extern "C" GDALMCP_EXPORT const gdalmcp_plugin* gdalmcp_plugin_v1(uint32_t) {               \
        static const gdalmcp_tool* const tools[] = {__VA_ARGS__};                               \
        static const gdalmcp_plugin plugin{sizeof(gdalmcp_plugin),                              \
                                           GDALMCP_ABI_MAJOR,                                   \
                                           GDALMCP_ABI_MINOR,                                   \
                                           static_cast<uint32_t>(sizeof tools / sizeof *tools), \
                                           id,                                                  \
                                           version,                                             \
                                           license,                                             \
                                           tools,                                               \
                                           nullptr};                                            \
        return &plugin;                                                                         \
    }
