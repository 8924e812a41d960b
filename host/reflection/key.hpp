// Keys: the question of a call as a reproducible digest.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "reflection/argument_reader.hpp"
#include "reflection/specs.hpp"

namespace gdalmcp::reflection {

// "sha256:" + hex SHA-256 of JCS({"domain", "prompt_hash", …normalised key arguments}).
std::string cache_key(std::string_view domain, std::string_view prompt_hash, const json::object& key_arguments);

// The same without prompt_hash: equal for every wording of the question.
std::string question_hash(std::string_view domain, const json::object& key_arguments);

// "sha256:" and 64 lower-case hex digits, nothing else.
bool is_cache_key(std::string_view s);

// The normalised key arguments of a call. `facts` is called only for a key argument with a fact as its source. Errors
// carry the argument's pointer in `at`.
base::result<json::object> key_of_call(const spec& s, std::string_view tool, const json::value& arguments,
                                       const facts_lookup& facts, const crs_lookup& crs);

// The same from the `prompt_args` object of store_justification, as its tools read it. Idempotent on its own results.
base::result<json::object> key_of_prompt_args(const spec& s, const json::value& prompt_args, const crs_lookup& crs,
                                              const argument_reader& reader = {});

// The value of choice.method for this key: the main argument as text; a box as JSON; another geometry as
// "geometry-sha256:" + hex SHA-256 of its JCS.
std::string choice_of(const spec& s, const json::object& key_arguments);

// One key for every member of a list-valued choice ("mean+stdev"), each a question of its own; else the key itself.
std::vector<json::object> keys_of_members(const spec& s, const json::object& key_arguments);

// The values for the prompt's template: the key arguments and `choice`.
json::object question_values(const spec& s, const json::object& key_arguments);

}  // namespace gdalmcp::reflection
