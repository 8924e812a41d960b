#include "worker/abi_host.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>

#include "base/image.hpp"
#include "base/link.hpp"
#include "base/pointer.hpp"
#include "base/text.hpp"
#include "runner/frame.hpp"

namespace gdalmcp::worker {

namespace json = base::json;

namespace {

running_call& self(gdalmcp_call* c) { return *reinterpret_cast<running_call*>(c); }
std::string_view view(gdalmcp_str s) { return s.data ? std::string_view{s.data, s.size} : std::string_view{}; }
std::string clean(gdalmcp_str s) { return base::scrub_utf8(view(s)); }

std::int64_t now_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

gdalmcp_kind kind_of(const json::value& v) {
    switch (v.kind()) {
        case json::kind::bool_:
            return GDALMCP_BOOL;
        case json::kind::int64:
        case json::kind::uint64:
            return GDALMCP_INTEGER;
        case json::kind::double_:
            return GDALMCP_NUMBER;
        case json::kind::string:
            return GDALMCP_STRING;
        case json::kind::array:
            return GDALMCP_ARRAY;
        case json::kind::object:
            return GDALMCP_OBJECT;
        case json::kind::null:
            break;
    }
    return GDALMCP_NULL;
}

}  // namespace

// The functions behind the table. No exception may leave them: allocation failure becomes GDALMCP_EXHAUSTED.
struct abi_functions {
    static constexpr std::size_t max_reason = 8192;
    static constexpr std::ptrdiff_t deepest_pointer = base::deepest_json - 4;  // leaves room for the host's own levels

    static std::ptrdiff_t depth_of(const json::value& v) {
        std::ptrdiff_t deepest = 0;
        if (const auto* a = v.if_array()) {
            for (const auto& e : *a) deepest = std::max(deepest, depth_of(e));
            return deepest + 1;
        }
        if (const auto* o = v.if_object()) {
            for (const auto& m : *o) deepest = std::max(deepest, depth_of(m.value()));
            return deepest + 1;
        }
        return 0;
    }

    template <class F>
    static gdalmcp_status guarded(gdalmcp_call* c, F f) noexcept {
        try {
            const std::lock_guard lock{self(c).mutex_};
            return f(self(c));
        } catch (...) {
            self(c).lost_words_ = "there is no memory left for it";
            return GDALMCP_EXHAUSTED;
        }
    }

    // Adds `bytes` to a counter. False above its limit; then the call fails at its end.
    static bool has_room(running_call& r, std::size_t& counted, std::size_t bytes, std::size_t most, const char* why) {
        if (bytes <= most && counted <= most - bytes) {
            counted += bytes;
            return true;
        }
        r.lost_words_ = why;
        return false;
    }
    static bool has_room_to_put(running_call& r, std::size_t bytes) {
        return has_room(r, r.put_, bytes, 16u << 20,
                        "the result is too large: at most 16 MiB may be put, and 1 MiB remain at the end");
    }
    static bool has_room_to_say(running_call& r, std::size_t bytes) {
        return has_room(r, r.said_, bytes, 1u << 20, "the limit for its lines and warnings is 1 MiB together");
    }
    static bool has_room_to_attach(running_call& r, std::size_t bytes) {
        return has_room(r, r.attached_, bytes, 7u << 20, "the limit for its attachments is 7 MiB together");
    }

    static int32_t get_kind(gdalmcp_call* c, gdalmcp_str at) {
        int32_t kind = GDALMCP_NULL;
        guarded(c, [&](running_call& r) {
            if (const auto* v = base::at_pointer(std::as_const(r.arguments_), view(at))) kind = kind_of(*v);
            return GDALMCP_OK;
        });
        return kind;
    }

