// gdalmcp/argument.hpp — arguments of a tool. One declaration gives the schema, the documentation, the unit, the range,
// the default and (through gdalmcp::call) the typed read. Included by tool.hpp.
#pragma once
#include <gdalmcp/kind.hpp>

#include <initializer_list>

namespace gdalmcp {

namespace detail {

// A member of arg for some kinds only: setting it on another kind does not compile, and Rule gives the reason.
template <class T, class V, class Rule>
struct setting : std::optional<V> {
    setting() = default;
    setting(V v) : std::optional<V>{std::move(v)} { Rule::template check<T>(); }  // NOLINT: implicit, as optional is
    template <class U>
    requires std::is_convertible_v<U&&, V> setting(U&& v)
        : std::optional<V>{static_cast<V>(std::forward<U>(v))} {  // NOLINT: as above
        Rule::template check<T>();
    }
};
struct has_fallback {
    template <class T>
    static constexpr void check() {
        static_assert(!is_optional<T>::value,
                      "gdalmcp::arg: an optional argument has no fallback; drop std::optional, or drop .fallback");
        static_assert(is_optional<T>::value || !is_path<base_kind<T>>,
                      "gdalmcp::arg: a dataset has no fallback; make it std::optional if the caller may leave it out");
        static_assert(!one_of<base_kind<T>, geometry, levels, json_text>,
                      "gdalmcp::arg: a geometry, levels or json_text has no fallback; make it std::optional");
    }
};
struct has_range {
    template <class T>
    static constexpr void check() {
        static_assert(one_of<base_kind<T>, std::int64_t, double>,
                      "gdalmcp::arg: min, max, above and below belong to std::int64_t, double and lists of them");
    }
};
struct has_length {
    template <class T>
    static constexpr void check() {
        static_assert(std::is_same_v<base_kind<T>, std::string>,
                      "gdalmcp::arg: min_length, max_length and pattern belong to std::string and lists of it");
    }
};
struct has_items {
    template <class T>
    static constexpr void check() {
        static_assert(has_list<T>, "gdalmcp::arg: min_items and max_items belong to lists (std::vector)");
    }
};

struct has_header {
    template <class T>
    static constexpr void check() {
        using kind = std::conditional_t<is_optional<T>::value, base_kind<T>, T>;
        static_assert((is_text<kind> || one_of<kind, bool, std::int64_t>)&&!has_list<T>,
                      "gdalmcp::arg: header belongs to texts, integers and bool, and optional ones");
    }
};

// The values of a choice. Required for choices, not allowed for other kinds.
template <class T>
struct value_list : std::vector<const char*> {
    static constexpr bool of_choice = std::is_same_v<base_kind<T>, choice>;
    value_list() { static_assert(!of_choice, "gdalmcp::arg: a choice needs .values = {…}, what it can be"); }
    value_list(std::initializer_list<const char*> v) : value_list{std::vector<const char*>{v}} {}
    value_list(std::vector<const char*> v) : std::vector<const char*>{std::move(v)} {  // NOLINT: implicit
        static_assert(of_choice, "gdalmcp::arg: values belong to gdalmcp::choice and lists of it");
    }
};

}  // namespace detail

// One argument. T: bool, std::int64_t, double, std::string, choice, crs, output_crs, geometry, bands, levels,
// json_text, raster, vector, dataset, output_raster, output_vector, output_table, output_dataset; a std::vector of any
// but outputs and bands; a std::optional of any but outputs. An argument is required unless it has a fallback or is
// optional. Output arguments are optional for the caller and always set for the tool: the host fills in the path of a
// managed result. Building the bundle fails if a fallback or an example is outside the argument's own range.
template <class T>
struct arg {
    static_assert(detail::is_kind<T>(),
                  "gdalmcp::arg<T>: this T is not a kind of argument; the kinds are listed above struct arg "
                  "(integers are std::int64_t, numbers double)");
    using value_type = T;
    template <class V, class Rule>
    using setting = detail::setting<T, V, Rule>;

