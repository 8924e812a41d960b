#include "reflection/key.hpp"

#include <map>

#include "base/digest.hpp"
#include "base/pointer.hpp"
#include "reflection/geometry.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

struct given_value {
    json::value value;        // null = absent
    std::string at;           // where it was given
    std::string source = {};  // the same in words
};
using given_values = std::map<std::string, given_value, std::less<>>;

constexpr std::size_t max_shown_geometry = 600;  // bytes of JSON in a question; the key uses all of it

std::string digest_of_geometry(const json::value& v) {
    return "geometry-sha256:" + base::sha256_hex(base::canonical_json(v));
}

// In the order of the spec; CRSs are computed first, because the form of a geometry depends on its CRS.
result<json::object> normalised(const spec& s, const given_values& given, const crs_lookup& crs) {
    json::object out;
    for (const bool geometries : {false, true})
        for (const auto& k : s.key) {
            if ((k.normal.how == form::geometry) != geometries) continue;
            const auto found = given.find(k.name);
            const json::value absent;
            const auto& value = found == given.end() ? absent : found->second.value;
            std::string_view geometry_crs;
            for (const auto& other : s.key)
                if (other.crs_of == k.name) geometry_crs = base::string_member(out, other.name);
            auto normal = normal_form(k.normal, value, crs, geometry_crs);
            if (!normal) {
                auto p = normal.error();
                // As the call names it: what a question calls the target CRS is the src_crs of vector_query.
                const bool named = found != given.end() && found->second.at.starts_with('/') &&
                                   found->second.at.find('/', 1) == std::string::npos;
                if (found != given.end() && !found->second.at.empty()) p.at = found->second.at;
                p.message = (named ? found->second.at.substr(1) : k.name) + ": " + p.message;
                return tl::unexpected{std::move(p)};
            }
            out[k.name] = std::move(*normal);
        }
    json::object ordered;
    for (const auto& k : s.key) ordered.emplace(k.name, std::move(out[k.name]));
    return ordered;
}

std::string in_words(const key_source& source) {
    switch (source.from) {
        case key_source::origin::extension:
            return "extension of " + source.at;
        case key_source::origin::option:
            return source.option + " in " + source.at;
        case key_source::origin::fact:
            return "fact " + source.at;
        case key_source::origin::literal:
            return "the spec";
        default:
            return source.at;
    }
}

// Text in a call is JSON sent as text, or names a dataset; the key then uses its content and, if the call gives none,
// its CRS, both facts of the named input.
result<void> read_geometry(given_value& here, std::string& own_crs, const facts_lookup& facts) {
    if (!here.value.is_string()) return {};
    if (here.value.get_string().starts_with('{') || here.value.get_string().starts_with('[')) {
        auto parsed = base::parse_json(here.value.get_string());
        if (!parsed) return tl::unexpected{parsed.error()};
        here.value = std::move(*parsed);
        return {};
    }
    const auto known = facts();
    if (!known) return tl::unexpected{known.error()};
    const auto* inputs = base::find_member(*known, "inputs");
    for (const auto& i : inputs && inputs->is_array() ? inputs->get_array() : json::array{}) {
        const char* const digest = base::find_member(i, "sha256") ? "sha256" : "partial_sha256";
        const auto hex = base::string_member(i, digest);
        if (base::string_member(i, "pointer") != here.at || hex.empty()) continue;
        here.value = dataset_form(digest, hex);
        if (const auto* normal = base::at_pointer(i, "/crs/normal"); normal && normal->is_string())
            own_crs = normal->get_string();
        return {};
    }
    return fail(code::invalid_argument, "'" + std::string{here.value.get_string()} + "' is not a geometry",
                "give GeoJSON, [minx, miny, maxx, maxy] or the path of a vector dataset", here.at);
}

}  // namespace

json::object hashed_text(std::string_view domain, std::string_view prompt_hash, const json::object& key_arguments) {
    json::object o{key_arguments};
    o["domain"] = domain;
    if (!prompt_hash.empty()) o["prompt_hash"] = prompt_hash;
    return o;
}

std::string question_hash(std::string_view domain, const json::object& key_arguments) {
    return "sha256:" + base::sha256_hex(base::canonical_json(hashed_text(domain, {}, key_arguments)));
}

std::string cache_key(std::string_view domain, std::string_view prompt_hash, const json::object& key_arguments) {
    return "sha256:" + base::sha256_hex(base::canonical_json(hashed_text(domain, prompt_hash, key_arguments)));
}

