// gdalmcp/tool.hpp — C++20 over gdalmcp/abi.h: tools, and one running call. Header-only, standard library only;
// everything here is compiled into the plugin.
//
// clang-format off
//   static const gdalmcp::arg<double> z{.name = "z_factor", .about = "Vertical per horizontal unit.", .fallback = 1.0, .above = 0.0};
//   static const gdalmcp::field<double> mean{"mean_slope", "Mean slope of all valid cells.", "degrees"};
//   static void run(gdalmcp::call& call) { call.put(mean, 3.2 * call[z]); }
//   static const gdalmcp::tool slope{{.name = "slope", .title = "Slope", .about = "Slope of a DEM.", .behaviour = GDALMCP_READ_ONLY},
//                                    run, {z}, {mean}};
//   GDALMCP_PLUGIN("org.example.terrain", "1.0.0", "MIT", slope.abi())
// clang-format on
//
// Declare arguments, fields and tools as statics of one file, in this order: a tool copies their schemas when it is
// made.
#pragma once
#include <gdalmcp/argument.hpp>
#include <gdalmcp/result.hpp>

#include <new>

namespace gdalmcp {

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
