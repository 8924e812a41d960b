// gdalmcp/testing_host.hpp — the host's side of a call in gdalmcp/testing.hpp: the state behind the table of functions.
// Not for direct use.
#pragma once
#include <gdalmcp/testing_json.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <mutex>

namespace gdalmcp::testing {

struct attachment {
    gdalmcp_attachment_kind kind;
    std::string media_type, bytes, name, description, uri;
};

namespace detail {

// One round of one call. The functions may be called from any thread of the tool.
class host {
protected:
    host() = default;
    ~host() = default;

    gdalmcp_call* as_call() { return reinterpret_cast<gdalmcp_call*>(this); }

    static gdalmcp_host functions(std::uint32_t minor) {
        return {sizeof(gdalmcp_host),
                minor,
                &get_kind,
                &get_bool,
                &get_int,
                &get_number,
                &get_string,
                &get_size,
                &get_json,
                &put_bool,
                &put_int,
                &put_number,
                &put_string,
                &put_json,
                &say,
                &warn,
                &attach,
                &new_scratch,
                &expect,
                &report,
                &log,
                &fail,
                &extension,
                &note_long};
    }

    gdalmcp_host table_ = functions(GDALMCP_ABI_MINOR);
    std::filesystem::path folder_;
    json arguments_, result_ = json::empty(GDALMCP_OBJECT);
    std::optional<double> cancel_after_;
    std::vector<std::string> client_can_{"elicitation", "sampling", "roots"};
    json answers_ = json::empty(GDALMCP_OBJECT);    // so far
    json questions_ = json::empty(GDALMCP_OBJECT);  // of this round
    json state_, next_state_;
    bool keeps_ = false, takes_long_ = false;
    std::string message_, hint_;
    std::vector<std::string> lines_, warnings_;
    std::vector<attachment> attachments_;
    std::vector<double> progress_;
    std::vector<std::pair<std::string, std::string>> expectations_;

private:
    static host& self(gdalmcp_call* c) { return *reinterpret_cast<host*>(c); }

    template <class F>
    static gdalmcp_status guarded(gdalmcp_call* c, F f) noexcept {
        try {
            const std::lock_guard lock{self(c).mutex_};
            return f(self(c));
        } catch (...) {
            return GDALMCP_INVALID_ARGUMENT;
        }
    }
    template <class F>
    static gdalmcp_status read(gdalmcp_call* c, gdalmcp_str at, std::initializer_list<gdalmcp_kind> wanted, F f) {
        return guarded(c, [&](host& r) {
            const auto* v = at_pointer(r.arguments_, view(at));
            if (!v || v->kind == GDALMCP_NULL) return GDALMCP_NOT_FOUND;
            if (wanted.size() && std::find(wanted.begin(), wanted.end(), v->kind) == wanted.end())
                return GDALMCP_INVALID_ARGUMENT;
            f(r, *v);
            return GDALMCP_OK;
        });
    }
    static gdalmcp_status put(gdalmcp_call* c, gdalmcp_str at, json v) {
        return guarded(c, [&](host& r) {
            if (view(at).empty() && v.kind != GDALMCP_OBJECT) return GDALMCP_INVALID_ARGUMENT;
            return put_at_pointer(r.result_, view(at), std::move(v)) ? GDALMCP_OK : GDALMCP_INVALID_ARGUMENT;
        });
    }
    static gdalmcp_str lend(host& r, std::string text) { return str(r.lent_.emplace_back(std::move(text))); }