    // f(value) returns whether the value has the wanted kind.
    template <class F>
    static gdalmcp_status read(gdalmcp_call* c, gdalmcp_str at, F f) {
        return guarded(c, [&](running_call& r) {
            const auto* v = base::at_pointer(std::as_const(r.arguments_), view(at));
            if (!v || v->is_null()) return GDALMCP_NOT_FOUND;
            return f(r, *v) ? GDALMCP_OK : GDALMCP_INVALID_ARGUMENT;
        });
    }
    static gdalmcp_status get_bool(gdalmcp_call* c, gdalmcp_str at, int32_t* out) {
        return read(c, at, [&](running_call&, const json::value& v) {
            if (v.is_bool()) *out = v.get_bool() ? 1 : 0;
            return v.is_bool();
        });
    }
    static gdalmcp_status get_int(gdalmcp_call* c, gdalmcp_str at, int64_t* out) {
        return read(c, at, [&](running_call&, const json::value& v) {
            if (v.is_int64()) *out = v.get_int64();
            return v.is_int64();
        });
    }
    static gdalmcp_status get_number(gdalmcp_call* c, gdalmcp_str at, double* out) {
        return read(c, at, [&](running_call&, const json::value& v) {
            if (v.is_number()) *out = v.to_number<double>();
            return v.is_number();
        });
    }
    static gdalmcp_status get_string(gdalmcp_call* c, gdalmcp_str at, gdalmcp_str* out) {
        return read(c, at, [&](running_call&, const json::value& v) {
            if (v.is_string()) *out = {v.get_string().data(), v.get_string().size()};
            return v.is_string();
        });
    }
    static gdalmcp_status get_size(gdalmcp_call* c, gdalmcp_str at, size_t* out) {
        return read(c, at, [&](running_call&, const json::value& v) {
            if (v.is_array()) *out = v.get_array().size();
            if (v.is_object()) *out = v.get_object().size();
            return v.is_array() || v.is_object();
        });
    }
    static gdalmcp_status get_json(gdalmcp_call* c, gdalmcp_str at, gdalmcp_str* out) {
        return read(c, at, [&](running_call& r, const json::value& v) {
            *out = lend(r, base::write_json(v));
            return true;
        });
    }

    // bytes: of the value as text.
    static gdalmcp_status put(gdalmcp_call* c, gdalmcp_str at, const std::function<json::value()>& make,
                              std::size_t bytes = 8) {
        return guarded(c, [&](running_call& r) {
            const auto deep = std::count(view(at).begin(), view(at).end(), '/');
            if (deep > deepest_pointer) return GDALMCP_INVALID_ARGUMENT;
            if (!has_room_to_put(r, at.size + bytes)) return GDALMCP_EXHAUSTED;
            auto v = make();
            if (deep + depth_of(v) > deepest_pointer) return GDALMCP_INVALID_ARGUMENT;
            if (view(at).empty() && !v.is_object()) return GDALMCP_INVALID_ARGUMENT;  // the result is an object
            return base::put_at_pointer(r.result, view(at), std::move(v)) ? GDALMCP_OK : GDALMCP_INVALID_ARGUMENT;
        });
    }
    static gdalmcp_status put_bool(gdalmcp_call* c, gdalmcp_str at, int32_t v) {
        return put(c, at, [&] { return json::value(v != 0); });
    }
    static gdalmcp_status put_int(gdalmcp_call* c, gdalmcp_str at, int64_t v) {
        return put(c, at, [&] { return json::value(v); });
    }
    static gdalmcp_status put_number(gdalmcp_call* c, gdalmcp_str at, double v) {
        return put(c, at, [&] { return std::isfinite(v) ? json::value(v) : json::value(nullptr); });
    }
    static gdalmcp_status put_string(gdalmcp_call* c, gdalmcp_str at, gdalmcp_str v) {
        return put(
            c, at, [&] { return json::value(json::string(clean(v))); }, v.size);
    }
    static gdalmcp_status put_json(gdalmcp_call* c, gdalmcp_str at, gdalmcp_str text) {
        auto v = base::parse_json(view(text));
        if (!v) return GDALMCP_INVALID_ARGUMENT;
        return put(
            c, at, [&] { return std::move(*v); }, text.size);
    }

