#include "reflection/record.hpp"

#include <algorithm>

#include "base/digest.hpp"
#include "reflection/key.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

constexpr int schema_version = 1;

std::string digest_of(json::object text) {
    text.erase("digest");
    return "sha256:" + base::sha256_hex(base::canonical_json(text));
}

// YYYY-MM-DDTHH:MM:SS.mmmZ
bool is_timestamp(std::string_view s) {
    constexpr std::string_view shape = "dddd-dd-ddTdd:dd:dd.dddZ";
    return s.size() == shape.size() && std::equal(s.begin(), s.end(), shape.begin(), [](char c, char wanted) {
               return wanted == 'd' ? c >= '0' && c <= '9' : c == wanted;
           });
}

bool is_prompt_hash(std::string_view s) {
    return s.size() == 16 && s.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

record with_text(json::object text) {
    record r;
    r.domain = base::string_member(text, "domain");
    r.cache_key = base::string_member(text, "cache_key");
    r.question_hash = base::string_member(text, "question_hash");
    r.prompt_hash = base::string_member(text, "prompt_hash");
    r.timestamp = base::string_member(text, "timestamp");
    r.chosen_by = base::string_member(text, "chosen_by");
    r.last_confirmed = r.timestamp;
    if (const auto* revisits = text.if_contains("revisits"))
        for (const auto& v : revisits->get_array())
            r.last_confirmed = std::max(r.last_confirmed, std::string{base::string_member(v, "timestamp")});
    r.confidence = *confidence_of(base::string_member(text.at("justification"), "confidence"));
    r.text = std::move(text);
    return r;
}

result<void> check_fields(const json::object& o) {
    const auto wrong = [](const char* field) {
        return fail(code::invalid_justification, std::string{"its field '"} + field + "' is missing or malformed");
    };
    const auto* version = o.if_contains("schema_version");
    if (version && version->is_int64() && version->get_int64() != schema_version)
        return fail(code::invalid_justification,
                    "it has schema version " + std::to_string(version->get_int64()) + ", and this program reads " +
                        std::to_string(schema_version),
                    "give the reason again, or use the version of gdal-mcp that wrote it");
    if (!version || !version->is_int64() || version->get_int64() != schema_version) return wrong("schema_version");
    for (const char* field : {"tool_name", "domain", "prompt_name", "prompt_hash", "question_hash", "chosen_by",
                              "timestamp", "cache_key", "digest"})
        if (const auto* v = o.if_contains(field); !v || !v->is_string()) return wrong(field);
    for (const char* field : {"prompt_args", "scope", "justification"})
        if (const auto* v = o.if_contains(field); !v || !v->is_object()) return wrong(field);
    const auto* parents = o.if_contains("parents");
    if (!parents || !parents->is_array()) return wrong("parents");
    for (const auto& p : parents->get_array())
        if (!p.is_string() || !is_cache_key(p.get_string())) return wrong("parents");
    if (const auto* situations = o.at("scope").get_object().if_contains("situations")) {
        if (!situations->is_array()) return wrong("scope");
        for (const auto& s : situations->get_array())
            if (!s.is_object()) return wrong("scope");
    }
    if (const auto* revisits = o.if_contains("revisits")) {
        if (!revisits->is_array()) return wrong("revisits");
        for (const auto& v : revisits->get_array())
            if (!is_timestamp(base::string_member(v, "timestamp"))) return wrong("revisits");
    }
    if (!is_prompt_hash(base::string_member(o, "prompt_hash"))) return wrong("prompt_hash");
    if (!is_timestamp(base::string_member(o, "timestamp"))) return wrong("timestamp");
    const auto chosen_by = base::string_member(o, "chosen_by");
    if (chosen_by != "user" && chosen_by != "agent") return wrong("chosen_by");
    return {};
}

}  // namespace

record make_record(const spec& s, const json::object& key_arguments, const answer& a, const record_origin& from) {
    json::object text{
        {"schema_version", schema_version},
        {"tool_name", from.tool_name},
        {"domain", s.domain},
        {"prompt_name", s.question_prompt.name},
        {"prompt_hash", s.question_prompt.hash},
        {"question_hash", question_hash(s.domain, key_arguments)},
        {"prompt_args", key_arguments},
        {"scope", from.situation.empty() ? json::object{} : json::object{{"situations", json::array{from.situation}}}},
        {"justification", a.text},
        {"chosen_by", a.chosen_by},
        {"parents", json::array(from.parents.begin(), from.parents.end())},
        {"timestamp", from.timestamp},
        {"cache_key", cache_key(s.domain, s.question_prompt.hash, key_arguments)},
    };
    text["digest"] = digest_of(text);
    return with_text(std::move(text));
}