    static std::int32_t get_kind(gdalmcp_call* c, gdalmcp_str at) {
        std::int32_t kind = GDALMCP_NULL;
        read(c, at, {}, [&](host&, const json& v) { kind = v.kind; });
        return kind;
    }
    static gdalmcp_status get_bool(gdalmcp_call* c, gdalmcp_str at, std::int32_t* out) {
        return read(c, at, {GDALMCP_BOOL}, [&](host&, const json& v) { *out = v.flag ? 1 : 0; });
    }
    static gdalmcp_status get_int(gdalmcp_call* c, gdalmcp_str at, std::int64_t* out) {
        return read(c, at, {GDALMCP_INTEGER}, [&](host&, const json& v) { *out = v.integer; });
    }
    static gdalmcp_status get_number(gdalmcp_call* c, gdalmcp_str at, double* out) {
        return read(c, at, {GDALMCP_INTEGER, GDALMCP_NUMBER}, [&](host&, const json& v) { *out = v.number; });
    }
    static gdalmcp_status get_string(gdalmcp_call* c, gdalmcp_str at, gdalmcp_str* out) {
        return read(c, at, {GDALMCP_STRING}, [&](host&, const json& v) { *out = str(v.text); });
    }
    static gdalmcp_status get_size(gdalmcp_call* c, gdalmcp_str at, std::size_t* out) {
        return read(c, at, {GDALMCP_ARRAY, GDALMCP_OBJECT}, [&](host&, const json& v) { *out = v.items.size(); });
    }
    static gdalmcp_status get_json(gdalmcp_call* c, gdalmcp_str at, gdalmcp_str* out) {
        return read(c, at, {}, [&](host& r, const json& v) { *out = lend(r, write(v)); });
    }
    static gdalmcp_status put_bool(gdalmcp_call* c, gdalmcp_str at, std::int32_t v) {
        return put(c, at, json::of(v != 0));
    }
    static gdalmcp_status put_int(gdalmcp_call* c, gdalmcp_str at, std::int64_t v) { return put(c, at, json::of(v)); }
    static gdalmcp_status put_number(gdalmcp_call* c, gdalmcp_str at, double v) { return put(c, at, json::of(v)); }
    static gdalmcp_status put_string(gdalmcp_call* c, gdalmcp_str at, gdalmcp_str v) {
        return put(c, at, json::of(view(v)));
    }
    static gdalmcp_status put_json(gdalmcp_call* c, gdalmcp_str at, gdalmcp_str text) {
        json v;
        const auto read = guarded(c, [&](host&) { return v = parse(view(text)), GDALMCP_OK; });
        return read == GDALMCP_OK ? put(c, at, std::move(v)) : read;
    }
    static gdalmcp_status say(gdalmcp_call* c, gdalmcp_str text) {
        return guarded(c, [&](host& r) { return r.lines_.emplace_back(view(text)), GDALMCP_OK; });
    }
    static gdalmcp_status warn(gdalmcp_call* c, gdalmcp_str text) {
        return guarded(c, [&](host& r) { return r.warnings_.emplace_back(view(text)), GDALMCP_OK; });
    }
    static gdalmcp_status attach(gdalmcp_call* c, const gdalmcp_attachment* a) {
        const auto minor = self(c).table_.abi_minor;
        if (!a || !knows(*a, minor)) return GDALMCP_INVALID_ARGUMENT;
        return guarded(c, [&](host& r) {
            const auto text = [](gdalmcp_str s, bool there) { return std::string{there ? view(s) : ""}; };
            const bool link = a->kind == GDALMCP_LINK, resource = a->kind == GDALMCP_RESOURCE;
            r.attachments_.push_back({static_cast<gdalmcp_attachment_kind>(a->kind), text(a->media_type, true),
                                      text(a->bytes, true), text(a->name, link), text(a->description, link),
                                      text(a->uri, resource)});
            return GDALMCP_OK;
        });
    }
    static bool knows(const gdalmcp_attachment& a, std::uint32_t minor) {
        switch (a.kind) {
            case GDALMCP_TEXT:
            case GDALMCP_IMAGE:
                return true;
            case GDALMCP_LINK:
                return minor >= 1 && a.struct_size >= offsetof(gdalmcp_attachment, uri) && !view(a.name).empty() &&
                       view(a.bytes).substr(0, 8) == "https://";
            case GDALMCP_AUDIO:
                return minor >= 2 && view(a.media_type).substr(0, 6) == "audio/";
            case GDALMCP_RESOURCE:
                return minor >= 2 && a.struct_size >= sizeof a && view(a.uri).find(':') != std::string_view::npos;
            default:
                return false;
        }
    }
    static gdalmcp_status new_scratch(gdalmcp_call* c, gdalmcp_str name, gdalmcp_str suffix, gdalmcp_str* path) {
        return guarded(c, [&](host& r) {
            const auto file = std::string{view(name)} + std::string{view(suffix)};
            if (file.empty() || file.find('/') != std::string::npos || file[0] == '.') return GDALMCP_INVALID_ARGUMENT;
            *path = lend(r, (r.folder_ / file).string());
            return GDALMCP_OK;
        });
    }
    static gdalmcp_status expect(gdalmcp_call* c, gdalmcp_str at, gdalmcp_str text) {
        return guarded(c, [&](host& r) {
            if (parse(view(text)).kind != GDALMCP_OBJECT) return GDALMCP_INVALID_ARGUMENT;
            if (!at_pointer(r.arguments_, view(at))) return GDALMCP_NOT_FOUND;
            r.expectations_.emplace_back(view(at), view(text));
            return GDALMCP_OK;
        });
    }
    static std::int32_t report(gdalmcp_call* c, double fraction, gdalmcp_str) {
        std::int32_t go_on = 1;
        guarded(c, [&](host& r) {
            r.progress_.push_back(fraction);
            go_on = r.cancel_after_ && fraction >= *r.cancel_after_ ? 0 : 1;
            return GDALMCP_OK;
        });
        return go_on;
    }
    static void log(gdalmcp_call*, std::int32_t, gdalmcp_str) {}  // a test reads results, not logs
    static void fail(gdalmcp_call* c, gdalmcp_status, gdalmcp_str message, gdalmcp_str hint) {
        guarded(c, [&](host& r) {
            r.message_ = view(message);
            r.hint_ = view(hint);
            return GDALMCP_OK;
        });
    }
    static void note_long(gdalmcp_call* c) {
        guarded(c, [](host& r) { return r.takes_long_ = true, GDALMCP_OK; });
    }

