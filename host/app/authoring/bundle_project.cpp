#include "app/authoring/bundle_project.hpp"

#include <algorithm>
#include <kainjow/mustache.hpp>
#include <regex>
#include <set>

#include "base/file.hpp"
#include "base/yaml.hpp"

namespace gdalmcp::app {
namespace {

namespace fs = std::filesystem;
namespace json = base::json;
using base::fail;
using base::result;
namespace code = base::code;

constexpr std::string_view rendered_suffix = ".mustache";

kainjow::mustache::data variables(const project_choices& c) {
    auto id = c.name;
    std::replace(id.begin(), id.end(), '-', '_');
    kainjow::mustache::data all;
    all.set("name", c.name);
    all.set("id", id);
    all.set("c", c.c);
    all.set("cpp", !c.c);
    all.set("gdal", c.gdal);
    return all;
}

result<std::string> render(const std::string& text, const kainjow::mustache::data& values, const std::string& where) {
    kainjow::mustache::mustache m{text};
    if (!m.is_valid()) return fail(code::internal, where + ": " + m.error_message(), "reinstall gdal-mcp");
    m.set_custom_escape([](const std::string& s) { return s; });
    return m.render(values);
}

struct project_file {
    std::string path, text;
};

result<std::vector<project_file>> render_all(const fs::path& folder, const project_choices& choices) {
    const auto listed =
        base::read_file(folder / "template.yaml").and_then([](const std::string& t) { return base::parse_yaml(t); });
    if (!listed) return tl::unexpected{listed.error()};
    auto values = variables(choices);
    std::vector<project_file> files;
    for (const auto& entry : listed->at("files").as_array()) {
        if (const std::string when{base::string_member(entry, "when")}; !when.empty() && !values.get(when)->is_true())
            continue;
        const std::string from{base::string_member(entry, "from")};
        auto path = render(std::string{base::string_member(entry, "to")}, values, from);
        if (!path) return tl::unexpected{path.error()};
        auto text = base::read_file(folder / from);
        if (!text) return tl::unexpected{text.error()};
        if (from.size() > rendered_suffix.size() && fs::path{from}.extension() == rendered_suffix)
            text = render(*text, values, from);
        if (!text) return tl::unexpected{text.error()};
        files.push_back({std::move(*path), std::move(*text)});
    }
    return files;
}

}  // namespace

result<std::vector<std::string>> write_project(const fs::path& template_folder, const project_choices& choices,
                                               const fs::path& target) {
    static const std::regex allowed{"[a-z][a-z0-9-]{0,39}"};
    if (!std::regex_match(choices.name, allowed))
        return fail(code::invalid_argument, "'" + choices.name + "' is not a valid bundle name",
                    "use 1 to 40 lower-case letters, digits and '-', a letter first");
    // https://cmake.org/cmake/help/latest/policy/CMP0037.html
    static const std::set<std::string> targets_of_cmake{"all", "clean", "help", "install", "package", "test"};
    if (targets_of_cmake.count(choices.name))
        return fail(code::invalid_argument, "'" + choices.name + "' is the name of a target of CMake's own",
                    "choose another name");
    const auto files = render_all(template_folder, choices);
    if (!files) return tl::unexpected{files.error()};
    std::error_code ec;
    if (!fs::create_directory(target, ec))
        return ec ? fail(code::io, "cannot make " + target.string() + ": " + ec.message())
                  : fail(code::exists, target.string() + " already exists", "choose another name, or move it away");
    std::vector<std::string> written;
    for (const auto& f : *files) {
        fs::create_directories((target / f.path).parent_path(), ec);
        if (auto ok = base::write_file_atomically(target / f.path, f.text); !ok) {
            fs::remove_all(target, ec);
            return tl::unexpected{ok.error()};
        }
        written.push_back(f.path);
    }
    return written;
}

}  // namespace gdalmcp::app
