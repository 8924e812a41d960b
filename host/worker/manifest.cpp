#include "worker/manifest.hpp"

#include <algorithm>
#include <regex>

#include "base/digest.hpp"
#include "base/elf.hpp"
#include "base/file.hpp"
#include "base/near_names.hpp"
#include "base/pointer.hpp"
#include "base/repeated_member.hpp"
#include "base/schema.hpp"
#include "base/schema_lint.hpp"
#include "base/yaml.hpp"
#include "worker/plugin.hpp"

namespace gdalmcp::worker {

namespace fs = std::filesystem;
namespace json = base::json;
using base::fail;
using base::result;
namespace code = base::code;

namespace {

std::vector<std::string> files_in(const fs::path& bundle, const char* folder, const char* extension) {
    std::vector<std::string> names;
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(bundle / folder, ec))
        if (entry.is_regular_file() && entry.path().extension() == extension)
            names.push_back(std::string{folder} + "/" + entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

// Libraries carried by the bundle: lib/libgdal.so.36 and the like.
std::vector<std::string> carried_by(const fs::path& bundle) {
    std::vector<std::string> names;
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(bundle / "lib", ec))
        if (const auto name = entry.path().filename().string();
            entry.is_regular_file() && name.find(".so.") != std::string::npos)
            names.push_back("lib/" + name);
    std::sort(names.begin(), names.end());
    return names;
}

// Images and similar files named by the prompts' messages.
std::vector<std::string> prompt_files_in(const fs::path& bundle) {
    std::vector<std::string> names;
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(bundle / "prompts", ec))
        if (entry.is_regular_file() && entry.path().extension() != ".md")
            names.push_back("prompts/" + entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

constexpr const char* resource_list = "resources/resources.yaml";

// The list for the manifest: the author's entry for each file. The host validates the members.
result<json::array> resources_of(const fs::path& bundle) {
    std::error_code ec;
    if (fs::exists(bundle / "resources.yaml", ec))
        return fail(code::invalid_argument,
                    bundle.string() + " holds resources.yaml, which is read from resources/ only",
                    "move it to " + (bundle / resource_list).string() + ", beside the files it lists");
    if (!fs::is_directory(bundle / "resources", ec)) return json::array{};
    const auto text = base::read_file(bundle / resource_list, 1u << 20);
    if (!text)
        return fail(
            code::not_found, text.error().message,
            "list the files in resources/ there, each as {uri or uri_template, name, description, mime_type, file}");
    auto document = base::parse_yaml_document(*text);
    if (!document) return fail(code::invalid_argument, std::string{resource_list} + ", " + document.error().message);
    const auto wrong = [&](const std::string& at, const std::string& why) {
        return fail(code::invalid_argument,
                    std::string{resource_list} + ", line " + std::to_string(document->lines.at(at)) + ": " + why,
                    "write a list of {uri or uri_template, name, description, mime_type, file}");
    };
    auto* listed = document->value.if_array();
    if (!listed) return wrong("", "this is not a list");
    for (std::size_t i = 0; i < listed->size(); ++i) {
        static const std::vector<std::string> known{"uri",         "uri_template", "name", "title",
                                                    "description", "mime_type",    "file"};
        const auto* members = (*listed)[i].if_object();
        for (const auto& m : members ? *members : json::object{})
            if (std::find(known.begin(), known.end(), m.key()) == known.end()) {
                const auto near = base::nearest(known, std::string{m.key()});
                return wrong("/" + std::to_string(i) + "/" + base::escape_token(m.key()),
                             "an entry has no member '" + std::string{m.key()} + "'" +
                                 (near.empty() ? "" : "; did you mean " + base::joined(near) + "?"));
            }
        const auto file = std::string{base::string_member((*listed)[i], "file")};
        if (file.empty()) return wrong("/" + std::to_string(i), "the entry names no file");
        if (!fs::is_regular_file(bundle / "resources" / file, ec))
            return wrong("/" + std::to_string(i) + "/file", "there is no file resources/" + file);
        (*listed)[i].as_object()["file"] = "resources/" + file;
    }
    return std::move(*listed);
}

// icon.svg or icon.png; empty: none.
std::string icon_in(const fs::path& bundle) {
    std::error_code ec;
    for (const char* name : {"icon.svg", "icon.png"})
        if (fs::is_regular_file(bundle / name, ec)) return name;
    return {};
}

// `value` under the keywords of `node`, which is one property's schema.
result<void> fits(const json::value& node, const json::value& value) {
    const json::value wrapped(json::object{{"type", "object"}, {"properties", json::object{{"value", node}}}});
    auto compiled = base::schema::compile(wrapped);
    if (!compiled) return tl::unexpected{compiled.error()};
    return compiled->check(json::object{{"value", value}});
}

// Defects a compiler cannot detect: a choice without values, a default or example that violates its own schema.
result<void> check_declared(const json::value& node, const std::string& name) {
    const auto* values = base::find_member(node, "enum");
    if (values && values->is_array() && values->get_array().empty())
        return fail(code::invalid_argument, "the choice '" + name + "' has no values", "list them in .values");
    const auto check = [&](const char* what, const json::value& value) -> result<void> {
        auto ok = fits(node, value);
        if (ok) return ok;
        return fail(code::invalid_argument, std::string{what} + " of '" + name + "': " + ok.error().message,
                    "correct the " + std::string{what} + " or the range");
    };
    if (const auto* fallback = base::find_member(node, "default"))
        if (auto ok = check("default", *fallback); !ok) return ok;
    if (const auto* examples = base::find_member(node, "examples"); examples && examples->is_array())
        for (const auto& e : examples->get_array())
            if (auto ok = check("example", e); !ok) return ok;
    if (const auto* properties = base::find_member(node, "properties"); properties && properties->is_object())
        for (const auto& p : properties->get_object())
            if (auto ok = check_declared(p.value(), name + "/" + std::string{p.key()}); !ok) return ok;
    if (const auto* items = base::find_member(node, "items")) return check_declared(*items, name + "/0");
    return {};
}

result<json::value> schema_of(const char* text, const char* tool, const char* which) {
    auto parsed = base::parse_json(text);
    if (!parsed)
        return fail(code::invalid_argument, std::string{tool} + ": " + which + " is " + parsed.error().message);
    if (const auto repeated = base::repeated_member(text))
        return fail(code::invalid_argument, std::string{tool} + ": " + which + ": '" + *repeated + "' is given twice",
                    "declare each argument, result member and synonym once");
    if (const auto found = base::lint_schema(*parsed); !found.empty())
        return fail(code::invalid_argument, std::string{tool} + ": " + which + ": " + found.front().message,
                    found.front().hint);
    if (auto ok = check_declared(*parsed, ""); !ok)
        return fail(code::invalid_argument, std::string{tool} + ": " + which + ": " + ok.error().message,
                    ok.error().hint);
    return parsed;
}

result<json::object> describe_tool(const gdalmcp_tool& t) {
    json::object o{{"name", t.name}, {"title", t.title ? t.title : t.name}, {"description", t.description}};
    auto input = schema_of(t.input_schema, t.name, "input schema");
    if (!input) return tl::unexpected{input.error()};
    o["input_schema"] = std::move(*input);
    if (t.output_schema) {
        auto output = schema_of(t.output_schema, t.name, "output schema");
        if (!output) return tl::unexpected{output.error()};
        o["output_schema"] = std::move(*output);
    }
    o["annotations"] = json::object{{"readOnlyHint", (t.behaviour & GDALMCP_READ_ONLY) != 0},
                                    {"destructiveHint", (t.behaviour & GDALMCP_DESTRUCTIVE) != 0},
                                    {"idempotentHint", (t.behaviour & GDALMCP_IDEMPOTENT) != 0},
                                    {"openWorldHint", (t.behaviour & GDALMCP_OPEN_WORLD) != 0}};
    if (t.behaviour & GDALMCP_TASK_ONLY) o["annotations"].as_object()["taskOnly"] = true;
    return o;
}

// The SHA-256 of each file, under its name.
result<void> hash(json::object& files, const fs::path& bundle, const std::vector<std::string>& names) {
    for (const auto& name : names) {
        auto hex = base::sha256_hex_of_file(bundle / name);
        if (!hex) return tl::unexpected{hex.error()};
        files[name] = "sha256:" + *hex;
    }
    return {};
}

}  // namespace

result<json::object> describe_library(const plugin& library) {
    const auto& p = library.table();
    json::array tools;
    for (uint32_t i = 0; i < p.tool_count; ++i) {
        auto t = describe_tool(*p.tools[i]);
        if (!t) return tl::unexpected{t.error()};
        tools.push_back(std::move(*t));
    }
    return json::object{{"schema_version", 1},
                        {"id", p.id},
                        {"version", p.version},
                        {"license", p.license},
                        {"abi", json::object{{"major", p.abi_major}, {"minor", p.abi_minor}}},
                        {"tools", std::move(tools)}};
}

// Optional parts of a bundle beside tools, questions and pages: listed only where present.
static result<void> describe_extras(json::object& m, json::object& files, const fs::path& bundle) {
    if (const auto names = prompt_files_in(bundle); !names.empty()) {
        if (auto ok = hash(files, bundle, names); !ok) return ok;
        m["prompt_files"] = json::array(names.begin(), names.end());
    }
    auto resources = resources_of(bundle);
    if (!resources) return tl::unexpected{resources.error()};
    for (const auto& r : *resources)
        if (auto ok = hash(files, bundle, {std::string{r.at("file").get_string()}}); !ok) return ok;
    std::error_code ec;
    if (fs::exists(bundle / resource_list, ec))
        if (auto ok = hash(files, bundle, {resource_list}); !ok) return ok;
    if (!resources->empty()) m["resources"] = std::move(*resources);
    if (const auto icon = icon_in(bundle); !icon.empty()) {
        if (auto ok = hash(files, bundle, {icon}); !ok) return ok;
        m["icon"] = icon;
    }
    return {};
}

// The worker that can load the library, by its linked libgdal: the worker with the same one, or the worker without.
static result<json::object> needs_of(const fs::path& bundle, const std::string& library) {
    const auto needed = base::needed_libraries(bundle / library);
    if (!needed) return tl::unexpected{needed.error()};
    const auto libgdal = base::libgdal_among(*needed);
    std::error_code ec;
    if (libgdal.empty() || fs::exists((bundle / library).parent_path() / libgdal, ec))
        return json::object{{"runtime", "plain"}};
    return json::object{{"runtime", "gdal"}, {"libgdal", libgdal}};
}

// Operators type it in a shell, in a comma-separated list.
static result<void> check_toolset(const std::string& name, const std::string& purpose) {
    static const std::regex form{"[a-z][a-z0-9-]{0,63}"};
    constexpr std::size_t max_purpose = 120;
    if (purpose.size() > max_purpose || purpose.find_first_of("\n\t") != std::string::npos)
        return fail(code::invalid_argument, "the purpose of the toolset is not one line of at most 120 bytes",
                    "describe the use of its tools in a few words");
    if (name.empty() || std::regex_match(name, form)) return {};
    return fail(code::invalid_argument, "the toolset '" + name + "' is not of the form [a-z][a-z0-9-]{0,63}",
                "use lower-case letters, digits and '-'");
}

result<void> carry(const fs::path& bundle, const fs::path& library) {
    const auto name = base::soname_of(library);
    if (!name) return tl::unexpected{name.error()};
    if (name->find(".so.") == std::string::npos || name->find('/') != std::string::npos)
        return fail(
            code::invalid_argument,
            library.string() + " has the SONAME '" + *name + "'; a carried library needs one like libproj.so.25",
            "link it with -Wl,-soname,NAME.so.VERSION");
    const auto place = bundle / "lib" / *name;
    std::error_code ec;
    fs::create_directories(place.parent_path(), ec);
    fs::copy_file(library, place, fs::copy_options::overwrite_existing, ec);
    if (!ec) fs::permissions(place, fs::perms::group_write | fs::perms::others_write, fs::perm_options::remove, ec);
    if (ec) return fail(code::io, "cannot copy " + library.string() + " to " + place.string() + ": " + ec.message());
    return {};
}

result<json::object> describe_bundle(const fs::path& bundle, const bundle_options& options) {
    if (auto ok = check_toolset(options.toolset, options.purpose); !ok) return tl::unexpected{ok.error()};
    const auto libraries = files_in(bundle, "lib", ".so");
    if (libraries.size() > 1)
        return fail(code::invalid_argument, bundle.string() + "/lib holds " + std::to_string(libraries.size()) +
                                                " libraries; a bundle has one");
    json::object m{{"schema_version", 1}}, needs{{"runtime", "plain"}};
    if (libraries.empty()) {
        if (!options.identity)
            return fail(code::invalid_argument, bundle.string() + " holds no library with its own identity",
                        "give --id, --version and --license for a bundle of prompts, specs and resources; a library is "
                        "looked for as lib/NAME.so");
        m["id"] = options.identity->id;
        m["version"] = options.identity->version;
        m["license"] = options.identity->license;
        m["tools"] = json::array{};
    } else {
        if (options.identity)
            return fail(code::invalid_argument,
                        "--id is " + options.identity->id + ", but " + libraries.front() + " has its own",
                        "leave out --id, --version and --license");
        const auto loaded = plugin::load(fs::absolute(bundle / libraries.front()).string());
        if (!loaded) return tl::unexpected{loaded.error()};
        auto described = describe_library(*loaded);
        if (!described) return described;
        m = std::move(*described);
        m["library"] = libraries.front();
        auto linked = needs_of(bundle, libraries.front());
        if (!linked) return linked;
        needs = std::move(*linked);
    }
    needs["network"] = options.network;
    m["needs"] = std::move(needs);
    if (!options.toolset.empty())
        m["toolset"] = json::object{{"name", options.toolset}, {"default", options.on_by_default}};
    if (!options.purpose.empty()) m["toolset"].as_object()["purpose"] = options.purpose;
    json::object files;
    auto all = libraries;
    const auto carried = carried_by(bundle);
    all.insert(all.end(), carried.begin(), carried.end());
    if (auto ok = hash(files, bundle, all); !ok) return tl::unexpected{ok.error()};
    for (const auto& [folder, extension] :
         {std::pair{"prompts", ".md"}, std::pair{"reflection", ".yaml"}, std::pair{"methodology", ".md"}}) {
        const auto names = files_in(bundle, folder, extension);
        if (auto ok = hash(files, bundle, names); !ok) return tl::unexpected{ok.error()};
        m[folder] = json::array(names.begin(), names.end());
    }
    if (auto ok = describe_extras(m, files, bundle); !ok) return tl::unexpected{ok.error()};
    if (files.empty())
        return fail(code::not_found, "there is no library, prompt, spec or resource in " + bundle.string(),
                    "put them into lib/ (NAME.so), prompts/ (*.md), reflection/ (*.yaml), methodology/ (*.md) and "
                    "resources/ (with resources.yaml)");
    m["files"] = std::move(files);
    return m;
}

}  // namespace gdalmcp::worker