    static gdalmcp_status say(gdalmcp_call* c, gdalmcp_str text) {
        return guarded(c, [&](running_call& r) {
            if (!has_room_to_say(r, text.size + 1)) return GDALMCP_EXHAUSTED;
            r.lines.push_back(clean(text));
            return GDALMCP_OK;
        });
    }
    static gdalmcp_status warn(gdalmcp_call* c, gdalmcp_str text) {
        return guarded(c, [&](running_call& r) {
            if (!has_room_to_say(r, text.size + 8)) return GDALMCP_EXHAUSTED;
            r.warnings.push_back(clean(text));
            return GDALMCP_OK;
        });
    }
    // An embedded resource: text where its media type is a text type.
    static bool is_text(std::string_view type) {
        type = type.substr(0, type.find(';'));
        constexpr std::string_view suffix = "+json";
        return type.substr(0, 5) == "text/" || type == "application/json" ||
               (type.size() > suffix.size() && type.substr(type.size() - suffix.size()) == suffix);
    }
    static gdalmcp_status attach(gdalmcp_call* c, const gdalmcp_attachment* given) {
        // ABI 1.0 ended before `name`; missing members read as empty.
        if (!given || given->struct_size < offsetof(gdalmcp_attachment, name)) return GDALMCP_INVALID_ARGUMENT;
        gdalmcp_attachment a{};
        std::memcpy(&a, given, std::min<std::size_t>(given->struct_size, sizeof a));
        return guarded(c, [&](running_call& r) {
            const auto bytes = a.bytes.size + a.media_type.size + a.name.size + a.description.size + a.uri.size;
            if (!has_room_to_attach(r, bytes + 64)) return GDALMCP_EXHAUSTED;
            json::object o{{"media_type", clean(a.media_type)}};
            switch (a.kind) {
                case GDALMCP_TEXT:
                    o["text"] = clean(a.bytes);
                    break;
                case GDALMCP_IMAGE:
                    if (!base::is_image(view(a.bytes), view(a.media_type))) return GDALMCP_INVALID_ARGUMENT;
                    o["image"] = base::base64(view(a.bytes));
                    break;
                case GDALMCP_LINK:
                    if (!base::is_offerable_link(view(a.bytes)) || view(a.name).empty())
                        return GDALMCP_INVALID_ARGUMENT;
                    o["link"] = view(a.bytes);
                    o["name"] = clean(a.name);
                    o["description"] = clean(a.description);
                    break;
                case GDALMCP_AUDIO:
                    if (view(a.media_type).substr(0, 6) != "audio/") return GDALMCP_INVALID_ARGUMENT;
                    o["audio"] = base::base64(view(a.bytes));
                    break;
                case GDALMCP_RESOURCE:
                    if (!base::is_embeddable_uri(view(a.uri))) return GDALMCP_INVALID_ARGUMENT;
                    o["resource"] = view(a.uri);
                    if (is_text(view(a.media_type)))
                        o["text"] = clean(a.bytes);
                    else
                        o["blob"] = base::base64(view(a.bytes));
                    break;
                default:
                    return GDALMCP_INVALID_ARGUMENT;
            }
            r.attachments.push_back(std::move(o));
            return GDALMCP_OK;
        });
    }
    static gdalmcp_status new_scratch(gdalmcp_call* c, gdalmcp_str name, gdalmcp_str suffix, gdalmcp_str* path) {
        const std::string file = clean(name) + clean(suffix);
        if (file.empty() || file.find('/') != std::string::npos || file.front() == '.') return GDALMCP_INVALID_ARGUMENT;
        return guarded(c, [&](running_call& r) {
            *path = lend(r, (r.scratch_ / file).string());
            return GDALMCP_OK;
        });
    }
    static gdalmcp_status expect(gdalmcp_call* c, gdalmcp_str at, gdalmcp_str text) {
        auto v = base::parse_json(view(text));
        if (!v || !v->is_object()) return GDALMCP_INVALID_ARGUMENT;
        return guarded(c, [&](running_call& r) {
            if (!base::at_pointer(std::as_const(r.arguments_), view(at))) return GDALMCP_NOT_FOUND;
            r.expectations[view(at)] = std::move(*v);
            return GDALMCP_OK;
        });
    }
    static int32_t progress(gdalmcp_call* c, double fraction, gdalmcp_str what) {
        int32_t go_on = 1;
        guarded(c, [&](running_call& r) {
            const auto now = now_ms();
            if (std::isfinite(fraction)) fraction = std::min(1.0, std::max(0.0, fraction));
            r.progress_asked = true;
            r.progress_fell |= fraction < r.asked_;
            r.asked_ = fraction;
            // At most ten reports a second: a tool may call this for every row.
            if (fraction > r.reported_ && now - r.reported_at_ >= 100) {
                r.reported_ = fraction;
                r.reported_at_ = now;
                json::object frame{{"kind", "progress"}, {"fraction", fraction}};
                if (!view(what).empty()) frame["message"] = clean(what);
                if (!runner::write_frame(r.socket_, frame)) r.stop_ = true;  // the host is gone
            }
            go_on = r.stop_requested() ? 0 : 1;
            return GDALMCP_OK;
        });
        return go_on;
    }
    static void log(gdalmcp_call* c, int32_t level, gdalmcp_str text) {
        guarded(c, [&](running_call& r) {
            static_cast<void>(
                runner::write_frame(r.socket_, json::object{{"kind", "log"}, {"level", level}, {"text", clean(text)}}));
            return GDALMCP_OK;
        });
    }
    static void fail(gdalmcp_call* c, gdalmcp_status, gdalmcp_str message, gdalmcp_str hint) {
        guarded(c, [&](running_call& r) {
            const auto cut = [](gdalmcp_str s) { return clean({s.data, std::min(s.size, max_reason)}); };
            r.failure_ = {"", cut(message), cut(hint), ""};
            return GDALMCP_OK;
        });
    }
    static void takes_long(gdalmcp_call* c) {
        guarded(c, [&](running_call& r) {
            if (std::exchange(r.takes_long_, true)) return GDALMCP_OK;
            static_cast<void>(runner::write_frame(r.socket_, json::object{{"kind", "takes_long"}}));
            return GDALMCP_OK;
        });
    }

