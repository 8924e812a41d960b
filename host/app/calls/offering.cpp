#include "app/calls/offering.hpp"

#include <set>

#include "app/calls/bundle_resources.hpp"
#include "app/calls/host_tools.hpp"
#include "base/text.hpp"
#include "catalog/lint.hpp"
#include "reflection/unusable_rules.hpp"
#include "workspace/near_names.hpp"

namespace gdalmcp::app {

using base::result;
namespace json = base::json;

namespace {

reflection::source_file source_of(const catalog::document& d) { return {d.path, d.text}; }

constexpr std::size_t largest_icon = 2048;  // bytes of the server's own; clients get it with every handshake

json::array icons_of(const std::string& media_type, const std::string& bytes) {
    json::object icon{{"src", "data:" + media_type + ";base64," + base::base64(bytes)}, {"mimeType", media_type}};
    if (media_type == "image/svg+xml") icon["sizes"] = json::array{"any"};
    return {std::move(icon)};
}

// Puts each note behind the description of its tool. What cannot be done is said in `remarks`.
void add_notes(base::json::array& tools, const std::map<std::string, reflection::source_file>& notes,
               std::vector<std::string>& remarks) {
    for (auto& t : tools) {
        auto& definition = t.get_object();
        const auto note = notes.find(std::string{definition.at("name").get_string()});
        if (note == notes.end()) continue;
        const auto said = reflection::unwrapped(note->second.text);
        if (said.empty()) continue;  // an operator takes a note away
        auto text = std::string{definition.at("description").get_string()} + "\n" + said;
        if (const auto n = base::count_characters(text); n > catalog::longest_description)
            remarks.push_back(note->second.path.string() + ": left out, because with it the description of '" +
                              note->first + "' has " + std::to_string(n) + " characters; " +
                              std::to_string(catalog::longest_description) + " are allowed");
        else
            definition["description"] = std::move(text);
    }
}

// The bundles that are used, and the specs of the program and theirs.
struct bundles_in_use {
    std::shared_ptr<const catalog::snapshot> bundles;
    std::shared_ptr<reflection::specs> specs;
};
using refusals = std::map<std::string, base::problem, std::less<>>;  // id of a bundle -> why it is not used

result<bundles_in_use> load_bundles(const offering::sources& s, const reflection::spec_source& core,
                                    const refusals& refused) {
    auto specs = std::make_shared<reflection::specs>();
    if (auto ok = specs->add(core); !ok) return tl::unexpected{ok.error()};
    const auto accept = [&](const catalog::manifest& m) -> result<void> {
        if (const auto why = refused.find(m.bundle->id); why != refused.end()) return tl::unexpected{why->second};
        auto brought = specs_of(m);
        if (s.may_govern) brought.may_govern = [&](std::string_view tool) { return s.may_govern(m.bundle->id, tool); };
        return specs->add(brought);
    };
    auto bundles = catalog::load(s.search_path, {reserved_tools(), s.admission, s.describe, accept});
    return bundles_in_use{std::move(bundles), std::move(specs)};
}

// By bundle; the program's own are not looked at: a domain may wait for tools that are not installed.
refusals unusable_rules_of(const bundles_in_use& now, const offering::sources& s) {
    auto found = reflection::unusable_rules(*now.specs, [&](std::string_view name) -> const json::value* {
        const auto* t = now.bundles->find(name);
        if (!t) t = now.bundles->find_switched_off(name);
        return t ? &t->input().text() : nullptr;
    });
    std::erase_if(found, [&](const auto& wrong) {
        const auto& all = now.bundles->bundles();
        const auto by = std::find_if(all.begin(), all.end(), [&](const auto& b) { return b->id == wrong.first; });
        return by == all.end() || (*by)->folder.parent_path() == s.admission.trust.installed;
    });
    return found;
}

}  // namespace

reflection::spec_source specs_of(const catalog::manifest& m) {
    reflection::spec_source source{m.bundle->id, {}, {}, {}, std::set<std::string, std::less<>>{}};
    for (const auto& d : m.bundle->reflection) source.specs.push_back(source_of(d));
    for (const auto& d : m.bundle->prompts) source.prompts.push_back(source_of(d));
    for (const auto& d : m.bundle->methodology) source.methodology.push_back(source_of(d));
    for (const auto& d : m.bundle->prompt_files) source.prompt_files.push_back(source_of(d));
    for (const auto& t : m.tools) source.own_tools->insert(t->name);
    return source;
}

result<std::shared_ptr<const offering>> offering::load(const sources& s) {
    auto told = reflection::read_prompt_folder(s.parts.prompts, s.prompts);
    if (!told) return tl::unexpected{told.error()};
    if (told->icon && told->icon->text.size() > largest_icon)
        return base::fail(base::code::invalid_argument,
                          told->icon->path.string() + " has " + std::to_string(told->icon->text.size()) + " bytes; " +
                              std::to_string(largest_icon) + " are allowed",
                          "draw it simpler");
    auto instructions = reflection::instructions_of(*told);
    if (!instructions) return tl::unexpected{instructions.error()};
    auto core = reflection::folder_source("core", s.parts.reflection_specs, *told);
    if (!core) return tl::unexpected{core.error()};
    auto in_use = load_bundles(s, *core, {});
    // Which tools there are is known when all bundles are read; then once more without those whose rules are unusable.
    if (in_use)
        if (const auto unusable = unusable_rules_of(*in_use, s); !unusable.empty())
            in_use = load_bundles(s, *core, unusable);
    if (!in_use) return tl::unexpected{in_use.error()};
    std::shared_ptr<offering> made{
        new offering{std::move(in_use->bundles), std::move(in_use->specs), s.store, s.policies}};
    made->instructions_ = std::move(*instructions);
    made->told_ = std::move(*told);
    made->make_tools();
    return made;
}

offering::offering(std::shared_ptr<const catalog::snapshot> c, std::shared_ptr<const reflection::specs> s,
                   std::shared_ptr<reflection::store> store, reflection::gate::policies policies)
    : catalog_{std::move(c)},
      specs_{std::move(s)},
      host_tools_{host_tool_schemas(*specs_)},
      gate_{specs_, std::move(store), reflection::utc_now, std::move(policies)} {}

void offering::make_tools() {
    tools_ = host_definitions(*specs_);
    std::set<std::string> known;
    for (const auto& t : catalog_->tools()) {
        auto definition = t->public_definition(governs(*t));
        if (const auto& icon = t->bundle->icon) definition["icons"] = icons_of(icon->media_type, icon->bytes);
        tools_.push_back(std::move(definition));
    }
    if (told_.icon) icons_ = icons_of("image/svg+xml", told_.icon->text);
    for (const auto& t : tools_) known.emplace(t.at("name").get_string());
    for (const auto& t : catalog_->switched_off()) known.insert(t->name);
    std::map<std::string, reflection::source_file> notes;
    for (const auto& note : told_.tool_notes) {
        if (!known.count(note.path.stem().string()))
            remarks_.push_back(note.path.string() + ": nobody has a tool '" + note.path.stem().string() + "'");
        notes.emplace(note.path.stem().string(), note);
    }
    add_notes(tools_, notes, remarks_);
    for (const auto& page : told_.strays)
        remarks_.push_back(page.path.string() + ": stands for no page of the program, so nobody reads it");
}

const base::schema* offering::host_tool(std::string_view name) const {
    const auto found = host_tools_.find(name);
    return found == host_tools_.end() ? nullptr : &found->second;
}

mcp::offer offering::offer() const {
    mcp::offer o;
    o.name = "gdal-mcp";
    o.title = "GDAL for agents";
    o.version = version;
    o.icons = icons_;
    o.instructions = instructions_;
    o.tools = tools_;
    for (const auto& t : catalog_->switched_off()) {
        const auto p = unknown_tool(t->name, "");
        o.withheld.emplace(t->name, p.message + "; " + p.hint);
    }
    for (const auto& [name, p] : specs_->prompts()) o.prompts.push_back(p.definition());
    o.resource_templates = resource_templates();
    for (auto& t : list_bundle_templates(*this)) o.resource_templates.push_back(std::move(t));
    o.resources = true;
    o.lists_change = true;
    o.resource_updates = true;
    o.completions = true;
    o.logging = true;
    o.tasks = true;
    return o;
}

base::problem offering::unknown_tool(std::string_view name, std::string at) const {
    if (const auto* off = catalog_->find_switched_off(name))
        return {
            base::code::unknown_tool,
            "the tool '" + std::string{name} + "' belongs to the toolset '" + off->bundle->toolset + "', which is off",
            "whoever runs the server can switch it on with --toolsets " + off->bundle->toolset, std::move(at)};
    auto known = reserved_tools();
    for (const auto& t : catalog_->tools()) known.push_back(t->name);
    const auto near = workspace::nearest(known, std::string{name});
    std::string hint = near.empty() ? "" : "did you mean " + workspace::joined(near) + "? ";
    hint += "tools/list and 'gdal-mcp tools' name them all";
    if (const auto n = catalog_->quarantine().size())
        hint += "; " + std::to_string(n) + " bundle(s) are quarantined, see 'gdal-mcp bundles'";
    return {base::code::unknown_tool, "there is no tool '" + std::string{name} + "'", hint, std::move(at)};
}

}  // namespace gdalmcp::app
