// Key arguments given outside a call, read as a call's own arguments are: in any case, by a synonym, as the code of a
// CRS. A value that no call can have is refused.
//   argument_reader reader{schemas, "acme_compactness"};
//   reader.read(spec, *spec.find_key("measure"), "Hull");    // "convex_hull"
//   reader.read(spec, *spec.find_key("measure"), "roman");   // "there is no measure 'roman'"
#pragma once
#include <string>

#include "reflection/schema_place.hpp"
#include "reflection/specs.hpp"

namespace gdalmcp::reflection {

struct argument_reader {
    argument_schemas schemas = {};  // empty: only CRSs are read
    std::string tool = {};          // the tool that is called; empty, or none of the domain: any tool of the domain

    // The value as a call has it, to be normalised; in a list every member. Unchanged if absent, a number, a geometry,
    // or if a source of the key argument is something else than an argument or a constant.
    base::result<json::value> read(const spec& s, const key_argument& k, json::value given) const;
};

}  // namespace gdalmcp::reflection