bool is_cache_key(std::string_view s) {
    return s.size() == 71 && s.substr(0, 7) == "sha256:" &&
           s.substr(7).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

result<json::object> key_of_call(const spec& s, std::string_view tool, const json::value& arguments,
                                 const facts_lookup& facts, const crs_lookup& crs, key_origins* origins) {
    given_values given;
    const auto mapped = s.tools.find(tool);
    if (mapped == s.tools.end())
        return fail(code::internal, "domain " + s.domain + " does not govern " + std::string{tool});
    std::map<std::string, std::string, std::less<>> own_crs;  // of geometries that are datasets
    // CRSs of geometries last: GeoJSON's own CRS precedes the dataset's.
    for (const bool of_geometry : {false, true})
        for (const auto& k : s.key) {
            if (k.crs_of.empty() == of_geometry) continue;
            const auto sources = mapped->second.find(k.name);
            auto& here = given[k.name];
            if (sources != mapped->second.end())
                for (const auto& source : sources->second) {
                    if (!is_absent(&here.value)) break;
                    here.source = "the geometry's own CRS";
                    if (source.from == key_source::origin::fact && of_geometry)
                        here.value = geometry_crs_of(given[k.crs_of].value);
                    if (source.from == key_source::origin::fact && of_geometry && is_absent(&here.value))
                        if (const auto own = own_crs.find(k.crs_of); own != own_crs.end()) here.value = own->second;
                    if (!is_absent(&here.value)) break;
                    auto value = taken(source, arguments, facts);
                    if (!value) return tl::unexpected{value.error()};
                    here.value = std::move(*value);
                    here.at = source.at;
                    here.source = in_words(source);
                }
            if (is_absent(&here.value)) here.value = nullptr;
            if (origins) (*origins)[k.name] = {here.value.is_null() ? "nowhere" : here.source, here.value};
            if (k.normal.how == form::geometry) {
                std::string crs_of_dataset;
                if (auto ok = read_geometry(here, crs_of_dataset, facts); !ok) return tl::unexpected{ok.error()};
                if (!crs_of_dataset.empty()) own_crs[k.name] = crs_of_dataset;
            }
            if (here.value.is_null() && !k.optional && !of_geometry)
                return fail(code::invalid_argument,
                            "the call does not give " + k.name + ", for which " + s.domain + " requires a reason",
                            here.at.empty() ? "" : "give " + here.at.substr(1), here.at);
        }
    return normalised(s, given, crs);
}

result<json::object> key_of_prompt_args(const spec& s, const json::value& prompt_args, const crs_lookup& crs,
                                        const argument_reader& reader) {
    const auto* o = prompt_args.if_object();
    if (!o) return fail(code::invalid_argument, "prompt_args must be an object", "", "/prompt_args");
    std::string names;
    for (const auto& k : s.key) names += (names.empty() ? "" : ", ") + k.name;
    for (const auto& m : *o)
        if (!s.find_key(m.key()))
            return fail(code::invalid_argument, "'" + std::string{m.key()} + "' is not a key argument of " + s.domain,
                        "its key arguments are " + names, "/prompt_args/" + base::escape_token(m.key()));
    given_values given;
    for (const auto& k : s.key) {
        auto& here = given[k.name];
        here.at = "/prompt_args/" + k.name;
        if (const auto* v = o->if_contains(k.name); !is_absent(v)) {
            auto read = reader.read(s, k, *v);
            if (!read) return fail(read.error().code, read.error().message, read.error().hint, here.at);
            here.value = std::move(*read);
        }
        if (k.normal.how == form::geometry && here.value.is_string())  // prompts/get passes text only
            if (auto parsed = base::parse_json(here.value.get_string())) here.value = std::move(*parsed);
        if (here.value.is_null() && !k.optional && k.crs_of.empty())
            return fail(code::invalid_argument, "prompt_args lack '" + k.name + "'", "its key arguments are " + names,
                        here.at);
    }
    for (const auto& k : s.key) {
        auto& here = given[k.name];
        if (k.crs_of.empty() || !here.value.is_null() || o->contains(k.name)) continue;
        const auto own = geometry_crs_of(given[k.crs_of].value);
        if (own.empty())
            return fail(code::invalid_argument, "a bounding box has no CRS of its own",
                        "give " + k.name + ", e.g. the dataset's own CRS", here.at);
        here.value = own;
    }
    return normalised(s, given, crs);
}

std::string choice_of(const spec& s, const json::object& key_arguments) {
    const auto* v = key_arguments.if_contains(s.choice);
    if (!v) return {};
    if (v->is_string()) return std::string{v->get_string()};
    return v->is_object() ? digest_of_geometry(*v) : base::canonical_json(*v);
}

std::vector<json::object> keys_of_members(const spec& s, const json::object& key_arguments) {
    const auto* k = s.find_key(s.choice);
    const auto* all = key_arguments.if_contains(s.choice);
    if (!k || !k->normal.list || !all || !all->is_string()) return {key_arguments};
    std::vector<json::object> keys;
    std::string_view rest{all->get_string()};
    for (;;) {
        const auto end = rest.find('+');
        keys.push_back(key_arguments);
        keys.back()[s.choice] = rest.substr(0, end);
        if (end == std::string_view::npos) return keys;
        rest.remove_prefix(end + 1);
    }
}

json::object question_values(const spec& s, const json::object& key_arguments) {
    json::object values{key_arguments};
    values["choice"] = choice_of(s, key_arguments);
    for (const auto& k : s.key)
        if (auto& v = values[k.name]; v.is_object() && base::canonical_json(v).size() > max_shown_geometry)
            v = std::string{base::string_member(v, "type")} + " " + digest_of_geometry(v);
    return values;
}

}  // namespace gdalmcp::reflection
