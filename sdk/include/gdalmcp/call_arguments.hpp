// gdalmcp/call_arguments.hpp — the typed read of a call's arguments. Included by tool.hpp.
#pragma once
#include <gdalmcp/argument.hpp>

namespace gdalmcp {

namespace detail {
// The names of the members of an object, of its JSON text without line breaks between tokens. Names with escapes are
// left as they are written.
inline std::vector<std::string> member_names(std::string_view json) {
    std::vector<std::string> names;
    int depth = 0;
    for (std::size_t i = 0; i < json.size(); ++i) {
        if (json[i] == '{' || json[i] == '[') ++depth;
        if (json[i] == '}' || json[i] == ']') --depth;
        if (json[i] != '"') continue;
        const auto begin = i + 1;
        for (i = begin; i < json.size() && json[i] != '"'; ++i)
            if (json[i] == '\\') ++i;
        if (depth == 1 && i + 1 < json.size() && json[i + 1] == ':') names.emplace_back(json.substr(begin, i - begin));
    }
    return names;
}
}  // namespace detail

// The arguments of a call: at the root, or in one of its objects.
class call_arguments {
public:
    call_arguments(const gdalmcp_host& h, gdalmcp_call* c, std::string at) : host_{h}, call_{c}, base_{std::move(at)} {}

    template <class T>
    T operator[](const arg<T>& a) const {
        return read<T>(pointer_to(a.name));
    }
    call_arguments operator[](const object& o) const { return {host_, call_, detail::pointer(base_, o.name())}; }
    std::vector<call_arguments> operator[](const objects& o) const {
        const auto at = detail::pointer(base_, o.name());
        std::vector<call_arguments> all;
        if (kind(at) == GDALMCP_NULL) return all;
        std::size_t n = 0;
        need(host_.get_size(call_, str(at), &n), at);
        for (std::size_t i = 0; i < n; ++i) {
            all.emplace_back(host_, call_, at + "/" + std::to_string(i));
            if (kind(all.back().base_) != GDALMCP_OBJECT) all.back().bare_ = o.bare();
        }
        return all;
    }
    // By the caller's names, in their order.
    std::vector<std::pair<std::string, call_arguments>> operator[](const named_objects& o) const {
        const auto at = detail::pointer(base_, o.name());
        std::vector<std::pair<std::string, call_arguments>> all;
        for (const auto& name : detail::member_names(text(at, true))) {
            call_arguments one{host_, call_, detail::pointer(at, name)};
            if (kind(one.base_) != GDALMCP_OBJECT) one.bare_ = o.first();
            all.emplace_back(name, std::move(one));
        }
        return all;
    }
    template <class T>
    bool given(const arg<T>& a) const {
        return kind(pointer_to(a.name)) != GDALMCP_NULL;
    }
    bool given(const object& o) const { return kind(detail::pointer(base_, o.name())) != GDALMCP_NULL; }
    bool given(const objects& o) const { return kind(detail::pointer(base_, o.name())) != GDALMCP_NULL; }

private:
    // Of a bare value, its first member is the value itself.
    std::string pointer_to(const char* name) const { return bare_ == name ? base_ : detail::pointer(base_, name); }
    std::int32_t kind(const std::string& at) const { return host_.get_kind(call_, str(at)); }

    template <class T>
    T read(const std::string& at) const {
        T v{};
        if constexpr (detail::is_optional<T>::value) {
            if (kind(at) == GDALMCP_NULL) return std::nullopt;
            return read<typename T::value_type>(at);
        } else if constexpr (detail::is_list<T>::value) {
            if (const auto k = kind(at); k != GDALMCP_ARRAY && k != GDALMCP_NULL)
                return {read<typename T::value_type>(at)};  // or_single
            std::size_t n = 0;
            need(host_.get_size(call_, str(at), &n), at);
            for (std::size_t i = 0; i < n; ++i) v.push_back(read<typename T::value_type>(at + "/" + std::to_string(i)));
        } else if constexpr (std::is_same_v<T, bool>) {
            std::int32_t b = 0;
            need(host_.get_bool(call_, str(at), &b), at);
            v = b != 0;
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
            need(host_.get_int(call_, str(at), &v), at);
        } else if constexpr (std::is_same_v<T, double>) {
            need(host_.get_number(call_, str(at), &v), at);
        } else if constexpr (std::is_same_v<T, geometry>) {
            if (kind(at) == GDALMCP_ARRAY) {
                v.bbox.emplace();
                for (std::size_t i = 0; i < 4; ++i)
                    need(host_.get_number(call_, str(at + "/" + std::to_string(i)), &(*v.bbox)[i]), at);
            } else if (kind(at) == GDALMCP_STRING) {
                v.path = text(at, false);
            } else {
                v.geojson = text(at, true);
            }
        } else if constexpr (std::is_same_v<T, bands>) {
            if (kind(at) != GDALMCP_STRING) v.numbers = read<std::vector<std::int64_t>>(at);
        } else if constexpr (std::is_same_v<T, levels>) {
            if (kind(at) == GDALMCP_ARRAY)
                v = {true, read<std::vector<std::int64_t>>(at)};
            else
                v.wanted = read<bool>(at);
        } else if constexpr (std::is_same_v<T, json_text>) {
            v.text = text(at, true);
        } else if constexpr (std::is_same_v<T, vector>) {
            v.path = text(at, kind(at) == GDALMCP_OBJECT);
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
        need(as_json ? host_.get_json(call_, str(at), &s) : host_.get_string(call_, str(at), &s), at);
        return std::string{view(s)};
    }
    static void need(gdalmcp_status s, const std::string& at) {
        if (s != GDALMCP_OK) throw error{s, "argument '" + at + "' is missing or of another type"};
    }

    const gdalmcp_host& host_;
    gdalmcp_call* call_;
    std::string base_, bare_;
};

}  // namespace gdalmcp
