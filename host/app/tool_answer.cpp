#include "app/tool_answer.hpp"

#include <algorithm>

#include "base/schema.hpp"

namespace gdalmcp::app {

namespace json = base::json;
using base::result;

namespace {

const base::schema& shape() {
    static const auto compiled = base::schema::compile(*base::parse_json(R"({
        "type": "object",
        "required": ["result", "lines", "warnings", "attachments", "expectations", "stages", "inputs", "times_ms",
                     "versions", "library_state"],
        "properties": {
            "lines": {"type": "array", "items": {"type": "string"}},
            "warnings": {"type": "array", "items": {"type": "string"}},
            "attachments": {"type": "array", "items": {
                "type": "object", "required": ["media_type"],
                "properties": {"media_type": {"type": "string"}, "image": {"type": "string"}, "text": {"type": "string"}},
                "anyOf": [{"required": ["image"]}, {"required": ["text"]}]}},
            "expectations": {"type": "object"},
            "stages": {"type": "array", "items": {"type": "integer", "minimum": 0}},
            "inputs": {"type": "array", "items": {
                "type": "object", "required": ["crs", "files"],
                "properties": {"crs": {"type": "string"}, "files": {"type": "array", "items": {"type": "string"}}}}},
            "times_ms": {"type": "object"},
            "versions": {"type": "object"},
            "library_state": {"type": "string", "minLength": 1}
        }})"));
    return *compiled;
}

tl::unexpected<base::problem> broken(const std::string& why) {
    return base::fail(base::code::crashed, "the tool's process sent a broken answer: " + why,
                      "this is a defect of the tool; report it to its author");
}

bool lies_in(const std::filesystem::path& file, const std::vector<std::filesystem::path>& folders) {
    return file == file.lexically_normal() && std::any_of(folders.begin(), folders.end(), [&](const auto& folder) {
               return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
           });
}

}  // namespace

result<void> check_answer(const json::object& done, const expected_answer& expected) {
    const json::value answer(done);
    if (auto ok = shape().check(answer); !ok) return broken(ok.error().message);
    const auto& stages = done.at("stages").get_array();
    if (stages.size() != expected.stages.size())
        return broken("it chose " + std::to_string(stages.size()) + " places for " +
                      std::to_string(expected.stages.size()) + " outputs");
    for (std::size_t i = 0; i < stages.size(); ++i)
        if (!stages[i].is_int64() || stages[i].get_int64() >= static_cast<std::int64_t>(expected.stages[i]))
            return broken("it chose a place for an output that was not offered");
    const auto& inputs = done.at("inputs").get_array();
    if (inputs.size() != expected.inputs)
        return broken("it read " + std::to_string(inputs.size()) + " datasets of " + std::to_string(expected.inputs));
    // Their hashes go into the provenance: nothing may be named that the call could not read.
    for (const auto& input : inputs)
        for (const auto& file : input.at("files").get_array())
            if (!lies_in(std::string{file.get_string()}, expected.allowed))
                return broken("it read " + std::string{file.get_string()} + ", which it was not given");
    return {};
}

}  // namespace gdalmcp::app
