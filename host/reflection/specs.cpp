#include "reflection/specs.hpp"

#include <algorithm>

#include "base/file.hpp"
#include "base/hidden_characters.hpp"
#include "base/near_names.hpp"
#include "base/yaml.hpp"
#include "reflection/key.hpp"
#include "reflection/spec_text.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;
namespace fs = std::filesystem;

result<std::vector<fs::path>> files_in(const fs::path& folder, const char* extension) {
    std::vector<fs::path> files;
    std::error_code ec;
    for (fs::directory_iterator it{folder, ec}, end; !ec && it != end; it.increment(ec))
        if (it->path().extension() == extension && it->is_regular_file(ec)) files.push_back(it->path());
    if (ec) return fail(code::io, "cannot list " + folder.string() + ": " + ec.message());
    std::sort(files.begin(), files.end());
    return files;
}

// The content of `extends`: the contributor's tools, and conditions and evidence about them.
result<void> extend(spec& base_spec, spec_text::extension more, const std::string& by) {
    const auto own = [&](const std::string& tool) { return more.tools.count(tool) > 0; };
    for (const auto& c : more.not_needed_when)
        if (!own(c.tool))
            return fail(code::invalid_argument,
                        "/not_needed_when: a condition of an extension must name, as `tool`, a tool of the same file");
    for (const auto& e : more.evidence)
        if (e.only.empty() || !std::all_of(e.only.begin(), e.only.end(), own))
            return fail(code::invalid_argument,
                        "/evidence: evidence of an extension must name, as `for`, tools of the same file");
    for (auto& [tool, key] : more.tools) {
        for (const auto& [argument, sources] : key)
            if (!base_spec.find_key(argument))
                return fail(code::invalid_argument, "/tools/" + tool + " maps '" + argument +
                                                        "', which is not a key argument of " + base_spec.domain);
        if (auto ok = spec_text::check_mapping(base_spec, tool, key); !ok) return ok;
    }
    for (const auto& c : more.not_needed_when)
        if (auto ok = spec_text::check_condition(base_spec, c, "/not_needed_when"); !ok) return ok;
    for (const auto& e : more.evidence)
        if (auto ok = spec_text::check_evidence(base_spec, e); !ok) return ok;
    for (const auto& [tool, form] : more.judged_as) {
        if (!own(tool))
            return fail(code::invalid_argument, "/judged_as/" + tool + " is not a tool of the same file",
                        "map it under `tools`");
        if (!base_spec.tools.count(form.tool) || base_spec.judged_as.count(form.tool))
            return fail(code::invalid_argument,
                        "/judged_as/" + tool + " names '" + form.tool + "', to which no rules of " + base_spec.domain +
                            " apply",
                        "name a tool that the domain itself governs");
    }
    for (auto& [tool, key] : more.tools) {
        if (!base_spec.tools.emplace(tool, std::move(key)).second)
            return fail(code::invalid_argument,
                        "/tools/" + tool + ": domain " + base_spec.domain + " governs '" + tool + "' already",
                        "leave the tool out of this file");
        base_spec.mapped_by[tool] = by;
    }
    for (auto& c : more.not_needed_when) base_spec.not_needed_when.push_back(std::move(c));
    for (auto& e : more.evidence) base_spec.evidence.push_back(std::move(e));
    base_spec.judged_as.merge(more.judged_as);
    return {};
}

struct defect {
    base::problem what;
    std::size_t line;  // 0: unknown
};

// Of the value at a pointer, or of the nearest one that holds it.
std::size_t line_at(const base::yaml_document& document, std::string at) {
    while (!at.empty() && !document.lines.count(at)) at.erase(at.rfind('/'));
    return document.lines.at(at);
}

// The field that a message begins with, or quotes first.
std::string place_of(const base::problem& p) {
    const auto slash = p.message.find('/');
    const bool names_field = slash == 0 || (slash == 1 && p.message.front() == '\'');
    return names_field ? p.message.substr(slash, p.message.find_first_of(" ':,", slash) - slash) : p.at;
}

