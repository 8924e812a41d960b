#include "bundle_on_disk.hpp"

#include <stdlib.h>

#include <fstream>

#include "base/digest.hpp"
#include "base/file.hpp"

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace gdalmcp::base;

namespace {
fs::path make_temporary() {
    std::string name = (fs::temp_directory_path() / "catalog-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error{"mkdtemp " + name};
    return name;
}
}  // namespace

temporary::temporary() : path{make_temporary()} {}
temporary::~temporary() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
}

void write_text(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream{file, std::ios::binary} << text;
    fs::permissions(file.parent_path(), fs::perms{0755});
    fs::permissions(file, fs::perms{0644});
}

json::object sound_tool(const std::string& name) {
    return {{"name", name},
            {"description", "Answers."},
            {"input_schema",
             {{"type", "object"},
              {"properties", {{"uri", {{"type", "string"}, {"description", "A file"}, {"x-gdalmcp", "input-raster"}}}}},
              {"required", {"uri"}},
              {"additionalProperties", false}}},
            {"output_schema",
             {{"type", "object"}, {"properties", {{"mean", {{"type", "number"}, {"description", "Mean, metres"}}}}}}},
            {"annotations", {{"readOnlyHint", true}}}};
}

fs::path write_bundle(const fs::path& parent, const std::string& name, const std::string& tool_name,
                      const std::function<void(json::object&)>& spoil) {
    const auto folder = parent / (name + ".bundle");
    json::object files;
    for (const char* file : {"lib/x.so", "prompts/p.md", "reflection/r.yaml"}) {
        const std::string text = std::string{"content of "} + file;
        write_text(folder / file, text);
        files.emplace(file, "sha256:" + sha256_hex(text));
    }
    json::object manifest{{"schema_version", 1},
                          {"id", "org.test." + name},
                          {"version", "1.0.0"},
                          {"license", "MIT"},
                          {"abi", {{"major", 1}, {"minor", 0}}},
                          {"library", "lib/x.so"},
                          {"tools", json::array{sound_tool(tool_name)}},
                          {"needs", {{"runtime", "plain"}, {"network", false}}},
                          {"prompts", json::array{"prompts/p.md"}},
                          {"reflection", json::array{"reflection/r.yaml"}},
                          {"files", files}};
    if (spoil) spoil(manifest);
    write_text(folder / "manifest.json", write_json(manifest));
    fs::permissions(folder, fs::perms{0755});
    return folder;
}
