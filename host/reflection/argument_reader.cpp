#include "reflection/argument_reader.hpp"

#include <algorithm>
#include <set>

#include "base/crs_spelling.hpp"
#include "base/near_names.hpp"
#include "base/schema.hpp"
#include "base/schema_arguments.hpp"
#include "base/schema_walk.hpp"
#include "base/text.hpp"
#include "base/text_template.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

// What calls can have as a key argument.
struct possible_values {
    std::vector<const json::value*> schemas;  // of the arguments it comes from; of a list: of its members
    std::set<std::string> normal;             // normal forms of the listed values
    bool others = false;                      // there are values that are not listed
    bool readable = true;                     // it comes from arguments and constants only
};

// A single word; a CRS needs no list, so PROJ is not asked.
std::string normal_name(const key_argument& k, const json::value& v) {
    auto single = k.normal;
    single.list = false;
    const auto normal = normal_form(single, v, {});
    return normal && normal->is_string() ? std::string{normal->get_string()} : std::string{};
}

void add_argument(possible_values& all, const key_argument& k, const schema_place& place) {
    if (!place.schema) {
        all.others = all.others || place.possible;
        return;
    }
    const auto* items = k.normal.list ? base::items_of(*place.schema) : nullptr;
    const auto& node = items ? *items : *place.schema;
    all.schemas.push_back(&node);
    const auto* listed = base::find_member(node, "enum");
    if (!listed || !listed->is_array()) {
        all.others = true;
        return;
    }
    for (const auto& v : listed->get_array()) all.normal.insert(normal_name(k, v));
}

void add_tool(possible_values& all, const key_argument& k, const governed_tool& mapped, const json::value* schema) {
    const auto sources = mapped.find(k.name);
    if (sources == mapped.end()) return;
    for (const auto& source : sources->second) {
        if (source.from == key_source::origin::literal)
            all.normal.insert(normal_name(k, source.value));
        else if (source.from != key_source::origin::argument)
            all.readable = false;
        else if (schema)
            add_argument(all, k, find_place(*schema, source.at));
        else
            all.others = true;
    }
}

result<json::value> read_word(const possible_values& all, const key_argument& k, json::value given) {
    if (all.normal.count(normal_name(k, given))) return given;
    for (const auto* schema : all.schemas) {
        auto read = given;
        base::reify(*schema, read);
        if (read != given) return read;
    }
    if (all.others || all.normal.empty()) return given;
    const std::vector<std::string> known(all.normal.begin(), all.normal.end());
    const auto word = base::plain_text(given);
    const auto near = base::nearest(known, word);
    return fail(code::invalid_argument, "there is no " + k.name + " '" + base::shortened(word, 80) + "'",
                (near.empty() ? "" : "did you mean " + base::joined(near) + "? ") + "it is one of " +
                    base::shortened(base::joined(known), 600));
}

// A number within the bounds of an argument that it comes from.
result<json::value> read_number(const possible_values& all, const key_argument& k, json::value given) {
    if (!given.is_number()) return given;  // words of numbers are read later
    result<void> refused;
    for (const auto* schema : all.schemas) {
        const auto bounds =
            base::schema::compile(json::object{{"type", "object"}, {"properties", json::object{{k.name, *schema}}}});
        if (!bounds) return given;
        auto fits = bounds->check(json::object{{k.name, given}}, "the key arguments");
        if (fits) return given;
        if (refused) refused = std::move(fits);
    }
    if (!refused) return tl::unexpected{refused.error()};
    return given;
}

json::array members_of(const json::value& list) {
    if (const auto* a = list.if_array()) return *a;
    const auto* text = list.if_string();
    if (!text) return json::array{list};
    json::array members;
    for (std::size_t from = 0; from <= text->size();) {
        const auto end = std::min(text->find('+', from), text->size());
        members.push_back(json::string(text->subview(from, end - from)));
        from = end + 1;
    }
    return members;
}

}  // namespace

result<json::value> argument_reader::read(const spec& s, const key_argument& k, json::value given) const {
    if (is_absent(&given) || k.normal.how == form::geometry) return given;
    if (k.normal.how == form::crs) {
        base::spell_crs(given);
        return given;
    }
    if (!schemas) return given;
    possible_values all;
    const auto called = s.tools.find(tool);
    for (const auto& [name, mapped] : s.tools)
        if (called == s.tools.end() || name == tool) add_tool(all, k, mapped, schemas(name));
    if (!all.readable) return given;
    if (k.normal.how == form::number) return read_number(all, k, std::move(given));
    if (!k.normal.list) return read_word(all, k, std::move(given));
    auto members = members_of(given);
    for (auto& m : members) {
        auto word = read_word(all, k, m);
        if (!word) return word;
        m = std::move(*word);
    }
    return members;
}

}  // namespace gdalmcp::reflection