    // The table of GDALMCP_ASK_ID.
    static int32_t can_ask(gdalmcp_call* c, gdalmcp_str what) {
        bool can = false;
        guarded(c, [&](running_call& r) {
            can = r.questions.can(view(what));
            return GDALMCP_OK;
        });
        return can ? 1 : 0;
    }
    static gdalmcp_status ask(gdalmcp_call* c, gdalmcp_str name, gdalmcp_str method, gdalmcp_str params) {
        auto p = base::parse_json(view(params));
        if (!p || !p->is_object()) return GDALMCP_INVALID_ARGUMENT;
        return guarded(c, [&](running_call& r) {
            r.questions.put(clean(name), clean(method), std::move(p->get_object()));
            return GDALMCP_OK;
        });
    }
    static gdalmcp_status answer(gdalmcp_call* c, gdalmcp_str name, gdalmcp_str at, int32_t* kind, gdalmcp_str* value) {
        return guarded(
            c, [&](running_call& r) { return hand_out(r, r.questions.answer(view(name), view(at)), kind, value); });
    }
    static gdalmcp_status get_state(gdalmcp_call* c, gdalmcp_str at, int32_t* kind, gdalmcp_str* value) {
        return guarded(c, [&](running_call& r) { return hand_out(r, r.questions.state(view(at)), kind, value); });
    }
    static gdalmcp_status put_state(gdalmcp_call* c, gdalmcp_str text) {
        auto v = base::parse_json(view(text));
        if (!v) return GDALMCP_INVALID_ARGUMENT;
        return guarded(c, [&](running_call& r) {
            r.questions.keep(std::move(*v));
            return GDALMCP_OK;
        });
    }
    static gdalmcp_status hand_out(running_call& r, const json::value* v, int32_t* kind, gdalmcp_str* value) {
        if (!v) return GDALMCP_NOT_FOUND;
        if (kind) *kind = kind_of(*v);
        const auto* text = v->if_string();
        if (value) *value = text ? gdalmcp_str{text->data(), text->size()} : lend(r, base::write_json(*v));
        return GDALMCP_OK;
    }
    static const void* extension(gdalmcp_call*, const char* id) {
        static const gdalmcp_ask asking{sizeof asking, &can_ask, &ask, &answer, &get_state, &put_state};
        return id && std::string_view{id} == GDALMCP_ASK_ID ? &asking : nullptr;
    }

