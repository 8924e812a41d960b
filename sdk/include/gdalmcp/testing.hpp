// gdalmcp/testing.hpp — runs a tool in this process, without a host: for the unit tests of a plugin. Header-only,
// standard library only, no test framework.
//
//   gdalmcp::testing::run r{gdalmcp_plugin_v1(GDALMCP_ABI_MINOR), "acme_height_range"};
//   r.arguments(R"({"uri": "hill.asc"})");
//   assert(r.status() == GDALMCP_OK);
//   assert(r.number("/lowest") == 3);
//
// Link the plugin's sources into the test, or include them. Like a host it validates the arguments, fills in defaults,
// gives outputs a path in a temporary folder, and refuses a result that is not what the tool declares. Unlike a host it
// confines nothing, re-opens no output, asks for no reasons, and takes input paths as they are (relative to the current
// folder). A tool that uses GDAL needs GDALAllRegister() first, which a host has done.
//
// A tool that asks is run in rounds, as by a host, until it is done or asks what the test does not answer:
//
//   r.answers("user_name", R"({"name": "Ada"})");
//   assert(r.asked().empty() && r.lines() == std::vector<std::string>{"Hello, Ada!"});
#pragma once
#include <gdalmcp/testing_schema.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <mutex>
#include <random>

namespace gdalmcp::testing {

struct attachment {
    gdalmcp_attachment_kind kind;
    std::string media_type, bytes, name, description, uri;
};

// One call of one tool. Set it up, then ask: the first question runs the tool, once.
class run {
public:
    explicit run(const gdalmcp_tool* tool) : tool_{tool}, table_{functions(GDALMCP_ABI_MINOR)} {
        if (!tool_) throw std::invalid_argument{"gdalmcp::testing::run: there is no such tool"};
        std::random_device random;
        do folder_ = std::filesystem::temp_directory_path() / ("gdalmcp-testing-" + std::to_string(random()));
        while (!std::filesystem::create_directory(folder_));
    }
    run(const gdalmcp_plugin* plugin, std::string_view tool, std::string_view arguments_object = "{}")
        : run{find(plugin, tool)} {
        arguments(arguments_object);
    }
    ~run() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    run(const run&) = delete;
    run& operator=(const run&) = delete;

    // ---- set-up

    run& arguments(std::string_view object) {
        given_ = parse(object);
        return *this;
    }
    // progress() says stop from this fraction on.
    run& cancel_after(double fraction) {
        cancel_after_ = fraction;
        return *this;
    }
    // As a host of an earlier ABI minor would.
    run& host_minor(std::uint32_t minor) {
        table_ = functions(minor);
        return *this;
    }
    // Who is asked accepts the form `question` and fills it in with these fields, an object; or declines it.
    run& answers(std::string_view question, std::string_view fields) {
        return responds(question, "{\"action\":\"accept\",\"content\":" + std::string{fields} + "}");
    }
    run& declines(std::string_view question) { return responds(question, R"({"action":"decline"})"); }
    // The client's model says this.
    run& model_says(std::string_view question, std::string_view text) {
        return responds(question, R"({"role":"assistant","model":"test","content":{"type":"text","text":)" +
                                      gdalmcp::detail::quote(text) + "}}");
    }
    // Any answer, as the client would send it: {"roots": […]}, or one that is not what was asked for.
    run& responds(std::string_view question, std::string_view answer) {
        responses_.member(question) = parse(answer);
        return *this;
    }
    // What the client can be asked; by default elicitation, sampling and roots.
    run& client_can(std::vector<std::string> what) {
        client_can_ = std::move(what);
        return *this;
    }

    // ---- questions

    // What run() returned; GDALMCP_INVALID_ARGUMENT without running when the schema refuses the arguments,
    // GDALMCP_INTERNAL when the result is not what the tool declares.
    gdalmcp_status status() { return ran().status_; }
    std::string error_message() { return ran().message_; }
    std::string error_hint() { return ran().hint_; }
    std::vector<std::string> lines() { return ran().lines_; }
    std::vector<std::string> warnings() { return ran().warnings_; }
    std::vector<attachment> attachments() { return ran().attachments_; }
    std::vector<double> progress() { return ran().progress_; }  // every fraction reported
    bool takes_long() { return ran().takes_long_; }
    // The questions that were left open, by name, each with what was asked: {"method", "params"}.
    std::vector<std::string> asked() { return ran().questions_.names; }
    std::string question(std::string_view name) {
        const auto* q = ran().questions_.find(name);
        if (!q) throw std::out_of_range{"the tool does not ask '" + std::string{name} + "'"};
        return write(*q);
    }
    std::size_t rounds() { return ran().rounds_; }

