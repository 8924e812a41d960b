#include "reflection/prompt_folder.hpp"

#include <algorithm>
#include <map>

#include "base/file.hpp"
#include "base/text.hpp"
#include "reflection/prompt.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;
namespace fs = std::filesystem;

constexpr std::size_t max_file = 1u << 20;
constexpr std::size_t max_instructions = 1500;  // characters; clients cut at 2048 bytes

using files_by_name = std::map<std::string, fs::path>;

// "a.md", "methodology/b.md", "tools/c.md", "icon.svg" -> where it lies.
result<void> list(const fs::path& top, const char* below, files_by_name& into) {
    std::error_code ec;
    const auto folder = top / below;
    if (*below && !fs::exists(folder, ec)) return {};
    for (fs::directory_iterator it{folder, ec}, end; !ec && it != end; it.increment(ec)) {
        const auto name = (fs::path{below} / it->path().filename()).string();
        const bool counts = it->path().extension() == ".md" ? name != "README.md" : name == "icon.svg";
        if (counts && it->is_regular_file(ec)) into[name] = it->path();
    }
    if (ec) return fail(code::io, "cannot list " + folder.string() + ": " + ec.message());
    return {};
}

result<files_by_name> list_all(const fs::path& top) {
    files_by_name all;
    for (const char* below : {"", "methodology", "tools"})
        if (auto ok = list(top, below, all); !ok) return tl::unexpected{ok.error()};
    return all;
}

// Others cannot write in the operator's folder, but a link could lead to where they can.
result<void> stays_inside(const fs::path& top, const fs::path& file) {
    std::error_code ec;
    const auto home = fs::canonical(top, ec);
    const auto real = ec ? fs::path{} : fs::canonical(file, ec);
    if (!ec && std::mismatch(home.begin(), home.end(), real.begin(), real.end()).first == home.end()) return {};
    return fail(code::denied, file.string() + " leads out of " + top.string(), "put the file itself there");
}

}  // namespace

result<prompt_folder> read_prompt_folder(const fs::path& own, const fs::path& over) {
    auto all = list_all(own);
    if (!all) return tl::unexpected{all.error()};
    prompt_folder f;
    files_by_name replaced;
    if (!over.empty()) {
        auto listed = list_all(over);
        if (!listed) return tl::unexpected{listed.error()};
        replaced = std::move(*listed);
    }
    for (const auto& [name, path] : replaced) {
        if (auto ok = stays_inside(over, path); !ok) return tl::unexpected{ok.error()};
        if (name.starts_with("methodology/") && !all->count(name)) f.strays.push_back({path, {}});
        (*all)[name] = path;
    }
    for (const auto& [name, path] : *all) {
        auto text = base::read_file(path, max_file);
        if (!text) return tl::unexpected{text.error()};
        source_file file{path, std::move(*text)};
        if (name == "instructions.md")
            f.instructions = std::move(file);
        else if (name == "glossary.md")
            f.glossary = std::move(file);
        else if (name == "icon.svg")
            f.icon = std::move(file);
        else if (name.starts_with("methodology/"))
            f.methodology.push_back(std::move(file));
        else if (name.starts_with("tools/"))
            f.tool_notes.push_back(std::move(file));
        else
            f.prompts.push_back(std::move(file));
    }
    return f;
}

result<std::string> instructions_of(const prompt_folder& f) {
    if (!f.instructions)
        return fail(code::not_found, "there is no instructions.md among the prompts", "install gdal-mcp again");
    auto text = unwrapped(f.instructions->text);
    if (const auto n = base::count_characters(text); n == 0 || n > max_instructions)
        return fail(code::invalid_argument,
                    f.instructions->path.string() + ", line 1: the instructions have " + std::to_string(n) +
                        " characters; 1 to " + std::to_string(max_instructions) + " are allowed",
                    "put the rule first; details belong to the tools");
    return text;
}

std::string unwrapped(std::string_view markdown) {
    const auto body = normal_body(markdown);
    std::string out;
    for (std::size_t from = 0; from < body.size();) {
        const auto end = std::min(body.find('\n', from), body.size());
        auto line = body.substr(from, end - from);
        from = end + 1;
        line.erase(0, line.find_first_not_of(' '));
        const bool begins = line.empty() || line.find_first_of("-*#") == 0;
        if (!out.empty() && out.back() != '\n') out += begins ? '\n' : ' ';
        out += line;
    }
    return out;
}

}  // namespace gdalmcp::reflection
