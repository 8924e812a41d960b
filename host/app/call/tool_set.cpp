#include "app/call/tool_set.hpp"

#include <set>

#include "app/call/host_tools.hpp"
#include "base/near_names.hpp"
#include "base/text.hpp"
#include "catalog/lint.hpp"
#include "reflection/bundle_source.hpp"
#include "reflection/unusable_rules.hpp"

namespace gdalmcp::app {

using base::result;
namespace json = base::json;

namespace {

constexpr std::size_t max_icon = 2048;  // bytes of the server's own; clients get it with every handshake

json::array icons_of(const std::string& media_type, const std::string& bytes) {
    json::object icon{{"src", "data:" + media_type + ";base64," + base::base64(bytes)}, {"mimeType", media_type}};
    if (media_type == "image/svg+xml") icon["sizes"] = json::array{"any"};
    return {std::move(icon)};
}

// A page of prompts/tools: the text before this line is added to the tool's description, the rest is read on demand.
constexpr std::string_view more = "<!-- more -->";

std::string_view before_more(std::string_view page) { return page.substr(0, page.find(more)); }

// Adds the beginning of each page to the description of its tool. Failures go to `remarks`.
void add_notes(base::json::array& tools, const std::map<std::string, reflection::source_file>& notes,
               std::vector<std::string>& remarks) {
    for (auto& t : tools) {
        auto& definition = t.get_object();
        const auto note = notes.find(std::string{definition.at("name").get_string()});
        if (note == notes.end()) continue;
        const auto said = reflection::unwrapped(std::string{before_more(note->second.text)});
        if (said.empty()) continue;  // the operator removed the note
        auto text = std::string{definition.at("description").get_string()} + "\n" + said;
        if (const auto n = base::count_characters(text); n > catalog::max_description)
            remarks.push_back(note->second.path.string() + ": left out: the description of '" + note->first +
                              "' would have " + std::to_string(n) + " characters; the limit is " +
                              std::to_string(catalog::max_description));
        else
            definition["description"] = std::move(text);
    }
}

// The bundles in use, with their specs and the program's.
struct bundles_in_use {
    std::shared_ptr<const catalog::snapshot> bundles;
    std::shared_ptr<reflection::specs> specs;
};
using refusals = std::map<std::string, base::problem, std::less<>>;  // bundle id -> why it is not used

result<bundles_in_use> load_bundles(const tool_set::sources& s, const reflection::spec_source& core,
                                    const refusals& refused) {
    auto specs = std::make_shared<reflection::specs>();
    if (auto ok = specs->add(core); !ok) return tl::unexpected{ok.error()};
    const auto accept = [&](const catalog::manifest& m) -> result<void> {
        if (const auto why = refused.find(m.bundle->id); why != refused.end()) return tl::unexpected{why->second};
        auto brought = reflection::bundle_source(m);
        if (s.may_govern) brought.may_govern = [&](std::string_view tool) { return s.may_govern(m.bundle->id, tool); };
        return specs->add(brought);
    };
    auto bundles = catalog::load(s.search_path, {reserved_tools(), s.admission, s.describe, accept});
    return bundles_in_use{std::move(bundles), std::move(specs)};
}

reflection::argument_schemas schemas_in(std::shared_ptr<const catalog::snapshot> bundles) {
    return [bundles = std::move(bundles)](std::string_view name) -> const json::value* {
        const auto* t = bundles->find_known(name);
        return t ? &t->input().text() : nullptr;
    };
}

// By bundle. The program's own are not checked: a domain may govern tools that are not installed.
refusals unusable_rules_of(const bundles_in_use& now, const tool_set::sources& s) {
    refusals found;
    for (auto& wrong : reflection::unusable_rules(*now.specs, schemas_in(now.bundles)))
        found.emplace(std::move(wrong.by), std::move(wrong.why));
    std::erase_if(found, [&](const auto& wrong) {
        const auto& all = now.bundles->bundles();
        const auto by = std::find_if(all.begin(), all.end(), [&](const auto& b) { return b->id == wrong.first; });
        return by == all.end() || (*by)->folder.parent_path() == s.admission.trust.installed;
    });
    return found;
}

}  // namespace

result<std::shared_ptr<const tool_set>> tool_set::load(const sources& s) {
    auto told = reflection::read_prompt_folder(s.parts.prompts, s.prompts);
    if (!told) return tl::unexpected{told.error()};
    if (told->icon && told->icon->text.size() > max_icon)
        return base::fail(base::code::invalid_argument,
                          told->icon->path.string() + " has " + std::to_string(told->icon->text.size()) +
                              " bytes; the limit is " + std::to_string(max_icon),
                          "simplify it");
    auto instructions = reflection::instructions_of(*told);
    if (!instructions) return tl::unexpected{instructions.error()};
    auto core = reflection::folder_source("core", s.parts.reflection_specs, *told);
    if (!core) return tl::unexpected{core.error()};
    auto in_use = load_bundles(s, *core, {});
    // All bundles must be read to know the tools; then again without those whose rules are unusable.
    if (in_use)
        if (const auto unusable = unusable_rules_of(*in_use, s); !unusable.empty())
            in_use = load_bundles(s, *core, unusable);
    if (!in_use) return tl::unexpected{in_use.error()};
    std::shared_ptr<tool_set> made{
        new tool_set{std::move(in_use->bundles), std::move(in_use->specs), s.store, s.policies}};
    made->instructions_ = std::move(*instructions);
    made->told_ = std::move(*told);
    made->unapplied_ = unapplied_rules_of(*made->catalog_);
    made->make_tools();
    return made;
}

tool_set::tool_set(std::shared_ptr<const catalog::snapshot> c, std::shared_ptr<const reflection::specs> s,
                   std::shared_ptr<reflection::store> store, reflection::gate::policies policies)
    : catalog_{std::move(c)},
      specs_{std::move(s)},
      host_tools_{host_tool_schemas(*specs_)},
      gate_{specs_, std::move(store), reflection::utc_now, std::move(policies), argument_schemas()} {}

reflection::argument_schemas tool_set::argument_schemas() const { return schemas_in(catalog_); }

void tool_set::make_tools() {
    tools_ = host_definitions(*specs_);
    std::set<std::string> known;
    auto tools = catalog_->tools();
    const auto off = catalog_->switched_off();
    tools.insert(tools.end(), off.begin(), off.end());
    for (const auto& t : tools) {
        auto definition = t->public_definition(governs(*t));
        if (const auto& icon = t->bundle->icon) definition["icons"] = icons_of(icon->media_type, icon->bytes);
        tools_.push_back(std::move(definition));
    }
    if (told_.icon) icons_ = icons_of("image/svg+xml", told_.icon->text);
    for (const auto& t : tools_) known.emplace(t.at("name").get_string());
    std::map<std::string, reflection::source_file> notes;
    for (const auto& note : told_.tool_notes) {
        if (!known.count(note.path.stem().string()))
            remarks_.push_back(note.path.string() + ": there is no tool '" + note.path.stem().string() + "'");
        notes.emplace(note.path.stem().string(), note);
    }
    add_notes(tools_, notes, remarks_);
    for (const auto& page : told_.strays)
        remarks_.push_back(page.path.string() + ": replaces no page of the program, so it is ignored");
}

std::string tool_set::advice_on(std::string_view tool) const {
    for (const auto& page : told_.tool_notes)
        if (page.path.stem().string() == tool) {
            const std::string_view text{page.text};
            const auto said = before_more(text);
            const auto rest = text.substr(std::min(text.size(), said.size() + more.size()));
            return reflection::unwrapped(std::string{said} + std::string{rest});
        }
    return "";
}

const base::schema* tool_set::host_tool(std::string_view name) const {
    const auto found = host_tools_.find(name);
    return found == host_tools_.end() ? nullptr : &found->second;
}

const catalog::tool* tool_set::find(std::string_view tool, const toolset_switches& s) const {
    const auto* t = catalog_->find_known(tool);
    return t && is_on(*t->bundle, s) ? t : nullptr;
}

mcp::offer tool_set::offer(const toolset_switches& s) const {
    mcp::offer o;
    o.name = "gdal-mcp";
    o.title = "GDAL for agents";
    o.version = version;
    o.icons = icons_;
    o.instructions = instructions_;
    for (const auto& definition : tools_) {
        const auto name = base::string_member(definition, "name");
        if (host_tool(name) || find(name, s))
            o.tools.push_back(definition);
        else
            o.unlisted.emplace(name);
    }
    for (const auto& q : catalog_->quarantine())
        for (const auto& t : q.tools)
            if (!catalog_->find_known(t)) o.unlisted.insert(t);
    for (const auto& [name, p] : specs_->prompts()) o.prompts.push_back(p.definition());
    o.resources = true;
    o.lists_change = true;
    o.resource_updates = true;
    o.completions = true;
    o.logging = true;
    o.tasks = true;
    return o;
}

base::problem tool_set::not_offered(std::string_view name, std::string at) const {
    if (const auto* off = catalog_->find_known(name)) return toolset_is_off(*off, std::move(at));
    if (const auto* q = catalog_->find_quarantined(name))
        return {base::code::quarantined,
                "the tool '" + std::string{name} + "' belongs to the bundle '" +
                    (q->id.empty() ? q->path.filename().string() : q->id) + "', which is quarantined: " + q->reason,
                "the operator can inspect it with 'gdal-mcp bundles' and repair or reinstall it", std::move(at)};
    auto known = reserved_tools();
    for (const auto& t : catalog_->tools()) known.push_back(t->name);
    const auto near = base::nearest(known, std::string{name});
    std::string hint = near.empty() ? "" : "did you mean " + base::joined(near) + "? ";
    hint += "tools/list and 'gdal-mcp tools' list them all";
    if (const auto n = catalog_->quarantine().size())
        hint += "; " + std::to_string(n) + " bundle(s) are quarantined, see 'gdal-mcp bundles'";
    return {base::code::unknown_tool, "there is no tool '" + std::string{name} + "'", hint, std::move(at)};
}

}  // namespace gdalmcp::app
