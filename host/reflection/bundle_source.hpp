// A bundle's contribution to the specs: its documents and the names of its tools.
#pragma once
#include "catalog/manifest.hpp"
#include "reflection/specs.hpp"

namespace gdalmcp::reflection {

// Its extensions may name its own tools only.
spec_source bundle_source(const catalog::manifest& m);

}  // namespace gdalmcp::reflection