    const char* name;
    const char* about;                                    // a sentence: the meaning, and the behaviour when absent
    const char* unit = nullptr;                           // "m", "degrees", "pixels"
    setting<T, detail::has_fallback> fallback{};          // the default
    setting<double, detail::has_range> min{}, max{};      // inclusive bounds (of the items, for a list)
    setting<double, detail::has_range> above{}, below{};  // exclusive bounds
    detail::value_list<T> values{};                       // values of a choice, or of each item
    // Synonyms a caller may use: {{"uint8", "Byte"}}. The tool receives the value; differences in case and separators
    // (- _ blank) need no synonym. Not shown to clients.
    std::vector<std::pair<const char*, const char*>> synonyms{};
    setting<std::size_t, detail::has_length> min_length{}, max_length{};  // characters (of the items, for a list)
    setting<const char*, detail::has_length> pattern{};  // ECMAScript, found anywhere: anchor with ^ and $
    std::vector<const char*> examples{};                 // JSON texts
    setting<std::size_t, detail::has_items> min_items{}, max_items{};
    // HTTP clients repeat the argument in the header Mcp-Param-<header>, so that proxies can route by it.
    setting<const char*, detail::has_header> header{};
    bool required_output = false;  // an output argument the caller must give
    bool or_single = false;        // a list that may also be given as one bare value
};

// ---- schema text
// -------------------------------------------------------------------------------------------------------

namespace detail {

// Comma-separated keywords.
class keyword_text {
public:
    void add(std::string_view keyword, const std::string& json) {
        text_ += (text_.empty() ? "\"" : ",\"") + std::string{keyword} + "\":" + json;
    }
    template <class V, class Write>
    void add_if(std::string_view keyword, const std::optional<V>& v, Write write) {
        if (v) add(keyword, write(*v));
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

template <class Range, class Write>
std::string list_text(const Range& values, Write write) {
    std::string s;
    for (const auto& v : values) s += (s.empty() ? "" : ",") + std::string{write(v)};
    return "[" + s + "]";
}

inline std::string synonyms_text(const std::vector<std::pair<const char*, const char*>>& all) {
    keyword_text k;
    for (const auto& [word, value] : all) k.add(word, quote(value));
    return "{" + k.text() + "}";
}

template <class T>
std::string literal(const T& v) {
    if constexpr (std::is_same_v<T, bool>)
        return v ? "true" : "false";
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return std::to_string(v);
    else if constexpr (std::is_same_v<T, double>)
        return number(v);
    else if constexpr (std::is_same_v<T, std::string>)
        return quote(v);
    else if constexpr (std::is_same_v<T, choice>)
        return quote(v.value);
    else if constexpr (one_of<T, crs, output_crs>)
        return quote(v.text);
    else if constexpr (std::is_same_v<T, bands>)
        return v.all() ? quote("all") : literal(v.numbers);
    else if constexpr (is_list<T>::value)
        return list_text(v, [](const typename T::value_type& e) { return literal(e); });
    else
        return {};  // has_fallback excludes all others
}

// The JSON type of a single value, with the keywords of its kind.
template <class T>
std::string type_keywords() {
    if constexpr (std::is_same_v<T, geometry>)
        return "\"anyOf\":[{\"type\":\"object\",\"properties\":{\"type\":{\"type\":\"string\",\"description\":"
               "\"GeoJSON type\"}},\"required\":[\"type\"]},{\"type\":\"array\",\"items\":{\"type\":\"number\"},"
               "\"minItems\":4,\"maxItems\":4},{\"type\":\"string\",\"minLength\":1}]";
    else if constexpr (std::is_same_v<T, bands>)
        return "\"anyOf\":[{\"type\":\"array\",\"items\":{\"type\":\"integer\",\"minimum\":1},\"minItems\":1},"
               "{\"type\":\"integer\",\"minimum\":1},{\"type\":\"string\",\"enum\":[\"all\"]}]";
    else if constexpr (std::is_same_v<T, levels>)
        return "\"anyOf\":[{\"type\":\"boolean\"},{\"type\":\"array\",\"items\":{\"type\":\"integer\",\"minimum\":2},"
               "\"minItems\":1}]";
    else if constexpr (std::is_same_v<T, vector>)
        return "\"anyOf\":[{\"type\":\"string\",\"minLength\":1},{\"type\":\"object\"}]";
    else if constexpr (std::is_same_v<T, json_text>)
        return "\"type\":\"object\"";
    else if constexpr (std::is_same_v<T, bool>)
        return "\"type\":\"boolean\"";
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return "\"type\":\"integer\"";
    else if constexpr (std::is_same_v<T, double>)
        return "\"type\":\"number\"";
    else if constexpr (is_path<T> || one_of<T, crs, output_crs>)
        return "\"type\":\"string\",\"minLength\":1";
    else
        return "\"type\":\"string\"";
}

// The keywords of a value of type T, without braces and description.
template <class T, class Arg>
std::string keywords(const Arg& a) {
    if constexpr (is_optional<T>::value) {
        return keywords<typename T::value_type>(a);
    } else if constexpr (is_list<T>::value) {
        const std::string item = keywords<typename T::value_type>(a);
        keyword_text k;
        k.add("type", quote("array"));
        k.add("items", "{" + item + "}");
        const auto count = [](std::size_t n) { return std::to_string(n); };
        k.add_if("minItems", a.min_items, count);
        k.add_if("maxItems", a.max_items, count);
        return a.or_single ? "\"anyOf\":[{" + k.text() + "},{" + item + "}]" : k.text();
    } else {
        keyword_text k;
        if (!a.values.empty()) k.add("enum", list_text(a.values, quote));
        if (!a.synonyms.empty()) k.add("x-gdalmcp-synonyms", synonyms_text(a.synonyms));
        if (const char* r = role<T>()) k.add("x-gdalmcp", quote(r));
        k.add_if("minimum", a.min, number);
        k.add_if("maximum", a.max, number);
        k.add_if("exclusiveMinimum", a.above, number);
        k.add_if("exclusiveMaximum", a.below, number);
        const auto count = [](std::size_t n) { return std::to_string(n); };
        k.add_if("minLength", a.min_length, count);
        k.add_if("maxLength", a.max_length, count);
        k.add_if("pattern", a.pattern, quote);
        return type_keywords<T>() + (k.text().empty() ? "" : "," + k.text());
    }
}

template <class T>
std::string schema(const arg<T>& a) {
    std::string about = a.about;
    if (a.unit) about += std::string(" [") + a.unit + "]";
    std::string s = "{" + keywords<T>(a) + ",\"description\":" + quote(about);
    if (a.header) s += ",\"x-mcp-header\":" + quote(*a.header);
    if (a.fallback) s += ",\"default\":" + literal(*a.fallback);
    if (!a.examples.empty()) s += ",\"examples\":" + list_text(a.examples, [](const char* json) { return json; });
    return s + "}";
}

}  // namespace detail

// A declared argument of a tool: its name, its schema text, whether it is required.
class parameter {
public:
    template <class T>
    parameter(const arg<T>& a)  // NOLINT: implicit, so that a tool lists its arguments by name
        : name_{a.name}, schema_{detail::schema(a)} {
        if constexpr (detail::is_output<T>)
            required_ = a.required_output;
        else
            required_ = !a.fallback && !detail::is_optional<T>::value;
        if (a.fallback) fallback_ = detail::literal(*a.fallback);
    }
    parameter(std::string name, std::string schema, bool required, std::string fallback)
        : name_{std::move(name)}, schema_{std::move(schema)}, fallback_{std::move(fallback)}, required_{required} {}
    const std::string& name() const { return name_; }
    const std::string& schema() const { return schema_; }
    const std::string& fallback() const { return fallback_; }  // JSON; empty: none
    bool required() const { return required_; }

private:
    std::string name_, schema_, fallback_;
    bool required_ = true;
};

// An argument that is an object with members of its own:
//   static const gdalmcp::object window{"window", "The part to read.", {column, row}};
//   call[window][column]
// The object is required only if a member is; its default is that of its members. An optional() object is absent unless
// the caller gives it: check call.given(window).
class object {
public:
    object(const char* name, const char* about, std::initializer_list<parameter> members)
        : name_{name}, members_{schema_of(about, members)} {
        for (const auto& m : members) {
            required_ = required_ || m.required();
            if (!m.fallback().empty())
                fallback_ += (fallback_.empty() ? "" : ",") + detail::quote(m.name()) + ":" + m.fallback();
        }
    }
    object optional() const {
        object o = *this;
        o.optional_ = true;
        return o;
    }
    const char* name() const { return name_; }
    operator parameter() const {  // NOLINT: implicit, as parameter(arg) is
        if (optional_ || required_) return {name_, members_, !optional_, ""};
        const auto fallback = "{" + fallback_ + "}";
        return {name_, members_.substr(0, members_.size() - 1) + ",\"default\":" + fallback + "}", false, fallback};
    }

