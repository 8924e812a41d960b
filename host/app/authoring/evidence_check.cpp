#include "app/authoring/evidence_check.hpp"

#include <algorithm>
#include <set>

namespace gdalmcp::app {
namespace {

constexpr const char* evidence = "evidence";                   // the name of this check
constexpr const char* text_members[] = {"summary", "source"};  // of every result
constexpr std::size_t max_summary = 200;                       // bytes

finding failure(const std::string& subject, std::string message, std::string hint) {
    return {evidence, subject, verdict::failure, std::move(message), std::move(hint)};
}

bool is_declared_text(const catalog::tool& t, const char* member) {
    const auto* properties = t.result_schema() ? base::find_member(t.result_schema()->text(), "properties") : nullptr;
    const auto* declared = properties ? base::find_member(*properties, member) : nullptr;
    return declared && base::string_member(*declared, "type") == "string";
}

}  // namespace

std::vector<const reflection::evidence_source*> evidence_of(const catalog::manifest& bundle,
                                                            const reflection::specs& all) {
    std::set<std::string, std::less<>> own;
    for (const auto& t : bundle.tools) own.insert(t->name);
    std::vector<const reflection::evidence_source*> found;
    for (const auto& s : all.all())
        for (const auto& e : s.evidence)
            if (s.source == bundle.bundle->id ||
                std::any_of(e.only.begin(), e.only.end(), [&](const auto& tool) { return own.count(tool) > 0; }))
                found.push_back(&e);
    return found;
}

std::vector<finding> check_provider(const reflection::evidence_source& e, const catalog::tool& provider) {
    std::vector<finding> found;
    if (!provider.annotations.read_only)
        found.push_back(failure(e.tool, "specs name it as evidence, but it is not declared read-only",
                                "add GDALMCP_READ_ONLY, or name another tool"));
    const auto& schema = provider.input().text();
    const auto* properties = base::find_member(schema, "properties");
    for (const auto& argument : e.arguments)
        if (!properties || !base::find_member(*properties, argument.first))
            found.push_back(failure(
                e.tool,
                "evidence '" + e.name + "' passes it '" + argument.first + "', which is not one of its arguments",
                "/evidence maps each argument of the provider to its source"));
    if (const auto* required = base::find_member(schema, "required"); required && required->is_array())
        for (const auto& name : required->get_array())
            if (!e.arguments.count(name.get_string()))
                found.push_back(failure(
                    e.tool,
                    "evidence '" + e.name + "' does not pass it the required '" + std::string{name.get_string()} + "'",
                    "name its source in /evidence"));
    for (const char* member : text_members)
        if (!is_declared_text(provider, member))
            found.push_back(
                failure(e.tool, std::string{"specs name it as evidence, but its result has no string '"} + member + "'",
                        "gdalmcp/evidence.hpp declares the field"));
    return found;
}

std::vector<finding> check_measured(const std::string& provider, const json::object& result) {
    std::vector<finding> found;
    for (const char* member : text_members)
        if (base::string_member(result, member).empty())
            found.push_back(failure(provider, std::string{"on a sample its '"} + member + "' is empty",
                                    "without it a question does not show what was measured"));
    if (const auto size = base::string_member(result, "summary").size(); size > max_summary)
        found.push_back({evidence, provider, verdict::warning,
                         "on a sample its 'summary' has " + std::to_string(size) + " bytes",
                         "a question shows one line of at most " + std::to_string(max_summary) + " bytes"});
    if (found.empty()) found.push_back({evidence, provider, verdict::ok, "", ""});
    return found;
}

}  // namespace gdalmcp::app
