// What a bundle contributes to the specs: its documents, and its tools as its own.
#pragma once
#include "catalog/manifest.hpp"
#include "reflection/specs.hpp"

namespace gdalmcp::reflection {

// Its extensions may speak of its own tools only.
spec_source bundle_source(const catalog::manifest& m);

}  // namespace gdalmcp::reflection