// Every unknown and every missing member, and before them what stopped the reading, if that is something else.
std::vector<defect> defects_of(const source_file& file, const base::problem& stopped_by) {
    const auto document = base::parse_yaml_document(file.text);
    if (!document) return {{stopped_by, 0}};  // the parser gives the line
    std::vector<defect> all;
    for (auto& p : spec_text::member_defects(document->value)) {
        const auto line = line_at(*document, p.at);
        all.push_back({std::move(p), line});
    }
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const defect& d) { return d.what.message == stopped_by.message; });
    if (same == all.end())
        all.insert(all.begin(), {stopped_by, line_at(*document, place_of(stopped_by))});
    else if (same->what.hint.empty())
        same->what.hint = stopped_by.hint;
    return all;
}

base::problem located(const spec_source& from, const source_file& file, const defect& d) {
    const auto line = d.line ? ", line " + std::to_string(d.line) + ": " : ", ";
    return {d.what.code, from.name + ": " + file.path.string() + line + d.what.message, d.what.hint, ""};
}

// As a spec refers to it, also if the rest of the file cannot be read.
std::string name_of_prompt(const source_file& file) {
    constexpr std::string_view field = "\nname:";
    const auto at = file.text.find(field);
    if (at == std::string::npos) return file.path.stem().string();
    const auto from = at + field.size();
    return normal_text(std::string_view{file.text}.substr(from, file.text.find('\n', from) - from));
}

base::problem no_such_prompt(std::string_view name) {
    return {code::invalid_argument, "/prompt is '" + std::string{name} + "', and there is no such prompt",
            "name a prompt of the bundle's own prompts/ by the `name` in its front matter", ""};
}

// Domains before what extends them, whatever the files are called; otherwise in the order given.
std::vector<const source_file*> domains_first(const std::vector<source_file>& files) {
    std::vector<const source_file*> ordered;
    for (const auto& f : files) ordered.push_back(&f);
    std::stable_partition(ordered.begin(), ordered.end(), [](const source_file* f) {
        return !f->text.starts_with("extends:") && f->text.find("\nextends:") == std::string::npos;
    });
    return ordered;
}

// The first defects of a file as one problem.
result<void> summary_of(const spec_source& from, const source_file& file, const std::vector<defect>& all) {
    constexpr std::size_t most = 4;
    auto whole = located(from, file, all.front());
    for (std::size_t i = 1; i < std::min(most, all.size()); ++i)
        whole.message += "; line " + std::to_string(all[i].line) + ": " + all[i].what.message;
    if (all.size() > most) whole.message += "; and " + std::to_string(all.size() - most) + " more";
    return tl::unexpected{std::move(whole)};
}

}  // namespace

const key_argument* spec::find_key(std::string_view name) const {
    const auto found = std::find_if(key.begin(), key.end(), [&](const key_argument& k) { return k.name == name; });
    return found == key.end() ? nullptr : &*found;
}

result<spec_source> folder_source(std::string name, const fs::path& specs, const prompt_folder& prompts) {
    spec_source source{std::move(name), {}, prompts.prompts, prompts.methodology};
    const auto files = files_in(specs, ".yaml");
    if (!files) return tl::unexpected{files.error()};
    for (const auto& file : *files) {
        auto text = base::read_file(file, 1 << 20);
        if (!text) return tl::unexpected{text.error()};
        source.specs.push_back({file, std::move(*text)});
    }
    return source;
}

result<spec_source> folder_source(std::string name, const fs::path& specs, const fs::path& prompts) {
    const auto folder = read_prompt_folder(prompts);
    if (!folder) return tl::unexpected{folder.error()};
    return folder_source(std::move(name), specs, *folder);
}

result<void> specs::add(const spec_source& from) {
    const auto known_specs = specs_.size();
    std::vector<std::string> new_prompts;
    earlier extended;
    auto done = [&]() -> result<void> {
        for (const auto& file : from.prompts) {
            auto name = add_prompt(from, file);
            if (!name) return tl::unexpected{name.error()};
            new_prompts.push_back(std::move(*name));
        }
        for (const auto* file : domains_first(from.specs))
            if (auto ok = add_spec(from, *file, extended); !ok) return ok;
        return {};
    }();
    if (done) return done;
    restore(extended);
    specs_.erase(specs_.begin() + static_cast<std::ptrdiff_t>(known_specs), specs_.end());
    for (const auto& name : new_prompts) prompts_.erase(name);
    return done;
}

