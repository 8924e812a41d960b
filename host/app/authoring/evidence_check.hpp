// Whether the evidence that a bundle's specs name can be had, as `gdal-mcp bundle check` tells authors.
#pragma once
#include <vector>

#include "app/authoring/check_report.hpp"
#include "catalog/manifest.hpp"
#include "reflection/specs.hpp"

namespace gdalmcp::app {

// What the specs of this bundle, and its extensions of other domains, want measured. REQUIRES: they are in `all`.
std::vector<const reflection::evidence_source*> evidence_of(const catalog::manifest& bundle,
                                                            const reflection::specs& all);

// What is wrong before anything runs: it does not only read, takes other arguments than the spec gives it, or does not
// declare `summary` and `source`.
std::vector<finding> check_provider(const reflection::evidence_source& e, const catalog::tool& provider);

// What is wrong with a provider's result.
std::vector<finding> check_measured(const std::string& provider, const json::object& result);

}  // namespace gdalmcp::app
