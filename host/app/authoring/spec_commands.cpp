#include "app/authoring/spec_commands.hpp"

#include <cstdio>

#include "app/complain.hpp"
#include "base/file.hpp"
#include "base/hidden_characters.hpp"
#include "reflection/bundle_source.hpp"
#include "reflection/dangling_names.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::result;

namespace {

void explain_domain(const json::object& d) {
    const auto text = [](const json::object& o, const char* name) {
        return base::with_hidden_shown(base::string_member(o, name));
    };
    std::printf("%s: %s\n", text(d, "domain").c_str(), text(d, "decision").c_str());
    for (const auto& n : d.at("notes").get_array())
        std::printf("  %s\n", base::with_hidden_shown(n.get_string()).c_str());
    const auto* missing = d.if_contains("missing");
    if (!missing) return;
    const auto& m = missing->get_object();
    std::printf("  key: %s\n", base::with_hidden_shown(base::write_json(m.at("prompt_args"))).c_str());
    if (const auto* evidence = m.if_contains("evidence"))
        for (const auto& e : evidence->get_array()) {
            const auto summary = text(e.get_object(), "summary");
            std::printf(
                "  %s: %s\n", text(e.get_object(), "name").c_str(),
                summary.empty() ? ("not measured, " + text(e.get_object(), "absent")).c_str() : summary.c_str());
        }
    if (const auto* conflicts = m.if_contains("conflicts"))
        for (const auto& c : conflicts->get_array())
            std::printf("  conflict: %s\n", text(c.get_object(), "text").c_str());
    if (const auto* changed = m.if_contains("changed"))
        for (const auto& c : changed->get_array())
            std::printf("  changed: %s\n", base::with_hidden_shown(c.get_string()).c_str());
}

void print_key(const json::object& d) {
    const auto text = [](const json::value& o, const char* name) {
        return base::with_hidden_shown(base::string_member(o, name));
    };
    const auto written = [](const json::value& v) { return base::with_hidden_shown(base::write_json(v)); };
    const json::value all(d);
    std::printf("%s\n", text(all, "domain").c_str());
    if (d.contains("problem")) {
        std::printf("  no key: %s\n", text(all, "problem").c_str());
        return;
    }
    for (const auto& a : d.at("key_arguments").get_array())
        std::printf("  %s = %s, from %s: %s\n", text(a, "name").c_str(), written(a.at("normal")).c_str(),
                    text(a, "source").c_str(), written(a.at("given")).c_str());
    for (const auto& k : d.at("keys").get_array())
        std::printf("  cache_key %s\n    of %s\n  question_hash %s\n    of %s\n", text(k, "cache_key").c_str(),
                    text(k, "hashed").c_str(), text(k, "question_hash").c_str(), text(k, "question_hashed").c_str());
}

// A folder of specs with the prompts beside it, as in a bundle, stands for the folder around both.
fs::path around_specs(const fs::path& given) {
    std::error_code ec;
    const auto folder = fs::canonical(given, ec);
    const bool of_specs = folder.filename() == "reflection" || folder.filename() == "reflection-specs";
    return of_specs && fs::is_directory(folder.parent_path() / "prompts", ec) ? folder.parent_path() : given;
}

// The folder of an installation or of a source tree (reflection-specs, prompts), of a bundle (reflection, prompts,
// methodology), or just of YAML files.
result<reflection::spec_source> source_in(const fs::path& folder) {
    std::error_code ec;
    auto specs = folder;
    for (const char* name : {"reflection-specs", "reflection"})
        if (fs::is_directory(folder / name, ec)) specs = folder / name;
    auto prompts = folder / "prompts";
    if (!fs::is_directory(prompts, ec)) prompts = folder;
    auto source = reflection::folder_source(folder.filename().string(), specs, prompts);
    if (!source || !fs::is_directory(folder / "methodology", ec)) return source;
    auto pages = reflection::folder_source("", folder, folder / "methodology");
    if (!pages) return tl::unexpected{pages.error()};
    for (auto& page : pages->prompts) source->methodology.push_back(std::move(page));
    return source;
}

// The names that lead nowhere, and the rules that the tools of a described bundle contradict. Of a bundle that changed
// since its tools are not known, which `bundle check` reports.
std::vector<base::problem> defects_by_tools(const fs::path& folder, const reflection::specs& all,
                                            std::string_view contributor) {
    const auto bundle = base::read_file(folder / "manifest.json")
                            .and_then([](const std::string& bytes) { return base::parse_json(bytes); })
                            .and_then([&](const json::value& text) { return catalog::read_draft(folder, text); });
    const auto unknown = [](std::string_view) -> const json::value* { return nullptr; };
    if (!bundle) return reflection::dangling_names(all, contributor, {unknown, unknown});
    return reflection::rule_defects(all, contributor, *bundle);
}

int report(const std::vector<base::problem>& defects, std::size_t looked_at) {
    for (const auto& d : defects)
        std::printf("%s%s%s\n", base::with_hidden_shown(d.message).c_str(), d.hint.empty() ? "" : "; ", d.hint.c_str());
    std::printf("%zu file(s), %zu defect(s)\n", looked_at, defects.size());
    return defects.empty() ? 0 : 3;
}

}  // namespace

