// A tool as the manifest describes it, and as clients see it.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "base/schema.hpp"
#include "catalog/bundle.hpp"

namespace gdalmcp::catalog {

namespace json = boost::json;

// The hints of MCP, with its pessimistic defaults for what a manifest leaves out; and one flag for the host only.
struct annotations {
    bool read_only = false;
    bool destructive = true;
    bool idempotent = false;
    bool open_world = true;
    bool task_only = false;  // takes too long for a waiting client: runs as a task of the client or not at all
};

// One tool of one bundle. Immutable; safe from any thread.
//   if (const auto* t = snapshot->find("raster_info")) t->input().check(arguments);
class tool {
public:
    // `text` is one member of the manifest's "tools". Errors: the lint's findings (see lint.hpp), with the field named.
    static base::result<std::shared_ptr<const tool>> read(const json::value& text,
                                                          std::shared_ptr<const catalog::bundle> owner);

    std::string name;
    std::string title;
    std::string description;
    catalog::annotations annotations;
    std::shared_ptr<const catalog::bundle> bundle;
    bool writes_dataset = false;  // an argument has an output-* role

    // Arguments as the plugin declared them, x-gdalmcp roles included, without the host's `justification`.
    const base::schema& input() const { return *input_; }

    // The schema of a successful result: the plugin's plus the members the host adds. None: the tool returns text only.
    const std::optional<base::schema>& result_schema() const { return result_; }

    // The tool for tools/list: x-* keywords stripped, but x-mcp-header; `governed` adds the optional argument
    // `justification`.
    json::object public_definition(bool governed) const;

private:
    std::optional<base::schema> input_;
    std::optional<base::schema> result_;
};

// The argument every governed tool takes beside its own; the host removes it before input() is checked.
inline constexpr const char* justification_argument = "justification";

}  // namespace gdalmcp::catalog
