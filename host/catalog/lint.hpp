// Why a tool must not be offered to clients. One bad tool makes real clients drop the whole list, so a tool with a
// finding is never listed.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::catalog {

namespace json = boost::json;

inline constexpr std::size_t max_description = 1000;  // characters; some clients cut at 2048 bytes

// Names [a-z][a-z0-9_]{0,63}.
bool is_tool_name(std::string_view name);

// Findings on one member of a manifest's "tools", `at` pointing into it: name, description (1 to 1000 characters),
// schemas (base::lint_schema; properties described; known x-gdalmcp roles; distinct synonyms; limits that leave a
// value; declared `required`; one output-* argument at most; no name reserved by the host; headers as the protocol
// requires). Empty = no findings. REQUIRES: the shape that read_manifest has checked.
std::vector<base::problem> lint_tool(const json::value& text);

// On an argument: the header Mcp-Param-<value>, in which web clients repeat it. A token (RFC 9110), no two the same but
// for case, on a string, integer or boolean that is reached by `properties` alone.
inline constexpr std::string_view header_keyword = "x-mcp-header";

// Root members of a result that the host sets; a tool must not set them.
inline constexpr std::string_view host_members[] = {"output", "warnings", "checks", "ok", "error"};

// On a text of a result: the host fills in the URI of the dataset that was written, as tools take it:
// query://result/{id} or file:///…
inline constexpr std::string_view uri_of_output_role = "uri-of-output";

// The values of x-gdalmcp on arguments.
const std::vector<std::string_view>& known_roles();
bool is_output_role(std::string_view role);                  // output-raster, -vector, -table, -any
std::size_t count_outputs(const json::value& input_schema);  // arguments with an output role, at any depth

}  // namespace gdalmcp::catalog
