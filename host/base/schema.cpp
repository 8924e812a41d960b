#include "base/schema.hpp"

#include <algorithm>
#include <mutex>

#include "base/pointer.hpp"
#include "base/schema_arguments.hpp"
#include "base/schema_lint.hpp"
#include "base/schema_mismatch.hpp"
#include "base/schema_walk.hpp"
#include "base/text_pattern.hpp"

#define VALIJSON_USE_EXCEPTIONS 1  // else a malformed keyword aborts the process
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

namespace gdalmcp::base {
namespace {

// valijson does not accept an integer beyond 63 bits as a number; a double it does.
bool holds_unsigned(const json::value& v) {
    if (const auto* a = v.if_array()) return std::any_of(a->begin(), a->end(), holds_unsigned);
    if (const auto* o = v.if_object())
        return std::any_of(o->begin(), o->end(), [](const auto& m) { return holds_unsigned(m.value()); });
    return v.is_uint64() && v.get_uint64() > static_cast<std::uint64_t>(INT64_MAX);
}

json::value with_doubles(json::value v) {
    if (auto* u = v.if_uint64(); u && *u > static_cast<std::uint64_t>(INT64_MAX)) return static_cast<double>(*u);
    if (auto* a = v.if_array())
        for (auto& e : *a) e = with_doubles(std::move(e));
    if (auto* o = v.if_object())
        for (auto& m : *o) m.value() = with_doubles(std::move(m.value()));
    return v;
}

// "<root>", "[\"bands\"]", "[0]" -> "/bands/0"
std::string pointer_of(const std::vector<std::string>& context) {
    std::string at;
    for (const auto& step : context) {
        if (step.size() < 2 || step.front() != '[') continue;
        auto token = step.substr(1, step.size() - 2);
        if (token.size() >= 2 && token.front() == '"') token = token.substr(1, token.size() - 2);
        at += "/" + escape_token(token);
    }
    return at;
}

// The schema given to valijson. Without patterns: valijson matches them by std::regex, which recurses for every
// character and can take exponential time. With every multipleOf as a double: against an integer it truncates the
// number checked, which is undefined beyond 64 bits.
void prepare_for_validator(json::value& node) {
    if (auto* o = node.if_object()) {
        o->erase("pattern");
        if (auto* m = o->if_contains("multipleOf")) *m = m->to_number<double>();
    }
    each_subschema(node, prepare_for_validator);
}

struct unmatched_text {
    std::string at;
    const json::value* schema;  // whose pattern it does not match
};

// The first in an instance; nothing if every text matches its pattern.
std::optional<unmatched_text> unmatched(const json::value& node, const json::value& instance, const std::string& at) {
    const auto* pattern = find_member(node, "pattern");
    const auto* text = instance.if_string();
    if (pattern && text && !matches(pattern->get_string(), *text)) return unmatched_text{at, &node};
    std::optional<unmatched_text> found;
    const auto look = [&](const json::value& sub, const json::value& part, const std::string& where) {
        if (!found) found = unmatched(sub, part, where);
    };
    if (const auto* all = find_member(node, "allOf"))
        for (const auto& sub : all->get_array()) look(sub, instance, at);
    if (const auto* o = instance.if_object()) {
        const auto* properties = find_member(node, "properties");
        const auto* others = find_member(node, "additionalProperties");
        for (const auto& m : *o) {
            const auto* sub = properties ? find_member(*properties, m.key()) : nullptr;
            if (sub || (others && others->is_object()))
                look(sub ? *sub : *others, m.value(), at + "/" + escape_token(m.key()));
        }
    } else if (const auto* a = instance.if_array()) {
        if (const auto* items = find_member(node, "items"))
            for (std::size_t i = 0; i < a->size(); ++i) look(*items, (*a)[i], at + "/" + std::to_string(i));
    }
    return found;
}

}  // namespace

struct schema::parts {
    json::value text;

    // Created at the first check: of a hundred loaded bundles, few are called.
    struct machine {
        valijson::Schema compiled;
        valijson::Validator validator{valijson::Validator::kStrongTypes};
    };
    mutable std::mutex one_at_a_time;
    mutable std::unique_ptr<machine> made;

    // Throws valijson's exceptions.
    bool validate(const json::value& instance, valijson::ValidationResults& results) const {
        const std::lock_guard lock{one_at_a_time};
        if (!made) {
            auto fresh = std::make_unique<machine>();
            valijson::SchemaParser parser{valijson::SchemaParser::kDraft7};
            auto shown = text;
            prepare_for_validator(shown);
            parser.populateSchema(valijson::adapters::BoostJsonAdapter{shown}, fresh->compiled);
            made = std::move(fresh);
        }
        if (!holds_unsigned(instance))
            return made->validator.validate(made->compiled, valijson::adapters::BoostJsonAdapter{instance}, &results);
        const auto seen = with_doubles(instance);
        return made->validator.validate(made->compiled, valijson::adapters::BoostJsonAdapter{seen}, &results);
    }
};

schema schema::constant(const char* json) { return compile(parse_json(json).value()).value(); }

result<schema> schema::compile(const json::value& text) {
    if (auto found = lint_schema(text); !found.empty()) return tl::unexpected{found.front()};
    auto p = std::make_shared<parts>();
    p->text = text;
    return schema{std::move(p)};
}

result<void> schema::check(const json::value& instance, std::string_view whole) const {
    return check_part(instance, whole, "");
}

result<void> schema::check_part(const json::value& instance, std::string_view whole, const std::string& base) const {
    valijson::ValidationResults results;
    valijson::ValidationResults::Error first;
    std::string at;
    const json::value* node = nullptr;
    try {
        if (parts_->validate(instance, results)) {
            const auto text = unmatched(parts_->text, instance, "");
            if (!text) return {};
            at = text->at;
            node = text->schema;
        } else {
            results.popError(first);
            at = pointer_of(first.context);
        }
    } catch (const std::exception& e) {  // a keyword whose value is of the wrong type
        return fail(code::invalid_argument, std::string{"cannot be checked: "} + e.what());
    }
    const auto* value = at_pointer(instance, at);
    if (const auto* meant = value && value->is_object() ? object_alternative(parts_->text, at) : nullptr)
        if (const auto alternative = compile(*meant)) {
            auto fits = alternative->check_part(*value, "'" + base + at + "'", base + at);
            if (!fits) return fits;
        }
    return tl::unexpected{mismatch({parts_->text, at, node, base}, instance, whole, first.description)};
}

void schema::reify(json::value& instance) const { base::reify(parts_->text, instance); }
void schema::fill_defaults(json::value& instance) const { base::fill_defaults(parts_->text, instance); }
const json::value& schema::text() const { return parts_->text; }

}  // namespace gdalmcp::base
