// What reading an answer needs beside its structure. Used by answer*.cpp only.
#pragma once
#include "reflection/answer.hpp"

namespace gdalmcp::base {
class schema;
}

namespace gdalmcp::reflection {

// The canonical form: it is stored, and every other form is converted to it before checking.
const base::schema& canonical_answer();

// Names every empty text; `place` as in read_answer.
base::result<void> refuse_blanks(const json::object& a, const std::string& place);
// Names the texts that say nothing: "ok", "n/a", "-". REQUIRES: the shape is checked.
base::result<void> refuse_filler(const json::object& a, const std::string& place);
// What would make an answer in canonical form better.
std::vector<std::string> lint(const json::object& a);

}  // namespace gdalmcp::reflection
