#include "reflection/bundle_source.hpp"

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

}  // namespace gdalmcp::reflection