    // The result at a JSON Pointer. Throws std::out_of_range where there is nothing of that kind.
    bool has(std::string_view at) { return at_pointer(ran().result_, at) != nullptr; }
    bool flag(std::string_view at) { return part(at, {GDALMCP_BOOL}).flag; }
    std::int64_t integer(std::string_view at) { return part(at, {GDALMCP_INTEGER}).integer; }
    double number(std::string_view at) { return part(at, {GDALMCP_NUMBER, GDALMCP_INTEGER}).number; }
    std::string text(std::string_view at) { return part(at, {GDALMCP_STRING}).text; }
    std::size_t size(std::string_view at) { return part(at, {GDALMCP_ARRAY, GDALMCP_OBJECT}).items.size(); }
    std::string result_json() { return write(ran().result_); }

    // Where the tool was told to write its output; gone with this object.
    std::string output(std::string_view at = "/output") {
        const auto* path = at_pointer(ran().arguments_, at);
        if (!path) throw std::out_of_range{"there is no argument '" + std::string{at} + "'"};
        return path->text;
    }
    // What the tool promised of an output through expect(), as JSON; empty: nothing.
    std::string expectation(std::string_view at = "/output") {
        for (const auto& [where, json] : ran().expectations_)
            if (where == at) return json;
        return {};
    }

private:
    static const gdalmcp_tool* find(const gdalmcp_plugin* plugin, std::string_view tool) {
        for (std::uint32_t i = 0; plugin && i < plugin->tool_count; ++i)
            if (tool == plugin->tools[i]->name) return plugin->tools[i];
        return nullptr;
    }

    run& ran() {
        if (std::exchange(done_, true)) return *this;
        const json schema = parse(tool_->input_schema);
        arguments_ = given_;
        if (auto why = check(schema, arguments_); !why.empty()) {
            status_ = GDALMCP_INVALID_ARGUMENT;
            message_ = why;
            return *this;
        }
        fill_defaults(schema, arguments_);
        place_outputs(schema);
        bool another = true;
        while (another) {
            begin_round();
            another = run_round();
        }
        if (status_ == GDALMCP_OK && !puts_off() && tool_->output_schema)
            if (auto why = check(parse(tool_->output_schema), result_); !why.empty()) {
                status_ = GDALMCP_INTERNAL;
                message_ = "the result is not what the tool declares: " + why;
            }
        return *this;
    }

    // What an earlier round has put and said is thrown away.
    void begin_round() {
        ++rounds_;
        result_ = json::empty(GDALMCP_OBJECT);
        questions_ = json::empty(GDALMCP_OBJECT);
        if (std::exchange(keeps_, false)) state_ = next_state_;
        for (auto* texts : {&lines_, &warnings_}) texts->clear();
        attachments_.clear();
        progress_.clear();
        expectations_.clear();
    }
    // Whether there is to be another: the tool put it off, and there is an answer for it. Each answer is given once.
    bool run_round() {
        status_ = tool_->run(&table_, reinterpret_cast<gdalmcp_call*>(this), tool_->self);
        if (status_ == GDALMCP_OK && !message_.empty()) {  // success counts
            warnings_.push_back(tool_->name +
                                std::string{" gave the reason of a failure, and then reported success: "} +
                                std::exchange(message_, {}));
            hint_.clear();
        }
        if (status_ != GDALMCP_OK || !puts_off() || rounds_ == most_rounds) return false;
        bool news = keeps_ && questions_.names.empty();
        for (const auto& name : questions_.names)
            if (const auto* answer = responses_.find(name)) {
                answers_.member(name) = *answer;
                responses_.remove(name);
                news = true;
            }
        return news;
    }
    bool puts_off() const { return !questions_.names.empty() || keeps_; }

    // A host gives every output a path of its own, with the name the caller asked for.
    void place_outputs(const json& schema) {
        const auto* properties = schema.find("properties");
        for (std::size_t i = 0; properties && i < properties->names.size(); ++i) {
            const auto role = properties->items[i].text_of("x-gdalmcp");
            if (role.substr(0, 7) != "output-" || role == "output-crs") continue;
            auto& argument = arguments_.member(properties->names[i]);
            const char* managed = role == "output-table"    ? "result.csv"
                                  : role == "output-vector" ? "result.gpkg"
                                                            : "result.tif";
            const auto name = argument.kind == GDALMCP_STRING ? std::filesystem::path{argument.text}.filename().string()
                                                              : std::string{managed};
            const auto folder = folder_ / ("output" + std::to_string(i));
            std::filesystem::create_directory(folder);
            argument = json::of(std::string_view{(folder / name).string()});
        }
    }

