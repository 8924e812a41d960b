#include "reflection/specs.hpp"

#include <algorithm>

#include "base/file.hpp"
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
        if (it->path().extension() == extension && it->path().filename() != "README.md" && it->is_regular_file(ec))
            files.push_back(it->path());
    if (ec) return fail(code::io, "cannot list " + folder.string() + ": " + ec.message());
    std::sort(files.begin(), files.end());
    return files;
}

// What `extends` may say: its own tools, and conditions about them.
result<void> extend(spec& base_spec, spec_text::extension more, const std::string& where) {
    for (const auto& c : more.not_needed_when)
        if (!more.tools.count(c.tool))
            return fail(code::invalid_argument,
                        where + ": a condition of an extension must name, as `tool`, a tool of the same file");
    for (auto& [tool, key] : more.tools) {
        for (const auto& [argument, sources] : key)
            if (!base_spec.find_key(argument))
                return fail(code::invalid_argument, where + ": /tools/" + tool + " maps '" + argument +
                                                        "', which is no key argument of " + base_spec.domain);
        if (auto ok = spec_text::check_mapping(base_spec, tool, key); !ok)
            return fail(code::invalid_argument, where + ": " + ok.error().message, ok.error().hint);
        if (!base_spec.tools.emplace(tool, std::move(key)).second)
            return fail(code::invalid_argument,
                        where + ": domain " + base_spec.domain + " governs '" + tool + "' already");
    }
    for (const auto& c : more.not_needed_when)
        if (auto ok = spec_text::check_condition(base_spec, c); !ok)
            return fail(code::invalid_argument, where + ": " + ok.error().message);
    for (auto& c : more.not_needed_when) base_spec.not_needed_when.push_back(std::move(c));
    return {};
}

}  // namespace

const key_argument* spec::find_key(std::string_view name) const {
    const auto found = std::find_if(key.begin(), key.end(), [&](const key_argument& k) { return k.name == name; });
    return found == key.end() ? nullptr : &*found;
}

std::optional<confidence> confidence_of(std::string_view word) {
    if (word == "low") return confidence::low;
    if (word == "medium") return confidence::medium;
    if (word == "medium-high") return confidence::medium_high;
    if (word == "high") return confidence::high;
    return std::nullopt;
}

result<spec_source> folder_source(std::string name, const fs::path& specs, const fs::path& prompts) {
    auto spec_files = files_in(specs, ".yaml");
    if (!spec_files) return tl::unexpected{spec_files.error()};
    auto prompt_files = files_in(prompts, ".md");
    if (!prompt_files) return tl::unexpected{prompt_files.error()};
    return spec_source{std::move(name), std::move(*spec_files), std::move(*prompt_files)};
}

result<std::shared_ptr<const specs>> specs::load(const std::vector<spec_source>& sources) {
    auto loaded = std::make_shared<specs>();
    for (const auto& from : sources)
        for (const auto& file : from.prompts) {
            auto p = read_prompt(file);
            if (!p) return fail(code::invalid_argument, from.name + ": " + p.error().message, p.error().hint);
            const auto name = p->name;
            if (!loaded->prompts_.emplace(name, std::move(*p)).second)
                return fail(code::invalid_argument,
                            from.name + ": " + file.string() + ": there is a prompt '" + name + "' already");
        }
    for (const auto& from : sources)
        for (const auto& file : from.specs) {
            const auto where = from.name + ": " + file.string();
            const auto bytes = base::read_file(file, 1 << 20);
            if (!bytes) return tl::unexpected{bytes.error()};
            const auto text = base::parse_yaml(*bytes);
            if (!text) return fail(code::invalid_argument, where + ", " + text.error().message);
            if (const auto extended = base::string_member(*text, "extends"); !extended.empty()) {
                auto more = spec_text::parse_extension(*text);
                if (!more) return fail(code::invalid_argument, where + ": " + more.error().message, more.error().hint);
                const auto known = std::find_if(loaded->specs_.begin(), loaded->specs_.end(),
                                                [&](const spec& s) { return s.domain == extended; });
                if (known == loaded->specs_.end())
                    return fail(code::invalid_argument,
                                where + ": extends '" + std::string{extended} + "', a domain nobody defines before it");
                if (auto ok = extend(*known, std::move(*more), where); !ok) return tl::unexpected{ok.error()};
                continue;
            }
            auto s = spec_text::parse(*text);
            if (!s) return fail(code::invalid_argument, where + ": " + s.error().message, s.error().hint);
            if (loaded->find(s->domain))
                return fail(code::invalid_argument, where + ": there is a domain '" + s->domain + "' already");
            const auto asked = loaded->prompts_.find(base::string_member(*text, "prompt"));
            if (asked == loaded->prompts_.end())
                return fail(code::invalid_argument, where + ": /prompt is '" +
                                                        std::string{base::string_member(*text, "prompt")} +
                                                        "', and there is no such prompt");
            s->question_prompt = asked->second;
            s->source = from.name;
            loaded->specs_.push_back(std::move(*s));
        }
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

std::vector<std::string> specs::domains_of(std::string_view tool) const {
    std::vector<std::string> out;
    for (const auto* s : of_tool(tool)) out.push_back(s->domain);
    return out;
}

result<std::string> specs::render_prompt(std::string_view name, const json::object& arguments,
                                         const crs_lookup& crs) const {
    const auto found = prompts_.find(name);
    if (found == prompts_.end()) return fail(code::not_found, "there is no prompt '" + std::string{name} + "'");
    for (const auto& a : found->second.arguments)
        if (a.required && is_absent(arguments.if_contains(a.name)))
            return fail(code::invalid_argument, "the prompt '" + std::string{name} + "' needs '" + a.name + "'",
                        a.description, "/" + a.name);
    const auto asked =
        std::find_if(specs_.begin(), specs_.end(), [&](const spec& s) { return s.question_prompt.name == name; });
    if (asked == specs_.end()) return found->second.render(arguments);
    const auto key = key_of_prompt_args(*asked, arguments, crs);
    return found->second.render(key ? question_values(*asked, *key) : arguments);
}

}  // namespace gdalmcp::reflection