result<std::string> specs::add_prompt(const spec_source& from, const source_file& file) {
    const prompt_files beside = [&](std::string_view name) -> const std::string* {
        for (const auto& other : from.prompt_files)
            if (other.path.filename() == name) return &other.text;
        return nullptr;
    };
    auto p = parse_prompt(file.text, file.path.string(), beside);
    if (!p) return fail(code::invalid_argument, from.name + ": " + p.error().message, p.error().hint);
    auto name = p->name;
    if (!prompts_.emplace(name, std::move(*p)).second)
        return fail(code::invalid_argument,
                    from.name + ": " + file.path.string() + ": there is a prompt '" + name + "' already",
                    "give it another name");
    return name;
}

result<void> specs::check_alone(const spec_source& from) {
    specs alone;
    for (const auto& file : from.prompts)
        if (auto ok = alone.add_prompt(from, file); !ok) return tl::unexpected{ok.error()};
    for (const auto& file : from.specs) {
        const auto read = base::parse_yaml(file.text).and_then([](const json::value& text) -> result<void> {
            const bool extends = !base::string_member(text, "extends").empty();
            if (!extends) return spec_text::parse(text).map([](const spec&) {});
            return spec_text::parse_extension(text).map([](const spec_text::extension&) {});
        });
        if (!read) return summary_of(from, file, defects_of(file, read.error()));
    }
    return {};
}

void specs::restore(earlier& extended) {
    for (auto it = extended.rbegin(); it != extended.rend(); ++it) specs_[it->first] = std::move(it->second);
}

std::vector<base::problem> specs::add_what_fits(const spec_source& from) {
    std::vector<base::problem> defects;
    std::set<std::string> consequences;  // of defects that are reported already
    for (const auto& file : from.prompts)
        if (const auto name = add_prompt(from, file); !name) {
            defects.push_back(name.error());
            consequences.insert(no_such_prompt(name_of_prompt(file)).message);
        }
    for (const auto* file : domains_first(from.specs)) {
        earlier extended;
        const auto ok = read_spec(from, *file, extended);
        if (ok) continue;
        restore(extended);
        for (const auto& d : defects_of(*file, ok.error()))
            if (!consequences.count(d.what.message)) defects.push_back(located(from, *file, d));
    }
    return defects;
}

result<void> specs::add_spec(const spec_source& from, const source_file& file, earlier& extended_before) {
    auto ok = read_spec(from, file, extended_before);
    return ok ? ok : summary_of(from, file, defects_of(file, ok.error()));
}

// Messages begin with the field concerned.
result<void> specs::read_spec(const spec_source& from, const source_file& file, earlier& extended_before) {
    const auto text = base::parse_yaml(file.text);
    if (!text) return tl::unexpected{text.error()};
    if (const auto extended = base::string_member(*text, "extends"); !extended.empty()) {
        auto more = spec_text::parse_extension(*text);
        if (!more) return tl::unexpected{more.error()};
        const auto known =
            std::find_if(specs_.begin(), specs_.end(), [&](const spec& s) { return s.domain == extended; });
        if (known == specs_.end())
            return fail(code::invalid_argument,
                        "/extends is '" + std::string{extended} + "', a domain not defined before it",
                        "correct the name, or install the bundle that defines it");
        for (const auto& t : more->tools)
            if (from.own_tools && !from.own_tools->count(t.first))
                return fail(code::policy,
                            "/tools/" + t.first + " is not a tool of " + from.name + "; it may not define how " +
                                std::string{extended} + " treats it",
                            "give the tool a domain of your own instead");
        extended_before.emplace_back(known - specs_.begin(), *known);
        return extend(*known, std::move(*more), from.name);
    }
    auto s = spec_text::parse(*text);
    if (!s) return tl::unexpected{s.error()};
    for (const auto& t : s->tools)
        if (from.may_govern && !from.may_govern(t.first) && !(from.own_tools && from.own_tools->count(t.first)))
            return fail(
                code::policy,
                "/tools/" + t.first + ": the operator's policy does not let " + from.name + " govern '" + t.first + "'",
                "whoever runs the server can allow it under `govern` in the file of --policy");
    if (find(s->domain))
        return fail(code::invalid_argument, "/domain: there is a domain '" + s->domain + "' already",
                    "give it another name, or add to that domain with `extends`");
    const auto asked = prompts_.find(base::string_member(*text, "prompt"));
    if (asked == prompts_.end()) return tl::unexpected{no_such_prompt(base::string_member(*text, "prompt"))};
    if (const auto& p = asked->second; p.body.empty() || !p.before.empty() || !p.asks.empty())
        return fail(code::invalid_argument,
                    "/prompt is '" + p.name + "'; the question of a domain is a text without messages and ask");
    s->question_prompt = asked->second;
    if (const auto named = std::exchange(s->methodology, {}); !named.empty()) {
        const auto page = std::find_if(from.methodology.begin(), from.methodology.end(), [&](const source_file& f) {
            return f.path.filename() == fs::path{named}.filename();
        });
        if (page == from.methodology.end())
            return fail(code::invalid_argument, "/methodology is '" + named + "', and there is no such page",
                        "name a file of the bundle's methodology/");
        if (const auto ok = base::check_nothing_hidden(page->text); !ok)
            return fail(code::invalid_argument, "/methodology is '" + named + "', which in " + ok.error().message,
                        ok.error().hint);
        s->methodology = page->text;
    }
    s->source = from.name;
    specs_.push_back(std::move(*s));
    return {};
}

