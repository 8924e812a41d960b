// The members of a spec file, as JSON Schemas. Shape only: references between names, which JSON Schema cannot express,
// are checked in spec_text.cpp.
#pragma once
#include "base/schema.hpp"

namespace gdalmcp::reflection::spec_text {

const base::schema& spec_shape();       // of a domain
const base::schema& extension_shape();  // of a file that adds tools to a domain
const base::schema& key_shape();        // of a key argument written as an object

}  // namespace gdalmcp::reflection::spec_text
