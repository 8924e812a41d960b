// gdalmcp/result.hpp — members of a tool's result. One declaration of a field gives the output schema and the typed
// put. Included by tool.hpp.
#pragma once
#include <gdalmcp/kind.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <map>

namespace gdalmcp {

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
    else if constexpr (is_optional<T>::value)
        return "\"anyOf\":[{" + result_type<typename T::value_type>() + "},{\"type\":\"null\"}]";
    else if constexpr (std::is_same_v<T, bool>)
        return "\"type\":\"boolean\"";
    else if constexpr (std::is_integral_v<T>)
        return "\"type\":\"integer\"";
    else if constexpr (std::is_floating_point_v<T>)
        return "\"type\":\"number\"";
    else if constexpr (std::is_same_v<T, json_text>)
        return "\"type\":\"object\"";
    else {
        static_assert(std::is_same_v<T, std::string>,
                      "gdalmcp::field<T>: T is bool, an integer, double, std::string, json_text, or a std::vector or "
                      "std::optional (null) of these");
        return "\"type\":\"string\"";
    }
}
inline bool is_area(std::string_view unit) {
    constexpr std::string_view areas[] = {"m2", "m²", "ha", "km2", "km²"};
    return std::find(std::begin(areas), std::end(areas), unit) != std::end(areas);
}
}  // namespace detail

// One scalar (or list of scalars). A double that is NaN or infinite is left out of the result: declare it optional().
// Areas, by their unit, and what is declared measured() are written with nine digits: on an ellipsoid no more are true.
// A value of the caller is declared as_given().
template <class T>
class field : public member {
public:
    field(const char* name, const char* about, const char* unit = nullptr)
        : member{name, "{" + detail::result_type<T>() + ",\"description\":" +
                           detail::quote(unit ? std::string(about) + " [" + unit + "]" : std::string(about)) + "}"},
          measured_{unit && detail::is_area(unit)} {}
    field measured() const {
        field f = *this;
        f.measured_ = true;
        return f;
    }
    field as_given() const {
        field f = *this;
        f.measured_ = false;
        return f;
    }
    bool is_measured() const { return measured_; }
    field optional() const {
        field f = *this;
        f.required_ = false;
        return f;
    }

private:
    bool measured_;
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

// A location in the result: the root, a record, or one row of a table.
class place {
public:
    using row_counts = std::map<std::string, std::size_t>;  // rows so far of each table, by its location

    // rows: owned by the call, outlives every location in its result.
    place(const gdalmcp_host& h, gdalmcp_call* c, std::string at, row_counts& rows)
        : h_{h}, c_{c}, at_{std::move(at)}, rows_{rows} {}

    template <class T>
    void put(const field<T>& f, const std::type_identity_t<T>& v) {
        if constexpr (std::is_same_v<T, double>)
            write(detail::pointer(at_, f.name()), f.is_measured() ? significant(v, 9) : v);
        else
            write(detail::pointer(at_, f.name()), v);
    }
    place at(const record& r) { return {h_, c_, detail::pointer(at_, r.name()), rows_}; }
    // Creates the table, so that a table without rows is an empty list and not absent.
    void begin(const table& t) { check(h_.put_json(c_, str(detail::pointer(at_, t.name())), str("[]"))); }
    place add(const table& t) {
        const std::string rows = detail::pointer(at_, t.name());
        check(h_.put_json(c_, str(rows + "/-"), str("{}")));
        return {h_, c_, rows + "/" + std::to_string(rows_[rows]++), rows_};
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
        } else if constexpr (detail::is_optional<T>::value) {
            if (v)
                write(at, *v);
            else
                check(h_.put_json(c_, str(at), str("null")));
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
    const gdalmcp_host& h_;
    gdalmcp_call* c_;
    std::string at_;
    row_counts& rows_;
};

}  // namespace gdalmcp