    static std::int32_t can_ask(gdalmcp_call* c, gdalmcp_str what) {
        const auto& can = self(c).client_can_;
        return std::find(can.begin(), can.end(), view(what)) != can.end() ? 1 : 0;
    }
    static gdalmcp_status ask(gdalmcp_call* c, gdalmcp_str name, gdalmcp_str method, gdalmcp_str params) {
        return guarded(c, [&](host& r) {
            json question = json::empty(GDALMCP_OBJECT);
            question.member("method") = json::of(view(method));
            question.member("params") = parse(view(params));
            r.questions_.member(view(name)) = std::move(question);
            return GDALMCP_OK;
        });
    }
    static gdalmcp_status answer(gdalmcp_call* c, gdalmcp_str name, gdalmcp_str at, std::int32_t* kind,
                                 gdalmcp_str* value) {
        return guarded(c, [&](host& r) { return hand_out(r, r.answers_.find(view(name)), at, kind, value); });
    }
    static gdalmcp_status get_state(gdalmcp_call* c, gdalmcp_str at, std::int32_t* kind, gdalmcp_str* value) {
        return guarded(c, [&](host& r) {
            return hand_out(r, r.state_.kind == GDALMCP_NULL ? nullptr : &r.state_, at, kind, value);
        });
    }
    static gdalmcp_status put_state(gdalmcp_call* c, gdalmcp_str text) {
        return guarded(c, [&](host& r) {
            r.next_state_ = parse(view(text));
            r.keeps_ = true;
            return GDALMCP_OK;
        });
    }
    static gdalmcp_status hand_out(host& r, const json* whole, gdalmcp_str at, std::int32_t* kind, gdalmcp_str* value) {
        const auto* v = whole ? at_pointer(*whole, view(at)) : nullptr;
        if (!v) return GDALMCP_NOT_FOUND;
        if (kind) *kind = v->kind;
        if (value) *value = lend(r, v->kind == GDALMCP_STRING ? v->text : write(*v));
        return GDALMCP_OK;
    }
    static const void* extension(gdalmcp_call* c, const char* id) {
        static const gdalmcp_ask asking{sizeof asking, &can_ask, &ask, &answer, &get_state, &put_state};
        return self(c).table_.abi_minor >= 2 && std::string_view{id} == GDALMCP_ASK_ID ? &asking : nullptr;
    }

    std::mutex mutex_;
    std::deque<std::string> lent_;
};

}  // namespace detail

}  // namespace gdalmcp::testing
