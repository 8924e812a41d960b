#include "reflection/key_source.hpp"

#include "base/pointer.hpp"
#include "base/text.hpp"
#include "reflection/condition.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

std::string extension_of(const json::value& path) {
    if (!path.is_string()) return {};
    const std::string_view text{path.get_string()};
    const auto name = text.substr(text.rfind('/') + 1);
    const auto dot = name.rfind('.');
    return dot == std::string_view::npos ? std::string{} : base::lower_ascii(name.substr(dot + 1));
}

// Tools take "COMPRESS = JPEG" as well.
json::value option_of(const json::value& options, const std::string& name) {
    if (const auto* o = options.if_object()) {
        for (const auto& m : *o)
            if (base::lower_ascii(base::trimmed(m.key())) == name) return m.value();
    } else if (const auto* a = options.if_array()) {
        for (const auto& e : *a) {
            if (!e.is_string()) continue;
            const std::string_view text{e.get_string()};
            const auto equals = text.find('=');
            if (equals != std::string_view::npos && base::lower_ascii(base::trimmed(text.substr(0, equals))) == name)
                return json::value(base::trimmed(text.substr(equals + 1)));
        }
    }
    return nullptr;
}

bool is_pointer(const json::value& v) { return v.is_string() && v.get_string().starts_with('/'); }

result<key_source> parse_source(const json::value& text, const std::string& at) {
    key_source source;
    if (is_pointer(text)) {
        source.at = text.get_string();
        return source;
    }
    const auto* o = text.if_object();
    const auto has = [&](const char* name) { return o && o->contains(name); };
    const auto* pointer = base::find_member(text, has("fact") ? "fact" : "pointer");
    if (has("key") && o->size() == 1 && o->at("key").is_string()) {
        source.from = key_source::origin::key;
        source.at = o->at("key").get_string();
        return source;
    }
    if (has("value") && o->size() == 1) {
        source.from = key_source::origin::literal;
        source.value = o->at("value");
        return source;
    }
    if (pointer && is_pointer(*pointer)) {
        source.at = pointer->get_string();
        if (has("fact") && o->size() == 1) {
            source.from = key_source::origin::fact;
            return source;
        }
        if (o->size() == 1) return source;
        if (o->size() == 2 && base::string_member(text, "part") == "extension") {
            source.from = key_source::origin::extension;
            return source;
        }
        if (o->size() == 2 && !base::string_member(text, "option").empty()) {
            source.from = key_source::origin::option;
            source.option = base::lower_ascii(base::string_member(text, "option"));
            return source;
        }
    }
    return fail(code::invalid_argument, at + " is not a source: " + base::write_json(text),
                "write /pointer, {pointer: /p}, {pointer: /p, part: extension}, {pointer: /p, option: NAME}, "
                "{fact: /p}, {key: name} or {value: v}; or a list of these, the first present one counts");
}

}  // namespace

result<std::vector<key_source>> parse_sources(const json::value& text, const std::string& at) {
    const json::array single{text};
    const auto& list = text.is_array() ? text.get_array() : single;
    std::vector<key_source> all;
    for (const auto& one : list) {
        auto source = parse_source(one, at);
        if (!source) return tl::unexpected{source.error()};
        all.push_back(std::move(*source));
    }
    return all;
}

result<json::value> taken(const key_source& source, const json::value& arguments, const facts_lookup& facts,
                          const json::object* key) {
    if (source.from == key_source::origin::literal) return source.value;
    if (source.from == key_source::origin::key) {
        const auto* v = key ? key->if_contains(source.at) : nullptr;
        return v ? *v : json::value{};
    }
    if (source.from == key_source::origin::fact) {
        const auto known = facts();
        if (!known) return tl::unexpected{known.error()};
        const auto* fact = base::at_pointer(*known, source.at);
        return fact ? *fact : json::value{};
    }
    const auto* argument = base::at_pointer(arguments, source.at);
    if (!argument) return json::value{};
    if (source.from == key_source::origin::extension) return json::value(extension_of(*argument));
    if (source.from == key_source::origin::option) return option_of(*argument, source.option);
    return *argument;
}

}  // namespace gdalmcp::reflection