result<std::shared_ptr<const specs>> specs::load(const std::vector<spec_source>& sources) {
    auto loaded = std::make_shared<specs>();
    for (const auto& from : sources)
        if (auto ok = loaded->add(from); !ok) return tl::unexpected{ok.error()};
    return loaded;
}

const spec* specs::find(std::string_view domain) const {
    const auto found = std::find_if(specs_.begin(), specs_.end(), [&](const spec& s) { return s.domain == domain; });
    return found == specs_.end() ? nullptr : &*found;
}

std::vector<const spec*> specs::of_tool(std::string_view tool) const {
    std::vector<const spec*> out;
    for (const auto& s : specs_)
        if (s.tools.find(tool) != s.tools.end()) out.push_back(&s);
    return out;
}

bool specs::measures(std::string_view tool) const {
    return std::any_of(specs_.begin(), specs_.end(), [&](const spec& s) { return s.measured_by.count(tool) > 0; });
}

bool specs::compares(std::string_view tool) const {
    return std::any_of(specs_.begin(), specs_.end(), [&](const spec& s) { return s.compared_by.count(tool) > 0; });
}

std::vector<std::string> specs::domains_of(std::string_view tool) const {
    std::vector<std::string> out;
    for (const auto* s : of_tool(tool)) out.push_back(s->domain);
    return out;
}

result<json::array> specs::prompt_messages(std::string_view name, const json::object& arguments, const crs_lookup& crs,
                                           const argument_schemas& schemas) const {
    const auto found = prompts_.find(name);
    if (found == prompts_.end()) return fail(code::not_found, "there is no prompt '" + std::string{name} + "'");
    for (const auto& a : found->second.arguments)
        if (a.required && is_absent(arguments.if_contains(a.name)))
            return fail(code::invalid_argument, "the prompt '" + std::string{name} + "' needs '" + a.name + "'",
                        a.description, "/" + a.name);
    const auto asked =
        std::find_if(specs_.begin(), specs_.end(), [&](const spec& s) { return s.question_prompt.name == name; });
    for (const auto& given : arguments) {
        std::vector<std::string> known;
        for (const auto& a : found->second.arguments) known.push_back(a.name);
        if (asked != specs_.end())
            for (const auto& k : asked->key)
                if (std::find(known.begin(), known.end(), k.name) == known.end()) known.push_back(k.name);
        if (std::find(known.begin(), known.end(), given.key()) == known.end())
            return fail(code::invalid_argument,
                        "the prompt '" + std::string{name} + "' has no argument '" + std::string{given.key()} + "'",
                        known.empty() ? "it takes none" : "it takes " + base::joined(known),
                        "/" + std::string{given.key()});
    }
    if (asked == specs_.end()) return found->second.messages(arguments);
    const argument_reader reader{schemas};
    for (const auto& k : asked->key) {
        const auto* given = arguments.if_contains(k.name);
        if (is_absent(given)) continue;
        auto read = reader.read(*asked, k, *given);
        if (!read) return fail(read.error().code, read.error().message, read.error().hint, "/" + k.name);
        // Numbers and geometries may be words here.
        if (k.normal.how != form::crs) continue;
        if (const auto known = normal_form(k.normal, *read, crs); !known)
            return fail(known.error().code, known.error().message, known.error().hint, "/" + k.name);
    }
    const auto key = key_of_prompt_args(*asked, arguments, crs, reader);
    return found->second.messages(key ? question_values(*asked, *key) : arguments);
}

}  // namespace gdalmcp::reflection
