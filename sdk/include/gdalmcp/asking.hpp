// gdalmcp/asking.hpp — asking the client in the middle of a call. Included by tool.hpp.
//
//   const auto name = call.ask("user_name", form{"What is your name?"}.text("name"));
//   if (!name) return;  // the client is being asked; the tool runs again with the answer
//   call.say("Hello, " + name->text("name") + "!");
//
// The tool runs from its beginning in every round, in a process of its own, with all answers so far: ask in the order
// you need the answers, and do costly work after the last one. Output of a round that asks is discarded.
#pragma once
#include <gdalmcp/kind.hpp>

#include <algorithm>
#include <initializer_list>

namespace gdalmcp {

// An option a person may choose: the value the tool gets, and the title shown instead of it.
struct option {
    std::string value, title;
    option(const char* v, const char* shown = "") : value{v}, title{shown} {}  // NOLINT: implicit, for lists of them
};

// A form for a person: one message and flat fields, each required unless it is optional() or has a fallback(). These
// two, and with(), apply to the field added last.
class form {
public:
    explicit form(std::string_view message) : message_{message} {}

    form& text(std::string_view name, std::string_view about = {}) { return add(name, about, "string"); }
    form& integer(std::string_view name, std::string_view about = {}) { return add(name, about, "integer"); }
    form& number(std::string_view name, std::string_view about = {}) { return add(name, about, "number"); }
    form& flag(std::string_view name, std::string_view about = {}) { return add(name, about, "boolean"); }
    // One of the options, or any number of them. Either all options have titles or none.
    form& choice(std::string_view name, std::initializer_list<option> options, std::string_view about = {}) {
        add(name, about, "string");
        fields_.back().options = options;
        return keyword(titled(options) ? "oneOf" : "enum", list(options));
    }
    form& choices(std::string_view name, std::initializer_list<option> options, std::string_view about = {}) {
        add(name, about, "array");
        fields_.back().options = options;
        return keyword("items", titled(options) ? "{\"anyOf\":" + list(options) + "}"
                                                : "{\"type\":\"string\",\"enum\":" + list(options) + "}");
    }

    form& optional() {
        fields_.back().required = false;
        return *this;
    }
    form& fallback(std::string_view v) { return optional().keyword("default", detail::quote(v)); }
    form& fallback(const char* v) { return fallback(std::string_view{v}); }
    form& fallback(bool v) { return optional().keyword("default", v ? "true" : "false"); }
    form& fallback(int v) { return optional().keyword("default", std::to_string(v)); }
    form& fallback(double v) { return optional().keyword("default", detail::number(v)); }
    // A keyword of the protocol's forms: title, minLength, maxLength, format, minimum, maximum, minItems, maxItems.
    form& with(std::string_view name, std::string_view json) { return keyword(name, std::string{json}); }

    std::string params() const {  // of elicitation/create, as JSON text
        std::string properties, required;
        for (const auto& f : fields_) {
            properties += (properties.empty() ? "" : ",") + detail::quote(f.name) + ":{" + f.keywords + "}";
            if (f.required) required += (required.empty() ? "" : ",") + detail::quote(f.name);
        }
        return "{\"mode\":\"form\",\"message\":" + detail::quote(message_) +
               ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" + properties + "},\"required\":[" +
               required + "]}}";
    }

private:
    friend class asking;
    struct field {
        std::string name, type, keywords;
        std::vector<option> options;
        bool required = true;

        bool offers(std::string_view value) const {
            return options.empty() ||
                   std::any_of(options.begin(), options.end(), [&](const option& o) { return o.value == value; });
        }
    };