int explain_call(host& h, const std::string& tool, const std::string& arguments, bool raw) {
    auto given = base::parse_json(arguments);
    if (!given || !given->is_object())
        return complain({base::code::invalid_argument, "the arguments must be a JSON object", "", ""}, 2);
    log_not_applied(tool, h.offered()->unapplied());
    const runner::cancellation never;
    const auto o = h.call("preflight", {{"tool", tool}, {"arguments", std::move(*given)}}, never, {});
    if (o.problem) return complain(*o.problem, 3);
    const auto& told = *o.structured;
    const bool runs = told.at("runs").get_bool();
    if (raw) {
        std::printf("%s\n", base::write_json(json::value(told)).c_str());
        return runs ? 0 : 4;
    }
    if (told.at("domains").get_array().empty())
        std::printf("%s: no question is asked; no domain governs it\n", tool.c_str());
    for (const auto& d : told.at("domains").get_array()) explain_domain(d.get_object());
    std::printf("%s\n", runs ? "It would run." : "It would not run: a reason is missing or does not hold.");
    return runs ? 0 : 4;
}

int print_keys(host& h, const std::string& tool, const std::string& arguments, bool raw) {
    auto given = base::parse_json(arguments);
    if (!given || !given->is_object())
        return complain({base::code::invalid_argument, "the arguments must be a JSON object", "", ""}, 2);
    const auto told = h.keys_of(tool, std::move(given->get_object()));
    if (!told) return complain(told.error(), 3);
    if (raw) {
        std::printf("%s\n", base::write_json(json::value(*told)).c_str());
        return 0;
    }
    const auto& domains = told->at("domains").get_array();
    if (domains.empty()) std::printf("%s: no domain governs it\n", tool.c_str());
    for (const auto& d : domains) print_key(d.get_object());
    return 0;
}

int validate_specs(const configuration& c, const fs::path& folder) {
    const auto parts = find_installation();
    if (!parts) return complain(parts.error(), 2);
    auto core = reflection::folder_source("core", parts->reflection_specs, parts->prompts);
    if (!core) return complain(core.error(), 3);
    reflection::specs all;
    if (folder.empty()) {
        auto defects = all.add_what_fits(*core);
        const auto h = host::open(c);
        if (h)
            for (const auto& q : (*h)->offered()->tools().quarantine())
                defects.push_back({base::code::quarantined, q.path.string() + ": " + q.reason, "", ""});
        return report(defects, core->specs.size() + core->prompts.size());
    }
    const auto place = around_specs(folder);
    const auto given = source_in(place);
    if (!given) return complain(given.error(), 3);
    auto defects = all.add_what_fits(*given);
    if (!defects.empty()) {  // extensions and files that use a built-in prompt need the program's own specs first
        reflection::specs after;
        after.add_what_fits(*core);
        auto with_core = after.add_what_fits(*given);
        // Of as many, those behind the missing domain or prompt.
        if (with_core.size() <= defects.size()) {
            defects = std::move(with_core);
            all = std::move(after);
        }
    }
    for (auto& p : defects_by_tools(place, all, given->name)) defects.push_back(std::move(p));
    return report(defects, given->specs.size() + given->prompts.size());
}

}  // namespace gdalmcp::app
