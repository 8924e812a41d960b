// Keys: the question of a call as a reproducible digest.
#pragma once
#include <map>
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

// The object whose canonical JSON is hashed; without a prompt_hash that of question_hash().
json::object hashed_text(std::string_view domain, std::string_view prompt_hash, const json::object& key_arguments);

// Where the call gives a key argument, in words, and what; null: nowhere.
struct key_origin {
    std::string source;
    json::value given;
};
using key_origins = std::map<std::string, key_origin, std::less<>>;  // by name

// The normalised key arguments of a call. `facts` is called only for a key argument with a fact as its source. Errors
// carry the argument's pointer in `at`.
base::result<json::object> key_of_call(const spec& s, std::string_view tool, const json::value& arguments,
                                       const facts_lookup& facts, const crs_lookup& crs,
                                       key_origins* origins = nullptr);

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