    const json& part(std::string_view at, std::initializer_list<gdalmcp_kind> wanted) {
        const auto* v = at_pointer(ran().result_, at);
        if (!v || std::find(wanted.begin(), wanted.end(), v->kind) == wanted.end())
            throw std::out_of_range{"the result has no such value at '" + std::string{at} + "': " + write(result_) +
                                    (message_.empty() ? "" : "; " + message_)};
        return *v;
    }

    // ---- the table. It may be called from any thread of the tool.

    static run& self(gdalmcp_call* c) { return *reinterpret_cast<run*>(c); }

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
        return guarded(c, [&](run& r) {
            const auto* v = at_pointer(r.arguments_, view(at));
            if (!v || v->kind == GDALMCP_NULL) return GDALMCP_NOT_FOUND;
            if (wanted.size() && std::find(wanted.begin(), wanted.end(), v->kind) == wanted.end())
                return GDALMCP_INVALID_ARGUMENT;
            f(r, *v);
            return GDALMCP_OK;
        });
    }
    static gdalmcp_status put(gdalmcp_call* c, gdalmcp_str at, json v) {
        return guarded(c, [&](run& r) {
            if (view(at).empty() && v.kind != GDALMCP_OBJECT) return GDALMCP_INVALID_ARGUMENT;
            return put_at_pointer(r.result_, view(at), std::move(v)) ? GDALMCP_OK : GDALMCP_INVALID_ARGUMENT;
        });
    }
    static gdalmcp_str lend(run& r, std::string text) { return str(r.lent_.emplace_back(std::move(text))); }