    form& add(std::string_view name, std::string_view about, const char* type) {
        fields_.push_back({std::string{name}, type, "\"type\":" + detail::quote(type), {}, true});
        return about.empty() ? *this : keyword("description", detail::quote(about));
    }
    form& keyword(std::string_view name, const std::string& json) {
        fields_.back().keywords += "," + detail::quote(name) + ":" + json;
        return *this;
    }
    static bool titled(std::initializer_list<option> options) {
        return options.size() && !options.begin()->title.empty();
    }
    static std::string list(std::initializer_list<option> options) {
        std::string s;
        for (const auto& o : options) {
            const auto value = detail::quote(o.value);
            s += (s.empty() ? "" : ",") +
                 (titled(options) ? "{\"const\":" + value + ",\"title\":" + detail::quote(o.title) + "}" : value);
        }
        return "[" + s + "]";
    }

    std::string message_;
    std::vector<field> fields_;
};

// A person's answer to a form. Fields can be read from an accepted form only; reading one from any other answer fails
// the call with a message for the agent.
class answer {
public:
    answer(const gdalmcp_ask& a, gdalmcp_call* c, std::string name) : a_{a}, c_{c}, name_{std::move(name)} {}

    bool accepted() const { return action() == "accept"; }
    bool declined() const { return action() == "decline"; }
    std::string action() const { return std::string{find("/action").second}; }  // else "cancel": dismissed
    bool given(std::string_view field) const { return accepted() && kind(at(field)) != GDALMCP_NULL; }

    std::string json() const { return std::string{find("/content").second}; }  // all fields, as JSON text
    std::string text(std::string_view field) const { return std::string{need(field)}; }
    std::int64_t integer(std::string_view field) const { return parse<std::int64_t>(field); }
    double number(std::string_view field) const { return parse<double>(field); }
    bool flag(std::string_view field) const { return need(field) == "true"; }
    std::vector<std::string> texts(std::string_view field) const {
        need(field);
        std::vector<std::string> all;
        for (auto one = find(at(field) + "/0"); one.first != GDALMCP_NULL;
             one = find(at(field) + "/" + std::to_string(all.size())))
            all.emplace_back(one.second);
        return all;
    }

private:
    friend class asking;
    // The kind of the value at a pointer, NULL for none; and its text.
    std::pair<std::int32_t, std::string_view> find(const std::string& where) const {
        std::int32_t k = GDALMCP_NULL;
        gdalmcp_str value{};
        if (a_.answer(c_, str(name_), str(where), &k, &value) != GDALMCP_OK) return {GDALMCP_NULL, {}};
        return {k, view(value)};
    }
    std::int32_t kind(const std::string& where) const { return find(where).first; }
    static std::string at(std::string_view field) { return detail::pointer("/content", field); }

    std::string_view need(std::string_view field) const {
        if (!accepted())
            throw error{GDALMCP_DENIED,
                        "the user " + std::string{declined() ? "declined" : "gave no answer to"} + " '" + name_ + "'",
                        "ask the user what they want instead"};
        const auto found = find(at(field));
        if (found.first == GDALMCP_NULL)
            throw error{GDALMCP_NOT_FOUND, "the answer to '" + name_ + "' has no '" + std::string{field} + "'"};
        return found.second;
    }
    template <class T>
    T parse(std::string_view field) const {
        T v{};
        const auto s = need(field);
        std::from_chars(s.data(), s.data() + s.size(), v);  // the host hands out numbers as JSON
        return v;
    }

    const gdalmcp_ask& a_;
    gdalmcp_call* c_;
    std::string name_;
};

struct root {  // a folder or file of the client
    std::string uri, name;
};

// The questions of a call. A name is the tool's own, 1 to 64 of [A-Za-z0-9_.-]; each has one answer. A host of ABI 1.1
// or earlier cannot ask: the call fails with that reason.
class asking {
public:
    asking(const gdalmcp_host& h, gdalmcp_call* c)
        : a_{static_cast<const gdalmcp_ask*>(h.extension(c, GDALMCP_ASK_ID))}, asked_by_{c} {}

    // "elicitation" (forms for a person), "sampling" (the client's model), "roots" (its folders).
    bool can_ask(std::string_view what) const { return a_ && a_->can_ask(asked_by_, str(what)) != 0; }