    static std::string schema_of(const char* about, std::initializer_list<parameter> members) {
        std::vector<std::pair<std::string, std::string>> properties;
        std::vector<std::string> required;
        for (const auto& m : members) {
            properties.emplace_back(m.name(), m.schema());
            if (m.required()) required.push_back(m.name());
        }
        return detail::object_schema(about, properties, required);
    }

private:
    const char* name_;
    std::string members_, fallback_;
    bool required_ = false, optional_ = false;
};

// A list of objects with the same members:
//   static const gdalmcp::objects classes{"classes", "The classes.", {lowest, label}, 1};
//   for (const auto& one : call[classes]) one[label]
// An optional() list is empty where the caller gives none. or_bare: a bare value stands for an object with its first
// member alone.
class objects {
public:
    enum form { only_objects, or_bare };
    objects(const char* name, const char* about, std::initializer_list<parameter> members,
            std::optional<std::size_t> min_items = {}, std::optional<std::size_t> max_items = {},
            form items = only_objects)
        : name_{name}, bare_{items == or_bare ? members.begin()->name() : ""} {
        const auto whole = object::schema_of("", members);
        detail::keyword_text k;
        k.add("type", detail::quote("array"));
        k.add("description", detail::quote(about));
        k.add("items", items == or_bare ? "{\"anyOf\":[" + members.begin()->schema() + "," + whole + "]}" : whole);
        const auto count = [](std::size_t n) { return std::to_string(n); };
        k.add_if("minItems", min_items, count);
        k.add_if("maxItems", max_items, count);
        schema_ = "{" + k.text() + "}";
    }
    objects optional() const {
        objects o = *this;
        o.optional_ = true;
        return o;
    }
    const char* name() const { return name_; }
    const std::string& bare() const { return bare_; }  // the member that a bare value is; "": no bare values
    operator parameter() const { return {name_, schema_, !optional_, ""}; }  // NOLINT: implicit, as above

private:
    const char* name_;
    std::string bare_, schema_;
    bool optional_ = false;
};

// Objects with the same members by names of the caller's: {"A": {"uri": …, "band": 2}, "B": "dem.tif"}. A bare value
// stands for an object with its first member alone.
//   static const gdalmcp::named_objects inputs{"inputs", "Rasters by the names in 'expression'.", {uri, band}};
//   for (const auto& [name, one] : call[inputs]) one[uri]
class named_objects {
public:
    named_objects(const char* name, const char* about, std::initializer_list<parameter> members,
                  std::size_t min_members = 1, std::size_t max_members = 100)
        : name_{name}, first_{members.begin()->name()} {
        detail::keyword_text k;
        k.add("type", detail::quote("object"));
        k.add("description", detail::quote(about));
        k.add("additionalProperties",
              "{\"anyOf\":[" + members.begin()->schema() + "," + object::schema_of("", members) + "]}");
        k.add("minProperties", std::to_string(min_members));
        k.add("maxProperties", std::to_string(max_members));
        schema_ = "{" + k.text() + "}";
    }
    const char* name() const { return name_; }
    const std::string& first() const { return first_; }
    operator parameter() const { return {name_, schema_, true, ""}; }  // NOLINT: implicit, as above

private:
    const char* name_;
    std::string first_, schema_;
};

}  // namespace gdalmcp