    static gdalmcp_str lend(running_call& r, std::string text) {
        r.lent_.push_back(std::make_unique<std::string>(std::move(text)));
        return {r.lent_.back()->data(), r.lent_.back()->size()};
    }
};

running_call::running_call(json::value arguments, std::filesystem::path scratch, int socket, const json::object& told)
    : result(json::object{}),
      questions{told},
      arguments_(std::move(arguments)),
      scratch_{std::move(scratch)},
      socket_{socket} {}

namespace {

gdalmcp_host table_of(std::uint32_t minor) {
    using f = abi_functions;
    return {sizeof(gdalmcp_host), minor,        &f::get_kind, &f::get_bool, &f::get_int,   &f::get_number,
            &f::get_string,       &f::get_size, &f::get_json, &f::put_bool, &f::put_int,   &f::put_number,
            &f::put_string,       &f::put_json, &f::say,      &f::warn,     &f::attach,    &f::new_scratch,
            &f::expect,           &f::progress, &f::log,      &f::fail,     &f::extension, &f::takes_long};
}

}  // namespace

const gdalmcp_host& running_call::table(std::uint32_t plugin_minor) {
    static const gdalmcp_host tables[] = {table_of(0), table_of(1), table_of(2)};
    static_assert(std::size(tables) == GDALMCP_ABI_MINOR + 1, "one table per minor");
    return tables[std::min(plugin_minor, GDALMCP_ABI_MINOR)];
}

std::optional<base::problem> running_call::conclude(const std::string& tool, gdalmcp_status returned) {
    const std::lock_guard lock{mutex_};
    if (returned == GDALMCP_OK) {
        if (!failure_.message.empty())
            warnings.push_back(tool + " gave a reason for failure, but then reported success: " + failure_.message);
        return std::nullopt;
    }
    auto p = failure_;
    p.code = code_of(returned);
    if (p.message.empty()) {
        p.message = tool + " failed with status " + std::to_string(returned) + " and gave no reason";
        p.hint = "this is a defect of the tool; report it to its author";
    }
    return p;
}

void running_call::add_warning(std::string text) {
    const std::lock_guard lock{mutex_};
    text = base::scrub_utf8(text);
    const bool said = std::find(warnings.begin(), warnings.end(), text) != warnings.end();
    if (!said && warnings.size() < 100) warnings.push_back(std::move(text));
}

void running_call::add_undecoded(std::string text) {
    const std::lock_guard lock{mutex_};
    if (undecoded.empty()) undecoded = base::scrub_utf8(text);
}

// "stop" is the only frame the host sends during a call, so anything readable (or the end of the stream) means it.
bool running_call::stop_requested() {
    if (stop_) return true;
    pollfd p{socket_, POLLIN, 0};
    stop_ = ::poll(&p, 1, 0) > 0;
    return stop_;
}

const char* code_of(gdalmcp_status s) {
    namespace code = base::code;
    switch (s) {
        case GDALMCP_INVALID_ARGUMENT:
            return code::invalid_argument;
        case GDALMCP_NOT_FOUND:
            return code::not_found;
        case GDALMCP_DENIED:
            return code::denied;
        case GDALMCP_UNSUPPORTED:
            return code::unsupported;
        case GDALMCP_IO:
            return code::io;
        case GDALMCP_CANCELLED:
            return code::cancelled;
        case GDALMCP_EXHAUSTED:
            return code::exhausted;
        case GDALMCP_OK:
        case GDALMCP_INTERNAL:
            break;
    }
    return code::internal;
}

}  // namespace gdalmcp::worker
