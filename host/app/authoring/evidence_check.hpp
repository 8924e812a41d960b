// Checks that the evidence named by a bundle's specs can be measured, for `gdal-mcp bundle check`.
#pragma once
#include <vector>

#include "app/authoring/check_report.hpp"
#include "catalog/manifest.hpp"
#include "reflection/specs.hpp"

namespace gdalmcp::app {

// The evidence that the specs of this bundle, and its extensions of other domains, request. REQUIRES: they are in
// `all`.
std::vector<const reflection::evidence_source*> evidence_of(const catalog::manifest& bundle,
                                                            const reflection::specs& all);

// Defects visible without a call: the provider is not read-only, its arguments do not match those the spec passes, or
// it does not declare `summary` and `source`.
std::vector<finding> check_provider(const reflection::evidence_source& e, const catalog::tool& provider);

// Defects of a provider's result.
std::vector<finding> check_measured(const std::string& provider, const json::object& result);

}  // namespace gdalmcp::app
