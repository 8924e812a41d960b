// gdalmcp/tool.hpp — C++20 over gdalmcp/abi.h: tools, and one running call. Header-only, standard library only;
// everything here is compiled into the plugin.
//
// clang-format off
//   static const gdalmcp::arg<double> z{.name = "z_factor", .about = "Vertical per horizontal unit.", .fallback = 1.0, .above = 0.0};
//   static const gdalmcp::field<double> mean{"mean_slope", "Mean slope of all valid cells.", "degrees"};
//   static void run(gdalmcp::call& call) { call.put(mean, 3.2 * call[z]); }
//   static const gdalmcp::tool slope{{.name = "slope", .title = "Slope", .about = "Slope of a DEM.", .behaviour = GDALMCP_READ_ONLY},
//                                    run, {z}, {mean}};
//   GDALMCP_PLUGIN("org.example.terrain", "1.0.0", "MIT", slope)
// clang-format on
//
// Declare arguments, fields and tools as statics of one file, in this order: a tool copies their schemas when it is
// made.
#pragma once
#include <gdalmcp/asking.hpp>
#include <gdalmcp/call_arguments.hpp>
#include <gdalmcp/result.hpp>

#include <new>
#include <system_error>

namespace gdalmcp {

// Expected properties of an output; members not given are not compared.
struct expected_output {
    std::optional<std::string> crs{};  // AUTHORITY:CODE or WKT; empty: none
    std::optional<std::int64_t> width{}, height{}, bands{};
    std::optional<std::string> dtype{};  // GDAL's name, of every band
    std::optional<std::int64_t> features{};
};

// Reads arguments, builds the result. Valid until the tool's function returns.
class call : public call_arguments, public place, public asking {
public:
    call(const gdalmcp_host& h, gdalmcp_call* c) : call_arguments{h, c, ""}, place{h, c, "", rows_}, asking{h, c} {}
    call(const call&) = delete;
    call& operator=(const call&) = delete;

    void say(std::string_view line) { check(h_.say(c_, str(line))); }
    void warn(std::string_view text) { check(h_.warn(c_, str(text))); }
    void attach_image(std::string_view media_type, std::string_view bytes) {
        attach({sizeof(gdalmcp_attachment), GDALMCP_IMAGE, str(media_type), str(bytes), {}, {}, {}});
    }
    void attach_text(std::string_view media_type, std::string_view text) {
        attach({sizeof(gdalmcp_attachment), GDALMCP_TEXT, str(media_type), str(text), {}, {}, {}});
    }
    // A link to a page: uri begins with https://, name is its label. A host of ABI 1.0 shows it as text.
    void attach_link(std::string_view uri, std::string_view name, std::string_view description = {},
                     std::string_view media_type = {}) {
        if (h_.abi_minor < 1) return attach_text("text/plain", std::string{name} + ": " + std::string{uri});
        attach({sizeof(gdalmcp_attachment), GDALMCP_LINK, str(media_type), str(uri), str(name), str(description), {}});
    }
    // media_type: audio/wav or another audio/ type. A host before ABI 1.2 only notes that there was audio.
    void attach_audio(std::string_view media_type, std::string_view bytes) {
        if (h_.abi_minor < 2) return attach_text("text/plain", unshown(media_type, bytes));
        attach({sizeof(gdalmcp_attachment), GDALMCP_AUDIO, str(media_type), str(bytes), {}, {}, {}});
    }
    // The contents of a resource under a uri of the tool's own scheme, for example "acme://legend"; shown as text if
    // media_type is text/, application/json or ends in +json. A host before ABI 1.2 shows text without its uri, and
    // only notes other contents.
    void attach_resource(std::string_view uri, std::string_view media_type, std::string_view bytes) {
        if (h_.abi_minor < 2)
            return attach_text(media_type,
                               media_type.substr(0, 5) == "text/" ? std::string{bytes} : unshown(media_type, bytes));
        attach({sizeof(gdalmcp_attachment), GDALMCP_RESOURCE, str(media_type), str(bytes), {}, {}, str(uri)});
    }
    std::string new_scratch(std::string_view name, std::string_view suffix) {
        gdalmcp_str path{};
        check(h_.new_scratch(c_, str(name), str(suffix), &path));
        return std::string{view(path)};
    }
    // The host fails the call if the re-opened output differs; see gdalmcp_host::expect.
    template <class T>
    void expect(const arg<T>& output, const expected_output& e) {
        detail::keyword_text k;
        const auto count = [](std::int64_t n) { return std::to_string(n); };
        k.add_if("crs", e.crs, detail::quote);
        k.add_if("width", e.width, count);
        k.add_if("height", e.height, count);
        k.add_if("bands", e.bands, count);
        k.add_if("dtype", e.dtype, detail::quote);
        k.add_if("features", e.features, count);
        check(h_.expect(c_, str(detail::pointer("", output.name)), str("{" + k.text() + "}")));
    }
    // Throws cancelled when the call was cancelled.
    void progress(double fraction, std::string_view what = {}) {
        if (!h_.progress(c_, fraction, str(what))) throw cancelled{};
    }
    // Maps [0, 1] of one step to [from, to] of the call, for code that knows only its own step; throws like progress().
    std::function<void(double)> part(double from, double to, std::string what = {}) {
        return [this, from, to, what = std::move(what)](double fraction) {
            progress(from + fraction * (to - from), what);
        };
    }
    // The same without an exception, for C callbacks: false = stop.
    bool keep_going(double fraction) noexcept { return h_.progress(c_, fraction, {nullptr, 0}) != 0; }
    void log(int level, std::string_view text) { h_.log(c_, level, str(text)); }
    // Announces that this call takes seconds to minutes: the host may release its client meanwhile.
    void takes_long() {
        if (h_.abi_minor >= 2) h_.takes_long(c_);
    }

private:
    static std::string unshown(std::string_view media_type, std::string_view bytes) {
        return std::to_string(bytes.size()) + " bytes of " + std::string{media_type} + ", which this host cannot show";
    }
    void attach(const gdalmcp_attachment& a) { check(h_.attach(c_, &a)); }

    row_counts rows_;
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
        input_ = object::schema_of("", parameters);
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
    operator const gdalmcp_tool*() const { return &c_; }  // NOLINT: implicit, for GDALMCP_PLUGIN

private:
    static gdalmcp_status out_of_memory(const gdalmcp_host* h, gdalmcp_call* c) noexcept {
        h->fail(c, GDALMCP_EXHAUSTED, str("out of memory"), str("use a smaller area or a coarser resolution"));
        return GDALMCP_EXHAUSTED;
    }
    // The boundary between C++ and C: no exception passes it.
    static gdalmcp_status run(const gdalmcp_host* h, gdalmcp_call* c, const void* self) noexcept {
        try {
            call k{*h, c};
            static_cast<const tool*>(self)->f_(k);
            return GDALMCP_OK;
        } catch (const error& e) {
            h->fail(c, e.status, str(e.message), str(e.hint));
            return e.status;
        } catch (const std::bad_alloc&) {
            return out_of_memory(h, c);
        } catch (const std::system_error& e) {
            if (e.code() == std::errc::resource_unavailable_try_again) return out_of_memory(h, c);  // no thread
            h->fail(c, GDALMCP_INTERNAL, str(e.what()), {});
            return GDALMCP_INTERNAL;
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

// The one exported symbol. `...`: the tools, in listing order. A tool of another file is declared here as `extern const
// gdalmcp::tool slope;` and defined there.
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