    static std::int32_t get_kind(gdalmcp_call* c, gdalmcp_str at) {
        std::int32_t kind = GDALMCP_NULL;
        read(c, at, {}, [&](run&, const json& v) { kind = v.kind; });
        return kind;
    }
    static gdalmcp_status get_bool(gdalmcp_call* c, gdalmcp_str at, std::int32_t* out) {
        return read(c, at, {GDALMCP_BOOL}, [&](run&, const json& v) { *out = v.flag ? 1 : 0; });
    }
    static gdalmcp_status get_int(gdalmcp_call* c, gdalmcp_str at, std::int64_t* out) {
        return read(c, at, {GDALMCP_INTEGER}, [&](run&, const json& v) { *out = v.integer; });
    }
    static gdalmcp_status get_number(gdalmcp_call* c, gdalmcp_str at, double* out) {
        return read(c, at, {GDALMCP_INTEGER, GDALMCP_NUMBER}, [&](run&, const json& v) { *out = v.number; });
    }
    static gdalmcp_status get_string(gdalmcp_call* c, gdalmcp_str at, gdalmcp_str* out) {
        return read(c, at, {GDALMCP_STRING}, [&](run&, const json& v) { *out = str(v.text); });
    }
    static gdalmcp_status get_size(gdalmcp_call* c, gdalmcp_str at, std::size_t* out) {
        return read(c, at, {GDALMCP_ARRAY, GDALMCP_OBJECT}, [&](run&, const json& v) { *out = v.items.size(); });
    }
    static gdalmcp_status get_json(gdalmcp_call* c, gdalmcp_str at, gdalmcp_str* out) {
        return read(c, at, {}, [&](run& r, const json& v) { *out = lend(r, write(v)); });
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
        const auto read = guarded(c, [&](run&) { return v = parse(view(text)), GDALMCP_OK; });
        return read == GDALMCP_OK ? put(c, at, std::move(v)) : read;
    }
    static gdalmcp_status say(gdalmcp_call* c, gdalmcp_str text) {
        return guarded(c, [&](run& r) { return r.lines_.emplace_back(view(text)), GDALMCP_OK; });
    }
    static gdalmcp_status warn(gdalmcp_call* c, gdalmcp_str text) {
        return guarded(c, [&](run& r) { return r.warnings_.emplace_back(view(text)), GDALMCP_OK; });
    }
    static gdalmcp_status attach(gdalmcp_call* c, const gdalmcp_attachment* a) {
        const auto minor = self(c).table_.abi_minor;
        if (!a || !knows(*a, minor)) return GDALMCP_INVALID_ARGUMENT;
        return guarded(c, [&](run& r) {
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
        return guarded(c, [&](run& r) {
            const auto file = std::string{view(name)} + std::string{view(suffix)};
            if (file.empty() || file.find('/') != std::string::npos || file[0] == '.') return GDALMCP_INVALID_ARGUMENT;
            *path = lend(r, (r.folder_ / file).string());
            return GDALMCP_OK;
        });
    }
    static gdalmcp_status expect(gdalmcp_call* c, gdalmcp_str at, gdalmcp_str text) {
        return guarded(c, [&](run& r) {
            if (parse(view(text)).kind != GDALMCP_OBJECT) return GDALMCP_INVALID_ARGUMENT;
            if (!at_pointer(r.arguments_, view(at))) return GDALMCP_NOT_FOUND;
            r.expectations_.emplace_back(view(at), view(text));
            return GDALMCP_OK;
        });
    }
    static std::int32_t report(gdalmcp_call* c, double fraction, gdalmcp_str) {
        std::int32_t go_on = 1;
        guarded(c, [&](run& r) {
            r.progress_.push_back(fraction);
            go_on = r.cancel_after_ && fraction >= *r.cancel_after_ ? 0 : 1;
            return GDALMCP_OK;
        });
        return go_on;
    }
    static void log(gdalmcp_call*, std::int32_t, gdalmcp_str) {}  // a test reads results, not logs
    static void fail(gdalmcp_call* c, gdalmcp_status, gdalmcp_str message, gdalmcp_str hint) {
        guarded(c, [&](run& r) {
            r.message_ = view(message);
            r.hint_ = view(hint);
            return GDALMCP_OK;
        });
    }
    static void note_long(gdalmcp_call* c) {
        guarded(c, [](run& r) { return r.takes_long_ = true, GDALMCP_OK; });
    }

    static std::int32_t can_ask(gdalmcp_call* c, gdalmcp_str what) {
        const auto& can = self(c).client_can_;
        return std::find(can.begin(), can.end(), view(what)) != can.end() ? 1 : 0;
    }
    static gdalmcp_status ask(gdalmcp_call* c, gdalmcp_str name, gdalmcp_str method, gdalmcp_str params) {
        return guarded(c, [&](run& r) {
            json question = json::empty(GDALMCP_OBJECT);
            question.member("method") = json::of(view(method));
            question.member("params") = parse(view(params));
            r.questions_.member(view(name)) = std::move(question);
            return GDALMCP_OK;
        });
    }
    static gdalmcp_status answer(gdalmcp_call* c, gdalmcp_str name, gdalmcp_str at, std::int32_t* kind,
                                 gdalmcp_str* value) {
        return guarded(c, [&](run& r) { return hand_out(r, r.answers_.find(view(name)), at, kind, value); });
    }
    static gdalmcp_status get_state(gdalmcp_call* c, gdalmcp_str at, std::int32_t* kind, gdalmcp_str* value) {
        return guarded(c, [&](run& r) {
            return hand_out(r, r.state_.kind == GDALMCP_NULL ? nullptr : &r.state_, at, kind, value);
        });
    }
    static gdalmcp_status put_state(gdalmcp_call* c, gdalmcp_str text) {
        return guarded(c, [&](run& r) {
            r.next_state_ = parse(view(text));
            r.keeps_ = true;
            return GDALMCP_OK;
        });
    }
    static gdalmcp_status hand_out(run& r, const json* whole, gdalmcp_str at, std::int32_t* kind, gdalmcp_str* value) {
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

    const gdalmcp_tool* tool_;
    gdalmcp_host table_;
    std::filesystem::path folder_;
    json given_ = json::empty(GDALMCP_OBJECT), arguments_, result_ = json::empty(GDALMCP_OBJECT);
    std::optional<double> cancel_after_;
    bool done_ = false;
    json responses_ = json::empty(GDALMCP_OBJECT);  // what the test answers, by question
    std::vector<std::string> client_can_{"elicitation", "sampling", "roots"};

    static constexpr std::size_t most_rounds = 8;  // as in a host
    std::size_t rounds_ = 0;
    json answers_ = json::empty(GDALMCP_OBJECT);    // so far
    json questions_ = json::empty(GDALMCP_OBJECT);  // of this round
    json state_, next_state_;
    bool keeps_ = false, takes_long_ = false;

    std::mutex mutex_;
    std::deque<std::string> lent_;
    gdalmcp_status status_ = GDALMCP_OK;
    std::string message_, hint_;
    std::vector<std::string> lines_, warnings_;
    std::vector<attachment> attachments_;
    std::vector<double> progress_;
    std::vector<std::pair<std::string, std::string>> expectations_;
};

}  // namespace gdalmcp::testing