namespace {

std::optional<json::object> implied_by(const spec& s, const json::object& key, const implied_key& i) {
    for (const auto& m : i.of)
        if (const auto* own = key.if_contains(m.key()); !own || *own != m.value()) return std::nullopt;
    auto out = i.key;
    for (const auto& name : i.keep) {
        const auto* own = key.if_contains(name);
        if (!own || own->is_null()) return std::nullopt;
        out[name] = *own;
    }
    for (const auto& k : s.key)
        if (!out.contains(k.name)) out[k.name] = nullptr;  // as in the key of a call without it
    return out;
}

record record_of(const spec& s, const json::object& key, answer a, const record_origin& from) {
    a.text["choice"].get_object()["method"] = choice_of(s, key);
    return make_record(s, key, a, from);
}

}  // namespace

std::vector<record> records_of(const spec& s, const json::object& key_arguments, const answer& a,
                               const record_origin& from) {
    std::vector<record> out;
    for (const auto& key : keys_of_members(s, key_arguments)) out.push_back(record_of(s, key, a, from));
    for (std::size_t i = 0, own = out.size(); i < own; ++i)
        for (const auto& rule : s.implies)
            if (const auto key = implied_by(s, out[i].text.at("prompt_args").get_object(), rule)) {
                auto below = from;
                below.parents.push_back(out[i].cache_key);
                out.push_back(record_of(s, *key, a, below));
                out.back().implied = true;
            }
    return out;
}

std::vector<json::object> record::situations() const {
    std::vector<json::object> out;
    if (const auto* all = text.at("scope").get_object().if_contains("situations"))
        for (const auto& s : all->get_array()) out.push_back(s.get_object());
    return out;
}

record confirmed(const record& r, const confirmation& c, const std::vector<std::string>& changed,
                 json::object situation, const std::string& timestamp) {
    auto text = adopted(r, std::move(situation)).text;
    json::array revisits;
    if (const auto* earlier = text.if_contains("revisits")) revisits = earlier->get_array();
    json::object revisit{{"timestamp", timestamp},
                         {"changed", json::array(changed.begin(), changed.end())},
                         {"sentence", c.sentence},
                         {"chosen_by", c.chosen_by}};
    if (!c.conflicts.empty()) revisit["conflicts"] = c.conflicts;
    revisits.push_back(std::move(revisit));
    text["revisits"] = std::move(revisits);
    auto& parents = text["parents"].as_array();
    if (std::find(parents.begin(), parents.end(), json::value(r.cache_key)) == parents.end())
        parents.emplace_back(r.cache_key);
    text["digest"] = digest_of(text);
    return with_text(std::move(text));
}

record adopted(const record& r, json::object situation) {
    auto text = r.text;
    if (situation.empty()) return with_text(std::move(text));  // otherwise it would hold everywhere
    auto& scope = text["scope"].as_object();
    if (!scope.contains("situations")) scope["situations"] = json::array{};
    auto& all = scope["situations"].as_array();
    if (all.size() >= max_situations) all.erase(all.begin());
    all.push_back(std::move(situation));
    text["digest"] = digest_of(text);
    return with_text(std::move(text));
}

result<record> read_record(std::string_view bytes, std::string_view domain, std::string_view wanted_key) {
    auto parsed = base::parse_json(bytes);
    if (!parsed) return fail(code::invalid_justification, "it is " + parsed.error().message);
    if (!parsed->is_object()) return fail(code::invalid_justification, "it is not an object");
    auto& o = parsed->get_object();
    if (auto ok = check_fields(o); !ok) return tl::unexpected{ok.error()};
    if (base::string_member(o, "digest") != digest_of(o))
        return fail(code::invalid_justification, "its digest does not match its content: it was edited");
    const auto& key_arguments = o.at("prompt_args").get_object();
    if (base::string_member(o, "domain") != domain || base::string_member(o, "cache_key") != wanted_key ||
        wanted_key != cache_key(domain, base::string_member(o, "prompt_hash"), key_arguments) ||
        base::string_member(o, "question_hash") != question_hash(domain, key_arguments))
        return fail(code::invalid_justification, "it is foreign: its key cannot be recomputed from its content");
    if (auto ok = check_stored_answer(o.at("justification"), base::string_member(o, "chosen_by")); !ok)
        return tl::unexpected{ok.error()};
    return with_text(std::move(o));
}

}  // namespace gdalmcp::reflection
