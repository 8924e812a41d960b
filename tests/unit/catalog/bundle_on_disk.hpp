// A bundle written into a temporary folder, sound unless a test spoils it.
#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "base/json.hpp"

// A folder that is removed with the object.
class temporary {
public:
    temporary();
    ~temporary();
    temporary(const temporary&) = delete;
    const std::filesystem::path path;
};

void write_text(const std::filesystem::path& file, const std::string& text);  // makes the folders on the way

// {"name", "description", "input_schema" with a described string "uri", "output_schema" with a described number}
boost::json::object sound_tool(const std::string& name);

// Writes `<parent>/<name>.bundle` with lib/x.so, prompts/p.md, reflection/r.yaml and one tool called `tool_name`; the
// id is org.test.<name>. `spoil` changes the manifest before it is written.
std::filesystem::path write_bundle(const std::filesystem::path& parent, const std::string& name,
                                   const std::string& tool_name,
                                   const std::function<void(boost::json::object&)>& spoil = {});