    // The answer to a form, also a declined one. nullopt: the client is being asked, because there is no answer yet or
    // it does not fit the form; then return.
    std::optional<answer> ask(std::string_view name, const form& f) {
        answer given{functions(), asked_by_, std::string{name}};
        if (fits(given, f)) return given;
        ask_again(name, f);
        return std::nullopt;
    }
    // Asks again despite an answer: for one that fits the form but is not usable.
    void ask_again(std::string_view name, const form& f) { pose(name, "elicitation/create", f.params()); }

    // The answer of the client's model to a prompt.
    std::optional<std::string> ask_model(std::string_view name, std::string_view prompt, int max_tokens = 1000) {
        const answer given{functions(), asked_by_, std::string{name}};
        for (const char* where : {"/content/text", "/content/0/text"})
            if (const auto said = given.find(where); said.first == GDALMCP_STRING) return std::string{said.second};
        pose(name, "sampling/createMessage",
             "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":" + detail::quote(prompt) +
                 "}}],\"maxTokens\":" + std::to_string(max_tokens) + "}");
        return std::nullopt;
    }
    // The folders the client works in.
    std::optional<std::vector<root>> ask_roots(std::string_view name) {
        const answer given{functions(), asked_by_, std::string{name}};
        if (given.kind("/roots") != GDALMCP_ARRAY) {
            pose(name, "roots/list", "{}");
            return std::nullopt;
        }
        std::vector<root> all;
        for (;;) {
            const auto at = "/roots/" + std::to_string(all.size());
            if (given.kind(at) == GDALMCP_NULL) return all;
            all.push_back({std::string{given.find(at + "/uri").second}, std::string{given.find(at + "/name").second}});
        }
    }

    // The state of an earlier round, at a JSON Pointer: a string as it is, other values as JSON text.
    std::optional<std::string> kept(std::string_view at = {}) const {
        gdalmcp_str value{};
        if (functions().get_state(asked_by_, str(at), nullptr, &value) != GDALMCP_OK) return std::nullopt;
        return std::string{view(value)};
    }
    // Keeps any JSON value for the next round, and requests that round. Answers are kept anyway.
    void keep(std::string_view json) {
        if (functions().put_state(asked_by_, str(json)) != GDALMCP_OK)
            throw error{GDALMCP_INTERNAL, "the state is not JSON: " + std::string{json}};
    }

private:
    const gdalmcp_ask& functions() const {
        if (!a_) throw error{GDALMCP_UNSUPPORTED, "this host cannot ask its client", "use a newer gdal-mcp"};
        return *a_;
    }
    void pose(std::string_view name, std::string_view method, const std::string& params) {
        if (functions().ask(asked_by_, str(name), str(method), str(params)) != GDALMCP_OK)
            throw error{GDALMCP_INTERNAL, "the host refused the question '" + std::string{name} + "'"};
    }

    static bool fits(const answer& given, const form& f) {
        const auto action = given.find("/action").second;
        if (action != "accept") return action == "decline" || action == "cancel";
        return std::all_of(f.fields_.begin(), f.fields_.end(),
                           [&](const form::field& one) { return fits(given, one); });
    }
    static bool fits(const answer& given, const form::field& f) {
        const auto [kind, value] = given.find(answer::at(f.name));
        if (kind == GDALMCP_NULL) return !f.required;
        if (f.type == "string") return kind == GDALMCP_STRING && f.offers(value);
        if (f.type == "integer") return kind == GDALMCP_INTEGER;
        if (f.type == "number") return kind == GDALMCP_INTEGER || kind == GDALMCP_NUMBER;
        if (f.type == "boolean") return kind == GDALMCP_BOOL;
        if (kind != GDALMCP_ARRAY) return false;
        const auto all = given.texts(f.name);
        return std::all_of(all.begin(), all.end(), [&](const std::string& v) { return f.offers(v); });
    }

    const gdalmcp_ask* a_;  // nullptr: this host cannot ask
    gdalmcp_call* asked_by_;
};

}  // namespace gdalmcp
