#include "reflection/bundle_source.hpp"

#include "base/yaml.hpp"
#include "reflection/dangling_names.hpp"
#include "reflection/unusable_rules.hpp"

namespace gdalmcp::reflection {

spec_source bundle_source(const catalog::manifest& m) {
    spec_source source{m.bundle->id, {}, {}, {}, std::set<std::string, std::less<>>{}};
    const auto take = [](const std::vector<catalog::document>& from, std::vector<source_file>& into) {
        for (const auto& d : from) into.push_back({d.path, d.text});
    };
    take(m.bundle->reflection, source.specs);
    take(m.bundle->prompts, source.prompts);
    take(m.bundle->methodology, source.methodology);
    take(m.bundle->prompt_files, source.prompt_files);
    for (const auto& t : m.tools) source.own_tools->insert(t->name);
    return source;
}

base::result<specs> specs_alone(spec_source from) {
    if (auto ok = specs::check_alone(from); !ok) return tl::unexpected{ok.error()};
    std::erase_if(from.specs, [](const source_file& file) {
        return !base::string_member(base::parse_yaml(file.text).value(), "extends").empty();
    });
    specs own;
    return own.add(from).map([&] { return std::move(own); });
}

std::vector<base::problem> rule_defects(const specs& all, std::string_view contributor, const tool_lookup& tool_named) {
    const argument_schemas arguments = [&](std::string_view name) -> const json::value* {
        const auto* t = tool_named(name);
        return t ? &t->input().text() : nullptr;
    };
    const auto result = [&](std::string_view name) -> const json::value* {
        const auto* t = tool_named(name);
        return t && t->result_schema() ? &t->result_schema()->text() : nullptr;
    };
    std::vector<base::problem> found;
    for (auto& wrong : unusable_rules(all, arguments))
        if (wrong.by == contributor) found.push_back(std::move(wrong.why));
    for (auto& wrong : dangling_names(all, contributor, {arguments, result})) found.push_back(std::move(wrong));
    return found;
}

std::vector<base::problem> rule_defects(const specs& all, std::string_view contributor, const catalog::manifest& m) {
    auto found = rule_defects(all, contributor, [&](std::string_view name) -> const catalog::tool* {
        for (const auto& t : m.tools)
            if (t->name == name) return t.get();
        return nullptr;
    });
    std::erase_if(found, [](const base::problem& p) { return p.code == base::code::not_found; });
    return found;
}

}  // namespace gdalmcp::reflection
